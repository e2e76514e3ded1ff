package mem

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func drawKey(t *rapid.T) uint64 { return rapid.Uint64Range(0, 40).Draw(t, "key") << 32 }

// mustHold compares the table with the oracle: records, their places, flags.
func (o *hashOracle) mustHold(t *rapid.T, h *Table) {
	used := popcount(h.used) - (64*len(h.used) - h.Cap()) // less those that do not exist
	if h.Len() != len(o.at) || used != len(o.at) {
		t.Fatalf("%d records, %d used slots, want %d", h.Len(), used, len(o.at))
	}
	if got := maps.Collect(h.All()); !maps.Equal(got, o.at) {
		t.Fatalf("records %v, want %v", got, o.at)
	}
	refs := 0
	for key, at := range o.at {
		slot := (at - h.start) / recordWords
		if got := h.ref[slot/64]>>(slot%64)&1 == 1; got != o.ref[key] {
			t.Fatalf("REF of %d: %v, want %v", key>>32, got, o.ref[key])
		}
		if o.ref[key] {
			refs++
		}
	}
	if popcount(h.ref) != refs {
		t.Fatal("an empty slot is flagged")
	}
}

func (o *hashOracle) insert(t *rapid.T, m *Memory) {
	h, key := m.Hash(), drawKey(t)
	rec, created, ok := h.Insert(key)
	at, had := o.at[key]
	switch {
	case had:
		if rec != at || created || !ok {
			t.Fatalf("a second insert: %#x, %v, %v; the record is at %#x", rec, created, ok, at)
		}
	case len(o.at) == h.Cap():
		if created || ok {
			t.Fatal("a full table has created a record")
		}
		return
	default:
		o.created(t, m, key, rec)
	}
	o.ref[key] = true
}

// created checks a new record: in its range, no one else's, zero. It is filled,
// so that the next record in its slot is zero only if it has been zeroed.
func (o *hashOracle) created(t *rapid.T, m *Memory, key uint64, rec Addr) {
	r := m.Layout().Records
	if rec < r.Start || rec+recordWords > r.End || (rec-r.Start)%recordWords != 0 {
		t.Fatalf("record at %#x, outside of %+v", rec, r)
	}
	if want := o.place(m, key); rec != want {
		t.Fatalf("record at %#x, want the first free place from the hash on, %#x", rec, want)
	}
	for i := range Addr(recordWords) {
		if v, _ := m.Load(rec + i); v != 0 {
			t.Fatalf("word %d of a new record is %#x", i, v)
		}
		m.Store(rec+i, key+1)
	}
	o.at[key] = rec
}

// place goes from where the key is hashed to until nobody's place.
func (o *hashOracle) place(m *Memory, key uint64) Addr {
	taken := slices.Collect(maps.Values(o.at))
	n := Addr(m.Hash().Cap())
	for slot := Addr(share(hash(key), int(n))); ; slot = (slot + 1) % n {
		if at := RecordsBase + slot*recordWords; !slices.Contains(taken, at) {
			return at
		}
	}
}

func (o *hashOracle) lookup(t *rapid.T, m *Memory) {
	key := drawKey(t)
	rec, found := m.Hash().Lookup(key)
	at, had := o.at[key]
	if found != had || rec != at {
		t.Fatalf("lookup: %#x, %v; want %#x, %v", rec, found, at, had)
	}
	if had {
		o.ref[key] = true
		if v, _ := m.Load(rec); v != key+1 {
			t.Fatal("a record has lost its content")
		}
	}
}

func (o *hashOracle) peek(t *rapid.T, m *Memory) {
	key := drawKey(t)
	rec, found := m.Hash().Peek(key)
	if at, had := o.at[key]; found != had || rec != at {
		t.Fatalf("peek: %#x, %v; want %#x, %v", rec, found, at, had)
	}
	if got, want := m.Hash().Referenced(key), o.ref[key]; got != want {
		t.Fatalf("REF flag of %#x: %v, want %v", key, got, want)
	}
}

func (o *hashOracle) rename(t *rapid.T, m *Memory) {
	from, to := drawKey(t), drawKey(t)
	_, had := o.at[from]
	_, taken := o.at[to]
	if m.Hash().Rename(from, to) != (had && !taken) {
		t.Fatalf("rename of %d (there: %v) to %d (there: %v)", from>>32, had, to>>32, taken)
	}
	if had && !taken {
		o.at[to], o.ref[to] = o.at[from], o.ref[from]
		m.Store(o.at[to], to+1)
		delete(o.at, from)
		delete(o.ref, from)
	}
}

