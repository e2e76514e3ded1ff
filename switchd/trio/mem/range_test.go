package mem

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

// What is done to a range is what is done to its units one after another, up to the
// first that fails. The same pages are given.
func TestRangesAreTheirUnits(t *testing.T) {
	faults := 0
	rapid.Check(t, func(t *rapid.T) {
		c := small
		c.Resident = rapid.SampledFrom([]units.Bytes{1, 2, 4}).Draw(t, "pages") * pageBytes
		c.AddBytes = MaxAccess
		whole, parts := mustNew(t, c), mustNew(t, c)
		for range 3 {
			unit := 8 * rapid.SampledFrom([]int{1, 3, 5, 8}).Draw(t, "words of a unit")
			count := rapid.SampledFrom([]int{0, 1, 7, 60, 1100}).Draw(t, "units")
			a := drawAddr(t) - Addr(rapid.SampledFrom([]int{0, 0, 5, 100, 9000}).Draw(t, "before"))
			src := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), unit, unit).Draw(t, "unit"), count)
			one := func(a Addr, _ uint64, b []byte) Fault { return parts.Write(a, b) }
			half := uint64(0)
			var n int
			if rapid.Bool().Draw(t, "add") {
				for i := range src {
					src[i] += byte(i / unit)
				}
				half = rapid.Uint64Range(0, 1).Draw(t, "half")
				one, n = parts.Add32, whole.AddRange(a, uint32(half), src, unit)
			} else if count > 0 {
				n = whole.FillRange(a, len(src), src[:unit])
			}
			want := 0
			for ; want < len(src); want += unit {
				if at := uint64(a) + uint64(want/WordBytes); at >= 1<<32 || one(Addr(at), half, src[want:want+unit]) != NoFault {
					faults++
					break
				}
			}
			if n != want || whole.Resident() != parts.Resident() {
				t.Fatalf("%d bytes and %v of pages, want %d and %v", n, whole.Resident(), want, parts.Resident())
			}
			sameRange(t, whole, parts, a, len(src))
		}
	})
	if faults == 0 {
		t.Error("no range went beyond what there is")
	}
}

// sameRange compares n bytes from a on, as far as they are there: one memory is read
// as a range, the other in words.
func sameRange(t *rapid.T, whole, parts *Memory, a Addr, n int) {
	got := make([]byte, whole.Within(a, n))
	whole.ReadRange(a, got)
	want := make([]byte, len(got))
	for i := 0; i < len(want); i += WordBytes {
		if f := parts.Read(a+Addr(i/WordBytes), want[i:i+WordBytes]); f != NoFault {
			t.Fatalf("word %d of %d: %v", i/WordBytes, n/WordBytes, f)
		}
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%d bytes from %#x on differ", n, a)
	}
}
