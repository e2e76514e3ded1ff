package mem

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

type step func(t *rapid.T, m *Memory, o oracle)

func sized(t *rapid.T) []byte {
	n := rapid.SampledFrom([]int{0, 4, 7, 8, 12, 16, 24, 32, 40, 48, 56, 60, 64, 68, 72}).Draw(t, "bytes")
	return rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "data")
}

func wantFault(n int, possible bool, a Addr) Fault {
	switch {
	case !possible:
		return BadLength
	case !valid(a, n):
		return OutOfRange
	}
	return NoFault
}

func mustFault(t *rapid.T, op string, a Addr, got, want Fault) bool {
	t.Helper()
	if got != want {
		t.Fatalf("%s at %#x: %v, want %v", op, a, got, want)
	}
	return got == NoFault
}

func doRead(t *rapid.T, m *Memory, o oracle) {
	a, dst := drawAddr(t), sized(t)
	n := len(dst)
	before := bytes.Clone(dst)
	if !mustFault(t, "Read", a, m.Read(a, dst), wantFault(n, n >= 8 && n <= 64 && n%8 == 0, a)) {
		if !bytes.Equal(before, dst) {
			t.Fatal("a refused read wrote")
		}
		return
	}
	for i := 0; i < n; i += 4 {
		if got, want := be(dst[i:i+4]), o[8*uint64(a)+uint64(i)]; got != want {
			t.Fatalf("byte %d behind %#x: %#x, want %#x", i, a, got, want)
		}
	}
}

func doWrite(t *rapid.T, m *Memory, o oracle) {
	a, src := drawAddr(t), sized(t)
	n := len(src)
	if mustFault(t, "Write", a, m.Write(a, src), wantFault(n, n >= 8 && n <= 64 && n%8 == 0, a)) {
		for i := 0; i < n; i += 4 {
			o[8*uint64(a)+uint64(i)] = be(src[i : i+4])
		}
	}
}

func doAdd(t *rapid.T, m *Memory, o oracle) {
	a, half, src := drawAddr(t), rapid.Uint64Range(0, 2).Draw(t, "half"), sized(t)
	n := len(src)
	want := wantFault(n+4*int(half), n >= 4 && n <= m.AddBytes() && n%4 == 0, a)
	if half > 1 && want != BadLength {
		want = BadHalf
	}
	if mustFault(t, "Add32", a, m.Add32(a, half, src), want) {
		for i := 0; i < n; i += 4 {
			o[8*uint64(a)+4*half+uint64(i)] += be(src[i : i+4])
		}
	}
}

func doFetchAdd(t *rapid.T, m *Memory, o oracle) {
	a, half := drawAddr(t), rapid.Uint64Range(0, 3).Draw(t, "half")
	v := rapid.Uint32().Draw(t, "v")
	sum, f := m.FetchAdd32(a, half, v)
	want := wantFault(8, true, a)
	if half > 1 {
		want = BadHalf
	}
	if mustFault(t, "FetchAdd32", a, f, want) {
		if o[8*uint64(a)+4*half] += v; sum != o[8*uint64(a)+4*half] {
			t.Fatalf("FetchAdd32: %#x, want %#x", sum, o[8*uint64(a)+4*half])
		}
	}
}

// fetch tests one operation on a word against its definition.
func fetch(name string, op func(*Memory, Addr, uint64) (uint64, Fault), want func(word, v uint64) uint64) step {
	return func(t *rapid.T, m *Memory, o oracle) {
		a, v := drawAddr(t), rapid.Uint64().Draw(t, "v")
		old, f := op(m, a, v)
		if !mustFault(t, name, a, f, wantFault(8, true, a)) {
			return
		}
		if old != o.word(a) {
			t.Fatalf("%s at %#x returned %#x, want %#x", name, a, old, o.word(a))
		}
		o.put(a, want(old, v))
	}
}

func doMaskedWrite(t *rapid.T, m *Memory, o oracle) {
	a, v, mask := drawAddr(t), rapid.Uint64().Draw(t, "v"), rapid.Uint64().Draw(t, "mask")
	if !mustFault(t, "MaskedWrite", a, m.MaskedWrite(a, v, mask), wantFault(8, true, a)) {
		return
	}
	var want uint64
	for bit := range 64 {
		from := o.word(a)
		if mask>>bit&1 == 1 {
			from = v
		}
		want |= from & (1 << bit)
	}
	o.put(a, want)
}

func doCounter(t *rapid.T, m *Memory, o oracle) {
	a, n := drawAddr(t), rapid.Uint32().Draw(t, "bytes")
	if !mustFault(t, "CounterInc", a, m.CounterInc(a, n), wantFault(16, true, a)) {
		return
	}
	o.put(a, o.word(a)+1)
	o.put(a+1, o.word(a+1)+uint64(n))
	if p, b, f := m.Counter(a); p != o.word(a) || b != o.word(a+1) || f != NoFault {
		t.Fatalf("Counter: %d, %d, %v", p, b, f)
	}
}

