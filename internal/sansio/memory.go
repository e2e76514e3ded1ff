package sansio

// Memory is a piece of memory that bodies of packets live in, with the number
// of those who keep one. A driver that passes trains on inside its process lends
// it out through an [Effects] that is Keeping, so that nothing is copied from
// hop to hop. It is not for use by several goroutines.
type Memory struct {
	buf     []byte // its length is what is handed out
	keepers int
	home    *[]*Memory // where it goes when nobody keeps it any more
}

// Keep adds a keeper.
func (m *Memory) Keep() { m.keepers++ }

// Drop takes a keeper off.
func (m *Memory) Drop() {
	if m.keepers--; m.keepers == 0 {
		m.buf = m.buf[:0]
		*m.home = append(*m.home, m)
	}
}

// holds reports whether b, a slice with all its capacity as the lender gave it,
// is of this memory: both end with the same byte then.
func (m *Memory) holds(b []byte) bool {
	n, all := cap(b), cap(m.buf)
	return n > 0 && &b[:n][n-1] == &m.buf[:all][all-1]
}

// lender hands out bodies from memory that is kept by those who still need it.
type lender struct {
	lent []*Memory // of the batch at hand, newest last; the lender keeps them
	free []*Memory
}

// memoryBytes is the size of a new Memory (assumed: small enough to stay in a
// processor's cache with a few of its kind, large enough for several trains).
const memoryBytes = 256 << 10

func (l *lender) alloc(n int) []byte {
	if last := len(l.lent) - 1; last >= 0 {
		if m := l.lent[last]; len(m.buf)+n <= cap(m.buf) {
			return m.take(n)
		}
	}
	m := l.fresh(n)
	m.keepers = 1
	l.lent = append(l.lent, m)
	return m.take(n)
}

func (m *Memory) take(n int) []byte {
	lo := len(m.buf)
	m.buf = m.buf[:lo+n]
	return m.buf[lo : lo+n]
}

func (l *lender) fresh(n int) *Memory {
	if last := len(l.free) - 1; last >= 0 {
		m := l.free[last]
		l.free = l.free[:last]
		if cap(m.buf) >= n {
			return m
		}
	}
	return &Memory{buf: make([]byte, 0, max(memoryBytes, n)), home: &l.free}
}

// owner returns the memory that b is from, or nil.
func (l *lender) owner(b []byte) *Memory {
	for i := len(l.lent) - 1; i >= 0; i-- {
		if l.lent[i].holds(b) {
			return l.lent[i]
		}
	}
	return nil
}

// settle ends a batch: all memory but the newest goes to its keepers, and that
// is used from its start again where nobody else keeps it.
func (l *lender) settle() {
	last := len(l.lent) - 1
	if last < 0 {
		return
	}
	for _, m := range l.lent[:last] {
		m.Drop()
	}
	newest := l.lent[last]
	l.lent = append(l.lent[:0], newest)
	if newest.keepers == 1 {
		newest.buf = newest.buf[:0]
	}
}
