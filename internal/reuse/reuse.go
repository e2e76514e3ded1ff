// Package reuse keeps memory that is lent and comes back: of large buffers, of which a new
// one would be fetched from the kernel page by page in the middle of other work. A page
// costs a microsecond and more, a tensor has hundreds.
//
//	Take ---> in use ---> Lend ---> lent ---> Returned ---> free ---> Take
//
// What is lent comes back in the order in which it was lent. Left out: locks. One goroutine
// owns a list; it learns from its caller that a borrower is done.
package reuse

// List is memory that is lent, and that may be taken again. The zero List is empty.
type List[T any] struct {
	lent []T
	free []T
}

// Take returns what is free; false if nothing is.
func (l *List[T]) Take() (x T, ok bool) {
	last := len(l.free) - 1
	if last < 0 {
		return x, false
	}
	x = l.free[last]
	l.free = l.free[:last]
	return x, true
}

// Free adds what nobody uses.
func (l *List[T]) Free(x T) { l.free = append(l.free, x) }

// Lend notes that x is with a borrower.
func (l *List[T]) Lend(x T) { l.lent = append(l.lent, x) }

// Returned frees the n that were lent first. More than were lent is all of them.
func (l *List[T]) Returned(n int) {
	n = min(n, len(l.lent))
	l.free = append(l.free, l.lent[:n]...)
	l.lent = l.lent[:copy(l.lent, l.lent[n:])]
}

// Touched returns n zeroed elements whose memory is there: all its pages have been written.
func Touched[T any](n int) []T {
	s := make([]T, n)
	clear(s)
	return s
}
