package idiom

import "github.com/inalab/inalab/switchd/microcode/isa"

// classify finds the kind of stream that the transfers are; false for none.
func (r *loopReader) classify() bool {
	t, n := r.transfers, len(r.transfers)
	switch {
	case n == 1 && t[0].xtxn == isa.MemWrite:
		return r.kind(LMEMToMemory, &t[0], &t[0]) && r.walks()
	case n == 1 && t[0].xtxn == isa.MemAdd32:
		return r.gradients(&t[0])
	case n >= 2 && t[0].xtxn == isa.TailRead:
		r.offset = t[0].offset
		return r.kind(TailToSums, &t[0], &t[1]) && covers(t[1:], isa.MemAdd32, &t[0]) && r.walks() && r.reads()
	case n >= 2 && t[n-1].xtxn == isa.TailWrite:
		r.offset = t[n-1].offset
		return r.kind(SumsToTail, &t[n-1], &t[0]) && covers(t[:n-1], isa.MemRead, &t[n-1]) && r.walks() && r.reads()
	}
	return false
}

// kind sets the shape of a stream, whose buffer is that of one transfer and whose place
// that of another; false if the buffer moves.
func (r *loopReader) kind(k StreamKind, buffer, memory *transfer) bool {
	at, fixed := buffer.lmem.fixed()
	r.shape = Stream{Kind: k, LMEM: int32(at), Len: int32(buffer.len)}
	r.sums = memory.place
	return fixed
}

// gradients is a loop that adds LMEM itself to memory, piece by piece.
func (r *loopReader) gradients(t *transfer) bool {
	if r.kind(LMEMToSums, t, t) {
		return false // the same piece again and again
	}
	r.shape.LMEM, r.lmem = 0, t.lmem
	by, plain := r.stride(&t.lmem)
	return plain && by == t.len && t.lmem.whole() && r.walks()
}

// walks reports whether each iteration goes on in memory where the last one ended.
func (r *loopReader) walks() bool {
	by, plain := r.stride(&r.sums.term)
	return plain && by != 0 && by*r.sums.unit == uint64(r.shape.Len)
}

// reads reports whether each iteration goes on in the tail where the last one ended.
func (r *loopReader) reads() bool {
	by, plain := r.stride(&r.offset)
	return plain && by == uint64(r.shape.Len)
}

// covers reports whether transfers of one kind, from places that follow each other, are of
// the buffer of another one from its first byte to its last.
func covers(list []transfer, kind isa.XTXN, whole *transfer) bool {
	at, _ := whole.lmem.fixed()
	n := uint64(0)
	for i := range list {
		t := &list[i]
		lmem, fixed := t.lmem.fixed()
		behind, same := t.place.from(&list[0].place)
		if t.xtxn != kind || !fixed || !same || lmem != at+n || behind != n {
			return false
		}
		n += t.len
	}
	return n == whole.len
}
