package mem

import (
	"iter"
	"math/bits"
)

const recordWords = RecordBytes / WordBytes

// none ends a chain.
const none = ^uint32(0)

// A Table is the hash unit (trio §3.1): chained buckets with keys of 64 bits. A slot is the
// place of one record, numbered in the order of addresses; a record keeps it until it is deleted.
type Table struct {
	mem   *Memory
	start Addr // of the record in slot 0

	heads []uint32 // by bucket: first slot of its chain, or none
	chain []entry  // by slot
	used  []uint64 // bits by slot: holds a record; those behind the last slot are set
	ref   []uint64 // bits by slot: Recently Referenced (trio §5)
	n     int      // records

	cost Cost
}

type entry struct {
	key  uint64
	next uint32
}

// Cost is what an operation of the hash unit takes, in accesses to the index. k is the
// number of entries of the chain that it reads, f the number of words with the flags of
// 64 slots that it reads to find a free slot:
//
//	HashLookup                1 + k, and 1 for the flag of a hit
//	HashInsert, record exists 2 + k
//	HashInsert, new record    4 + k + f, and a write of 64 bytes to the record
//	HashInsert, table full    1 + k
//	HashDelete                1 + k, and 2 if there was a record
//	HashScan                  1 for each 64 slots begun, and 1 for the flag
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
	}
	for i := range t.heads {
		t.heads[i] = none
	}
	if rest := records % 64; rest != 0 {
		t.used[len(t.used)-1] = ^uint64(0) << rest
	}
	return t
}

// hash spreads keys evenly. Those that differ in the lower half alone, as the
// blocks of a job do, it puts a golden section apart, which leaves gaps of few
// sizes however many follow each other. The upper half is mixed: two rounds of
// multiplication by an odd constant, shift and xor.
func hash(key uint64) uint32 {
	const golden, odd = 0x9e3779b9, 0xd6e8feb86659fd93
	upper := key >> 32 * odd
	upper ^= upper >> 32
	upper *= odd
	return uint32(upper>>32) + uint32(key)*golden
}

// share returns which of n equal shares of all hashes h is in.
func share(h uint32, n int) uint32 { return uint32(uint64(h) * uint64(n) >> 32) }

func (t *Table) bucket(key uint64) *uint32 { return &t.heads[share(hash(key), len(t.heads))] }

// place returns the slot of a new record: of those that are free the first from
// that of the hash on, in a circle. So it depends on the key and on the records
// there are, and on nothing that has been. There must be a free slot.
func (t *Table) place(key uint64) uint32 {
	slot := share(hash(key), len(t.chain))
	word, below := slot/64, uint64(1)<<(slot%64)-1
	for free := ^t.used[word] &^ below; ; free = ^t.used[word] {
		t.cost.Index++
		if free != 0 {
			return word*64 + uint32(bits.TrailingZeros64(free))
		}
		if word++; word == uint32(len(t.used)) {
			word = 0
		}
	}
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

// Peek finds a record and leaves its REF flag, for observers.
func (t *Table) Peek(key uint64) (record Addr, found bool) {
	if slot := t.slotOf(key); slot != none {
		return t.record(slot), true
	}
	return 0, false
}

// Referenced reports whether a record is there and its REF flag is set, and leaves
// the flag.
func (t *Table) Referenced(key uint64) bool {
	slot := t.slotOf(key)
	return slot != none && t.ref[slot/64]>>(slot%64)&1 != 0
}

// slotOf returns the slot of a key, or none, without cost.
func (t *Table) slotOf(key uint64) uint32 {
	slot := *t.bucket(key)
	for slot != none && t.chain[slot].key != key {
		slot = t.chain[slot].next
	}
	return slot
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
	slot := t.place(key)
	t.n++
	t.chain[slot] = entry{key, none}
	*link = slot
	t.used[slot/64] |= 1 << (slot % 64)
	t.ref[slot/64] |= 1 << (slot % 64)
	record = t.record(slot)
	t.mem.zero(record)
	t.cost.Index += 3 // entry, link to it, both flags
	t.cost.Clears, t.cost.Record = true, record
	return record, true, true
}

// Delete removes a record and reports whether there was one. Its bytes stay
// until the slot is given out again.
func (t *Table) Delete(key uint64) bool {
	link, found := t.find(key)
	if !found {
		return false
	}
	slot := *link
	*link = t.chain[slot].next
	t.used[slot/64] &^= 1 << (slot % 64)
	t.ref[slot/64] &^= 1 << (slot % 64)
	t.n--
	t.cost.Index += 2 // link, both flags
	return true
}

// Rename gives a record another key; its place and its REF flag stay. It reports
// false, and does nothing, where there is none or the other key has one. It is for
// a control plane, and has no cost.
func (t *Table) Rename(from, to uint64) bool {
	before := t.cost
	defer func() { t.cost = before }()
	if _, taken := t.find(to); taken {
		return false
	}
	link, found := t.find(from)
	if !found {
		return false
	}
	slot := *link
	*link = t.chain[slot].next
	t.chain[slot] = entry{to, none}
	end, _ := t.find(to)
	*end = slot
	return true
}

// All returns keys and records in the order of slots. The table must not be
// changed meanwhile. REF flags stay as they are.
func (t *Table) All() iter.Seq2[uint64, Addr] {
	return func(yield func(uint64, Addr) bool) {
		end := uint32(len(t.chain))
		for slot, _ := t.nextUsed(0, end); slot < end; slot, _ = t.nextUsed(slot+1, end) {
			if !yield(t.chain[slot].key, t.record(slot)) {
				return
			}
		}
	}
}
