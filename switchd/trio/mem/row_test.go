package mem

import (
	"testing"

	"pgregory.net/rapid"
)

// A row adds what adds one by one add, as far as they would not fail and need no page.
func TestRowIsAdds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{SRAM: 2 * pageBytes, DRAM: 3 * pageBytes, Records: 3, AddBytes: 4 << rapid.IntRange(0, 4).Draw(t, "width")}
		one, row := mustNew(t, c), mustNew(t, c)
		for range rapid.IntRange(0, 6).Draw(t, "pages") {
			a := rapid.SampledFrom([]Addr{0, pageWords, DRAMBase, DRAMBase + pageWords, DRAMBase + 2*pageWords, RecordsBase}).Draw(t, "page")
			one.Store(a, 7)
			row.Store(a, 7)
		}
		resident := row.Resident()
		base := rapid.SampledFrom([]Addr{0, DRAMBase, RecordsBase, 1<<32 - 4*pageWords}).Draw(t, "region")
		a := base + Addr(rapid.SampledFrom([]int{0, 5, pageWords - 3, 2*pageWords - 30, 3*pageWords - 4}).Draw(t, "at"))
		half := uint32(rapid.IntRange(0, 1).Draw(t, "half"))
		most := rapid.SampledFrom([]int{0, 4, 64, 4096, 3 * pageBytes}).Draw(t, "bytes")
		r := RowAt(a, half)
		n := row.Known(r, most)
		if n < 0 || n > most {
			t.Fatalf("%d of %d bytes", n, most)
		}
		src := rapid.SliceOfN(rapid.Byte(), c.AddBytes, c.AddBytes).Draw(t, "src")
		place := uint64(a)<<1 + uint64(half)
		for ; n >= len(src); n -= len(src) {
			if at, h := r.Place(); uint64(at)<<1+uint64(h) != place {
				t.Fatalf("at half %d of %#x, want %#x", h, at, place)
			}
			if f := one.Add32(Addr(place/2), place%2, src); f != NoFault {
				t.Fatalf("fault %v at %#x", f, place)
			}
			r = row.AddRow(r, src)
			place += uint64(len(src) / 4)
		}
		if most > 0 && n == 0 && most-n >= 4 && one.Resident() == resident && int(place-uint64(a)<<1-uint64(half))*4+4 <= most {
			if f := one.Add32(Addr(place/2), place%2, src[:4]); f == NoFault && one.Resident() == resident {
				t.Fatalf("the row ends at %#x, where nothing is missing", place)
			}
		}
		if row.Resident() != resident {
			t.Fatalf("%v are resident, want %v", row.Resident(), resident)
		}
		l := one.Layout()
		for _, in := range []Range{l.SRAM, l.DRAM, l.Records} {
			for a := in.Start; a < in.End && uint64(a) < place/2; a++ {
				if got, want := row.load(a), one.load(a); got != want {
					t.Fatalf("word %#x is %#x, want %#x", a, got, want)
				}
			}
		}
	})
}
