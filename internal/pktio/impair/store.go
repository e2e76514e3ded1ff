package impair

// Sizes of chunks in bytes: they double from the first to the last, so that an
// idle link of a large virtual topology costs little and a busy one allocates
// seldom. The largest holds several of the largest trains.
const (
	minChunk = 4 << 10
	maxChunk = 256 << 10
)

// store holds copies that are made and given up in one order, first in first
// out, without allocating once it has seen its peak. Its chunks are kept at
// that peak.
//
//	chunks   | given up | live ... live | live ... free |      spare | ... |
//	           front: to recycle          back: to fill
type store struct {
	chunks ring[*chunk]
	spare  []*chunk
	next   int // size of the next new chunk
}

type chunk struct {
	mem  []byte // its length is what is handed out
	live int    // copies not yet given up
}

// alloc returns n bytes and the chunk they are from. They are the caller's
// until the first recycle after he has taken one from the chunk's live.
func (s *store) alloc(n int) ([]byte, *chunk) {
	c := s.room(n)
	lo := len(c.mem)
	c.mem = c.mem[:lo+n]
	c.live++
	return c.mem[lo : lo+n : lo+n], c
}

// room returns the chunk to fill, one with n free bytes.
func (s *store) room(n int) *chunk {
	if s.chunks.len() > 0 {
		if c := *s.chunks.back(); len(c.mem)+n <= cap(c.mem) {
			return c
		}
	}
	c := s.fresh(n)
	s.chunks.push(c)
	return c
}

// fresh returns an empty chunk of at least n bytes; spare chunks that are too
// small are given up for a larger one.
func (s *store) fresh(n int) *chunk {
	for len(s.spare) > 0 {
		last := len(s.spare) - 1
		c := s.spare[last]
		s.spare[last] = nil
		s.spare = s.spare[:last]
		if cap(c.mem) >= n {
			return c
		}
	}
	s.next = min(max(2*s.next, minChunk), maxChunk)
	return &chunk{mem: make([]byte, 0, max(s.next, n))}
}

// recycle takes back the oldest chunks, as far as all their copies are given up.
func (s *store) recycle() {
	for s.chunks.len() > 0 {
		c := *s.chunks.front()
		if c.live > 0 {
			return
		}
		c.mem = c.mem[:0]
		if s.chunks.len() == 1 {
			return // go on filling it
		}
		s.chunks.drop()
		s.spare = append(s.spare, c)
	}
}
