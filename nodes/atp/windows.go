package atp

import "github.com/inalab/inalab/internal/sansio"

// windows says what the windows of all streams of a worker were, each time that one got parameters.
type windows struct {
	sum, acks   uint64
	least, most int // packets
}

// note takes in the window of a stream.
func (w *windows) note(size int) {
	if w.acks == 0 {
		w.least = size
	}
	w.least, w.most = min(w.least, size), max(w.most, size)
	w.sum += uint64(size)
	w.acks++
}

// list returns that as counters; none before the first parameters.
func (w *windows) list() []sansio.Count {
	if w.acks == 0 {
		return nil
	}
	return []sansio.Count{
		{Name: CountWindowSum, N: w.sum}, {Name: CountWindowAcks, N: w.acks},
		{Name: CountWindowLeast, N: uint64(w.least)}, {Name: CountWindowMost, N: uint64(w.most)},
	}
}
