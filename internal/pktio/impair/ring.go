package impair

// ring is a first-in-first-out list that reuses its memory: what was dropped
// stays there until it is overwritten. The zero value is empty.
type ring[T any] struct {
	buf  []T // its length is a power of two, or zero
	head int // index of the front, modulo len(buf)
	n    int
}

const minRing = 16

func (r *ring[T]) len() int { return r.n }

// front returns the oldest element; there must be one.
func (r *ring[T]) front() *T { return &r.buf[r.head&(len(r.buf)-1)] }

// back returns the newest element; there must be one.
func (r *ring[T]) back() *T { return &r.buf[(r.head+r.n-1)&(len(r.buf)-1)] }

func (r *ring[T]) push(v T) { *r.add() = v }

// add makes room for a newest element and returns it, with any contents.
func (r *ring[T]) add() *T {
	if r.n == len(r.buf) {
		r.grow()
	}
	r.n++
	return r.back()
}

// drop takes the oldest element out.
func (r *ring[T]) drop() {
	r.head = (r.head + 1) & (len(r.buf) - 1)
	r.n--
}

func (r *ring[T]) grow() {
	buf := make([]T, max(minRing, 2*len(r.buf)))
	k := copy(buf, r.buf[r.head:])
	copy(buf[k:], r.buf[:r.head])
	r.buf, r.head = buf, 0
}

// nth returns an element by its age, the oldest first.
func (r *ring[T]) nth(i int) *T { return &r.buf[(r.head+i)&(len(r.buf)-1)] }