func doStore(t *rapid.T, m *Memory, o oracle) {
	a, v := drawAddr(t), rapid.Uint64().Draw(t, "v")
	if mustFault(t, "Store", a, m.Store(a, v), wantFault(8, true, a)) {
		o.put(a, v)
	}
	if got, f := m.Load(a); got != o.word(a) || f != wantFault(8, true, a) {
		t.Fatalf("Load: %#x, %v", got, f)
	}
}

var steps = []step{
	doRead, doWrite, doAdd, doFetchAdd, doMaskedWrite, doCounter, doStore,
	fetch("FetchAnd", (*Memory).FetchAnd, func(w, v uint64) uint64 { return w & v }),
	fetch("FetchOr", (*Memory).FetchOr, func(w, v uint64) uint64 { return w | v }),
	fetch("FetchXor", (*Memory).FetchXor, func(w, v uint64) uint64 { return w ^ v }),
	fetch("FetchClear", (*Memory).FetchClear, func(w, v uint64) uint64 { return w &^ v }),
	fetch("FetchSwap", (*Memory).FetchSwap, func(_, v uint64) uint64 { return v }),
}

// After any operations every word is what the map says, whether it was written
// or not, and nothing but the pages written takes room.
func TestOperationsMatchTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, o := mustNew(t, small), oracle{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			rapid.SampledFrom(steps).Draw(t, "step")(t, m, o)
		}
		for _, r := range smallRanges {
			for a := r.Start; a < r.End; a++ {
				if got, f := m.Load(a); got != o.word(a) || f != NoFault {
					t.Fatalf("word %#x: %#x, %v, want %#x", a, got, f, o.word(a))
				}
			}
		}
		if m.Resident() > 5*pageBytes {
			t.Fatalf("%v resident", m.Resident())
		}
	})
}

func TestMemoryIsSparse(t *testing.T) {
	m := mustNew(t, Config{DRAM: MaxDRAM})
	last := m.Layout().DRAM.End - 1
	var buf [8]byte
	if f := m.Read(last, buf[:]); f != NoFault || m.Resident() != 0 {
		t.Fatalf("a read took %v: %v", m.Resident(), f)
	}
	if f := m.Store(last, 1); f != NoFault || m.Resident() != pageBytes {
		t.Fatalf("a write took %v: %v", m.Resident(), f)
	}
}

// Where the host gives no more pages, writes to new ones are refused whole; old
// pages and reads go on.
func TestResidentLimit(t *testing.T) {
	m := mustNew(t, Config{Resident: pageBytes})
	if f := m.Write(0, make([]byte, 64)); f != NoFault {
		t.Fatal(f)
	}
	src := bytes.Repeat([]byte{1}, 64)
	if f := m.Write(pageWords-4, src); f != Exhausted { // half on the page there is
		t.Fatalf("%v, want %v", f, Exhausted)
	}
	if v, _ := m.Load(pageWords - 4); v != 0 {
		t.Fatal("a refused write has written")
	}
	if f := m.CounterInc(pageWords, 1); f != Exhausted {
		t.Fatalf("%v, want %v", f, Exhausted)
	}
	if v, f := m.Load(pageWords); v != 0 || f != NoFault {
		t.Fatal(v, f)
	}
	if f := m.Store(1, 2); f != NoFault {
		t.Fatal(f)
	}
}

func TestLayout(t *testing.T) {
	const room = DefaultRecords * RecordBytes
	for _, c := range []struct {
		in         Region
		sram, dram units.Bytes
	}{{SRAM, DefaultSRAM - room, DefaultDRAM}, {DRAM, DefaultSRAM, DefaultDRAM - room}} {
		l := mustNew(t, Config{RecordsIn: c.in}).Layout()
		if l.SRAM.Start != 0 || l.SRAM.Bytes() != c.sram || l.DRAM.Start != DRAMBase || l.DRAM.Bytes() != c.dram ||
			l.Records.Start != RecordsBase || l.Records.Bytes() != room {
			t.Errorf("records in %v: %+v", c.in, l)
		}
	}
}

// Ranges of the largest size touch each other, and no access crosses over.
func TestRangesDoNotOverlap(t *testing.T) {
	m := mustNew(t, Config{SRAM: MaxSRAM, RecordsIn: DRAM, Records: MaxRecords})
	for _, next := range []Addr{RecordsBase, DRAMBase} {
		if f := m.Write(next-1, make([]byte, 8)); f != NoFault {
			t.Errorf("the word before %#x: %v", next, f)
		}
		if f := m.Write(next-1, make([]byte, 16)); f != OutOfRange {
			t.Errorf("over %#x: %v", next, f)
		}
	}
}

func TestFaultsHaveNames(t *testing.T) {
	seen := map[string]Fault{}
	for f := NoFault; f <= NumFaults; f++ {
		if other, twice := seen[f.String()]; twice || f.String() == "" {
			t.Errorf("faults %d and %d are both %q", f, other, f)
		}
		seen[f.String()] = f
	}
}
