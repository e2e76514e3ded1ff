package reference

// maxTombstones bounds the number of done blocks that are remembered: a tensor of
// 2^20 blocks has 4 GiB at 1024 gradients each.
const maxTombstones = 1 << 20

// tombstones is a set of blocks. Those of tensors count from 0, so that a bit for
// each up to the highest does; whatever else a packet may name stands in a map,
// which is looked up, never ranged. The zero value is empty.
type tombstones struct {
	dense  []uint64
	sparse map[uint32]bool
	n      int
}

func (t *tombstones) has(block uint32) bool {
	if block >= maxTombstones {
		return t.sparse[block]
	}
	return int(block/64) < len(t.dense) && t.dense[block/64]>>(block%64)&1 == 1
}

// add puts a block in; it reports false where there is no room for that.
func (t *tombstones) add(block uint32) bool {
	switch {
	case t.has(block):
		return true
	case t.n == maxTombstones:
		return false
	}
	t.n++
	if block >= maxTombstones {
		if t.sparse == nil {
			t.sparse = map[uint32]bool{}
		}
		t.sparse[block] = true
		return true
	}
	if word := int(block / 64); word >= len(t.dense) {
		t.dense = append(t.dense, make([]uint64, word+1-len(t.dense))...)
	}
	t.dense[block/64] |= 1 << (block % 64)
	return true
}

// clear takes all blocks out.
func (t *tombstones) clear() {
	clear(t.dense)
	clear(t.sparse)
	t.n = 0
}