func (o *hashOracle) remove(t *rapid.T, m *Memory) {
	key := drawKey(t)
	_, had := o.at[key]
	if m.Hash().Delete(key) != had {
		t.Fatal("delete does not say whether there was a record")
	}
	delete(o.at, key)
	delete(o.ref, key)
}

// scan goes through all parts, with other operations in between. What is there
// from start to end is met exactly once; nothing is met that is not there.
func (o *hashOracle) scan(t *rapid.T, m *Memory) {
	h := m.Hash()
	parts := rapid.Uint32Range(1, 30).Draw(t, "parts")
	stayed, met := maps.Clone(o.at), map[uint64]int{}
	for part := range parts {
		for s := (Scanned{}); !s.End; {
			before := s.Next
			var f Fault
			s, f = h.Scan(part, parts, before)
			if f != NoFault || s.Found && (s.Next <= before && !s.End || o.at[s.Key] != s.Record) || !s.Found && !s.End {
				t.Fatalf("scan of part %d of %d at %d: %+v, %v", part, parts, before, s, f)
			}
			if s.Found {
				if s.Ref != o.ref[s.Key] {
					t.Fatalf("scan: REF of %d was %v, want %v", s.Key>>32, s.Ref, o.ref[s.Key])
				}
				met[s.Key]++
				o.ref[s.Key] = false
			}
			o.between(t, m, stayed)
		}
		if !h.PartEmpty(part, parts) != o.anyIn(h, part, parts) {
			t.Fatalf("part %d of %d: empty %v", part, parts, h.PartEmpty(part, parts))
		}
	}
	for key := range stayed {
		if met[key] != 1 {
			t.Fatalf("a record that stayed was met %d times", met[key])
		}
	}
}

// between changes the table in the midst of a scan.
func (o *hashOracle) between(t *rapid.T, m *Memory, stayed map[uint64]Addr) {
	switch rapid.IntRange(0, 5).Draw(t, "between") {
	case 0:
		o.insert(t, m)
	case 1:
		o.remove(t, m)
	case 2:
		o.lookup(t, m)
	}
	maps.DeleteFunc(stayed, func(key uint64, at Addr) bool { return o.at[key] != at })
}

func (o *hashOracle) anyIn(h *Table, part, parts uint32) bool {
	for _, at := range o.at {
		slot := uint64(at-h.start) / recordWords
		if slot >= uint64(h.Cap())*uint64(part)/uint64(parts) && slot < uint64(h.Cap())*uint64(part+1)/uint64(parts) {
			return true
		}
	}
	return false
}

func TestTableMatchesTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := small
		c.Records = rapid.IntRange(1, 150).Draw(t, "records")
		c.Buckets = rapid.IntRange(1, 40).Draw(t, "buckets")
		c.RecordsIn = rapid.SampledFrom([]Region{SRAM, DRAM}).Draw(t, "region")
		m := mustNew(t, c)
		o := &hashOracle{map[uint64]Addr{}, map[uint64]bool{}}
		ops := []func(*rapid.T, *Memory){o.insert, o.insert, o.lookup, o.peek, o.remove, o.rename, o.scan}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			rapid.SampledFrom(ops).Draw(t, "step")(t, m)
			o.mustHold(t, m.Hash())
		}
	})
}

func mustInsert(t rapid.TB, h *Table, key uint64) Addr {
	t.Helper()
	rec, _, ok := h.Insert(key)
	if !ok {
		t.Fatal("the table is full")
	}
	return rec
}

// A record that nobody looks up is without its flag at the second scan (trio §5).
func TestScanAgesWhatNobodyLooksUp(t *testing.T) {
	h := mustNew(t, small).Hash()
	mustInsert(t, h, 1)
	mustInsert(t, h, 2)
	for round, want := range []map[uint64]bool{{1: true, 2: true}, {1: false, 2: true}, {1: false, 2: false}} {
		if round == 1 {
			h.Lookup(2)
			h.Peek(1)
		}
		got := map[uint64]bool{}
		for s := (Scanned{}); !s.End; {
			s, _ = h.Scan(0, 1, s.Next)
			got[s.Key] = s.Ref
		}
		if !maps.Equal(got, want) {
			t.Errorf("scan %d: REF %v, want %v", round, got, want)
		}
	}
}

