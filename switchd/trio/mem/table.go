package mem

import "iter"

const recordWords = RecordBytes / WordBytes

// none ends a chain.
const none = ^uint32(0)

// A Table is the hash unit. A slot is the place of one record, numbered in the
// order of addresses; a record keeps its slot until it is deleted.
type Table struct {
	mem   *Memory
	start Addr // of the record in slot 0

	heads []uint32 // by bucket: first slot of its chain, or none
	chain []entry  // by slot
	used  []uint64 // bits by slot: holds a record
	ref   []uint64 // bits by slot: Recently Referenced (trio §5)

	free []uint32 // ring of the slots without a record
	next int      // in free: the slot to be given out next
	n    int      // records

	cost Cost
}

type entry struct {
	key  uint64
	next uint32
}

// Cost is what an operation of the hash unit takes; package doc has the sums.
type Cost struct {
	Index  int  // accesses to the index
	Clears bool // a record was created, so zeroed
	Record Addr // which
}

func newTable(m *Memory, start Addr, records, buckets int) *Table {
	t := &Table{
		mem: m, start: start,
		heads: make([]uint32, buckets),
		chain: make([]entry, records),
		used:  make([]uint64, (records+63)/64),
		ref:   make([]uint64, (records+63)/64),
		free:  make([]uint32, records),
	}
	for i := range t.heads {
		t.heads[i] = none
	}
	step, slot := spread(records), 0
	for i := range t.free {
		t.free[i] = uint32(slot)
		slot = (slot + step) % records
	}
	return t
}

// spread returns how far apart slots that are given out one after the other
// are: near the golden section of n, which leaves gaps of few sizes however many
// are in use, and without a common divisor, so that every slot has its turn.
func spread(n int) int {
	for step := max(1, n*618/1000); ; step++ {
		a, b := n, step
		for b != 0 {
			a, b = b, a%b
		}
		if a == 1 {
			return step
		}
	}
}

// bucket mixes a key, so that keys which differ in few bits spread over all
// buckets: two rounds of shift, xor and multiplication by an odd constant.
func (t *Table) bucket(key uint64) *uint32 {
	key ^= key >> 32
	key *= 0xd6e8feb86659fd93
	key ^= key >> 32
	key *= 0xd6e8feb86659fd93
	key ^= key >> 32
	return &t.heads[(key&0xffffffff)*uint64(len(t.heads))>>32]
}

// Len returns the number of records.
func (t *Table) Len() int { return t.n }

// Cap returns how many records there can be.
func (t *Table) Cap() int { return len(t.chain) }

// Cost returns what the last Lookup, Insert, Delete or Scan takes.
func (t *Table) Cost() Cost { return t.cost }

func (t *Table) record(slot uint32) Addr { return t.start + Addr(slot)*recordWords }

// find walks a chain and returns the link that leads to the key's slot, or the
// last one. It counts the accesses to the head and to each entry.
func (t *Table) find(key uint64) (link *uint32, found bool) {
	t.cost = Cost{Index: 1}
	for link = t.bucket(key); *link != none; link = &t.chain[*link].next {
		t.cost.Index++
		if t.chain[*link].key == key {
			return link, true
		}
	}
	return link, false
}

// Lookup finds a record and sets its REF flag.
func (t *Table) Lookup(key uint64) (record Addr, found bool) {
	link, found := t.find(key)
	if !found {
		return 0, false
	}
	t.touch(*link)
	return t.record(*link), true
}

// touch sets a REF flag.
func (t *Table) touch(slot uint32) {
	t.ref[slot/64] |= 1 << (slot % 64)
	t.cost.Index++
}

// Peek finds a record and leaves its REF flag, for those who only watch.
func (t *Table) Peek(key uint64) (record Addr, found bool) {
	for slot := *t.bucket(key); slot != none; slot = t.chain[slot].next {
		if t.chain[slot].key == key {
			return t.record(slot), true
		}
	}
	return 0, false
}

// Insert finds a record, or else creates one of 64 zero bytes, in one step, and
// sets its REF flag. With ok false there is no such record and no room for one.
func (t *Table) Insert(key uint64) (record Addr, created, ok bool) {
	link, found := t.find(key)
	if found {
		t.touch(*link)
		return t.record(*link), false, true
	}
	if t.n == len(t.chain) {
		return 0, false, false
	}
	slot := t.free[t.next]
	t.next = (t.next + 1) % len(t.free)
	t.n++
	t.chain[slot] = entry{key, none}
	*link = slot
	t.used[slot/64] |= 1 << (slot % 64)
	t.ref[slot/64] |= 1 << (slot % 64)
	record = t.record(slot)
	t.mem.erase(record)
	t.cost.Index += 4 // free ring, entry, link to it, both flags
	t.cost.Clears, t.cost.Record = true, record
	return record, true, true
}

// Delete removes a record and reports whether there was one. Its bytes stay
// until the slot is given out again, after all slots that are free now.
func (t *Table) Delete(key uint64) bool {
	link, found := t.find(key)
	if !found {
		return false
	}
	slot := *link
	*link = t.chain[slot].next
	t.used[slot/64] &^= 1 << (slot % 64)
	t.ref[slot/64] &^= 1 << (slot % 64)
	t.free[(t.next+len(t.free)-t.n)%len(t.free)] = slot
	t.n--
	t.cost.Index += 3 // link, both flags, free ring
	return true
}

// All returns keys and records in the order of slots. The table must not be
// changed meanwhile. REF flags stay as they are.
func (t *Table) All() iter.Seq2[uint64, Addr] {
	return func(yield func(uint64, Addr) bool) {
		end := uint32(len(t.chain))
		for slot, _ := t.after(0, end); slot < end; slot, _ = t.after(slot+1, end) {
			if !yield(t.chain[slot].key, t.record(slot)) {
				return
			}
		}
	}
}
