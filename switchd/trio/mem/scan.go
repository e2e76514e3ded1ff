package mem

import "math/bits"

// Scanned is what one step of a scan has found.
type Scanned struct {
	Found  bool
	Ref    bool   // the record's REF flag as it was
	End    bool   // no record follows in this part
	Next   uint32 // cursor of the next step
	Record Addr
	Key    uint64
}

// Scan finds the first record at or after cursor in one of so many parts of the
// table, and clears its REF flag. A part is scanned from cursor 0 on, with the
// Next of each step as the cursor of the next, until End. Between steps records
// may come and go: one that is there from the first step to the last is met
// exactly once. Parts differ in size by at most one slot; a cursor beyond the
// part is its end.
func (t *Table) Scan(part, parts, cursor uint32) (Scanned, Fault) {
	if part >= parts {
		return Scanned{}, BadPart
	}
	start, end := t.part(part, parts)
	t.cost = Cost{}
	slot, looked := t.nextUsed(start+min(cursor, end-start), end)
	t.cost.Index = looked
	if slot == end {
		return Scanned{End: true, Next: end - start}, NoFault
	}
	bit := uint64(1) << (slot % 64)
	out := Scanned{Found: true, Ref: t.ref[slot/64]&bit != 0, Record: t.record(slot), Key: t.chain[slot].key}
	t.ref[slot/64] &^= bit
	following, looked := t.nextUsed(slot+1, end)
	if looked > 0 && (slot+1)%64 != 0 {
		looked-- // that word is at hand
	}
	t.cost.Index += looked + 1
	out.Next, out.End = following-start, following == end
	return out, NoFault
}

// part returns the slots of one of so many parts, without the end.
func (t *Table) part(part, parts uint32) (start, end uint32) {
	n := uint64(len(t.chain))
	return uint32(n * uint64(part) / uint64(parts)), uint32(n * (uint64(part) + 1) / uint64(parts))
}

// nextUsed returns the first slot with a record from slot on, or end, and how many
// words of flags it has looked at.
func (t *Table) nextUsed(slot, end uint32) (found uint32, looked int) {
	for slot < end {
		looked++
		if rest := t.used[slot/64] >> (slot % 64); rest != 0 {
			return min(end, slot+uint32(bits.TrailingZeros64(rest))), looked
		}
		slot = slot/64*64 + 64
	}
	return end, looked
}

// PartEmpty reports whether a part has no record; one that does not exist has
// none.
func (t *Table) PartEmpty(part, parts uint32) bool {
	if part >= parts {
		return true
	}
	start, end := t.part(part, parts)
	slot, _ := t.nextUsed(start, end)
	return slot == end
}