func TestScanOfNoPart(t *testing.T) {
	h := mustNew(t, small).Hash()
	for _, c := range [][2]uint32{{0, 0}, {1, 1}, {7, 3}} {
		if _, f := h.Scan(c[0], c[1], 0); f != BadPart || !h.PartEmpty(c[0], c[1]) {
			t.Errorf("part %d of %d: %v", c[0], c[1], f)
		}
	}
	mustInsert(t, h, 1)
	if s, f := h.Scan(0, 1, 1<<32-1); s.Found || !s.End || f != NoFault {
		t.Errorf("beyond the part: %+v, %v", s, f)
	}
}

// Every scanning thread has its share of the blocks of a job, however many there
// are and whatever went before; so it has of several jobs.
func TestRecordsSpreadOverParts(t *testing.T) {
	for _, jobs := range []uint64{1, 3} {
		for _, blocks := range []uint64{256, 1000, 4096} {
			h := mustNew(t, Config{}).Hash()
			for key := range blocks * 7 {
				h.Insert(1<<40 + key) // of earlier blocks
				h.Delete(1<<40 + key)
			}
			for job := range jobs {
				for block := range blocks {
					mustInsert(t, h, job<<32|block)
				}
			}
			for _, parts := range []int{10, 100} {
				mustBeEven(t, h, parts)
			}
		}
	}
}

// mustBeEven allows a part four records more or less than the mean and a tenth.
func mustBeEven(t *testing.T, h *Table, parts int) {
	t.Helper()
	counts := make([]int, parts)
	for _, rec := range h.All() {
		counts[int(rec-h.start)/recordWords*parts/h.Cap()]++
	}
	mean := float64(h.Len()) / float64(parts)
	if least, most := slices.Min(counts), slices.Max(counts); float64(least) < mean*0.9-4 || float64(most) > mean*1.1+4 {
		t.Errorf("%d records over %d parts: %d to %d in a part", h.Len(), parts, least, most)
	}
}

// Where a record stands does not depend on those that came and went before.
func TestPlacesDoNotDependOnThePast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.Uint64(), 1, 20, rapid.ID).Draw(t, "keys")
		old, fresh := mustNew(t, small).Hash(), mustNew(t, small).Hash()
		for _, key := range rapid.SliceOf(rapid.Uint64()).Draw(t, "past") {
			old.Insert(key)
		}
		for _, key := range slices.Collect(maps.Keys(maps.Collect(old.All()))) {
			old.Delete(key)
		}
		for _, key := range keys {
			a, b := mustInsert(t, old, key), mustInsert(t, fresh, key)
			if a != b || old.Cost() != fresh.Cost() {
				t.Fatalf("key %#x: at %#x with a past, for %+v; else at %#x, for %+v", key, a, old.Cost(), b, fresh.Cost())
			}
		}
	})
}

// The cost in accesses is what Cost states.
func TestCosts(t *testing.T) {
	c := small
	c.Buckets, c.Records = 1, 130
	h := mustNew(t, c).Hash()
	expect := func(what string, want int) {
		t.Helper()
		if got := h.Cost().Index; got != want {
			t.Errorf("%s: %d accesses, want %d", what, got, want)
		}
	}
	h.Lookup(1)
	expect("miss in an empty chain", 1)
	rec := mustInsert(t, h, 1)
	expect("new record", 5)
	if c := h.Cost(); !c.Clears || c.Record != rec {
		t.Errorf("a new record is not zeroed: %+v", c)
	}
	mustInsert(t, h, 2)
	expect("new record behind another", 6)
	mustInsert(t, h, 2)
	expect("old record", 4)
	if h.Cost().Clears {
		t.Error("an old record is zeroed")
	}
	h.Lookup(1)
	expect("hit", 3)
	h.Lookup(3)
	expect("miss", 3)
	h.Delete(3)
	expect("delete of nothing", 3)
	h.Delete(2)
	expect("delete", 5)
	slot := uint32(rec-h.start) / recordWords
	h.Scan(0, 1, slot) // that slot, then nothing in 130 slots
	expect("scan", 3-int(slot/64)+1)
	h.Scan(0, 1, slot+1)
	expect("scan of the empty rest", 3-int((slot+1)/64))
	for key := range uint64(130) {
		mustInsert(t, h, key)
	}
	if _, _, ok := h.Insert(999); ok {
		t.Fatal("not full")
	}
	expect("full", 131)
	h.Scan(0, 1, 63)
	expect("scan over the end of a word", 3)
	for key := range h.All() { // the first slot
		h.Delete(key)
		break
	}
	key := uint64(1000)
	for share(hash(key), 130)/64 != 1 {
		key++
	}
	mustInsert(t, h, key)
	expect("new record, its free slot two words on", 4+129+3)
}
