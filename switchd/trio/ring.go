package trio

// ring is a first-in-first-out list that reuses its memory. The zero value is
// empty.
type ring[T any] struct {
	buf  []T // its length is a power of two, or zero
	head int // index of the front
	n    int
}

// minRing is the first size of a ring.
const minRing = 16

func (r *ring[T]) len() int { return r.n }

// front returns the oldest element; there must be one.
func (r *ring[T]) front() *T { return &r.buf[r.head] }

// at returns element i from the front; there must be one.
func (r *ring[T]) at(i int) *T { return &r.buf[(r.head+i)&(len(r.buf)-1)] }

func (r *ring[T]) push(v T) {
	if r.n == len(r.buf) {
		r.grow()
	}
	r.buf[(r.head+r.n)&(len(r.buf)-1)] = v
	r.n++
}

// pop takes the oldest element out; there must be one.
func (r *ring[T]) pop() T {
	var none T
	v := r.buf[r.head]
	r.buf[r.head] = none
	r.head = (r.head + 1) & (len(r.buf) - 1)
	r.n--
	return v
}

func (r *ring[T]) grow() {
	buf := make([]T, max(minRing, 2*len(r.buf)))
	k := copy(buf, r.buf[r.head:])
	copy(buf[k:], r.buf[:r.head])
	r.buf, r.head = buf, 0
}
