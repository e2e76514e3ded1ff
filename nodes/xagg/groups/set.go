package groups

// set is a set of indexes from 1 on.
type set []uint64

func newSet(n uint32) set { return make(set, n/64+1) }

func (s set) has(i uint32) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s set) add(i uint32)      { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i uint32)   { s[i/64] &^= 1 << (i % 64) }
