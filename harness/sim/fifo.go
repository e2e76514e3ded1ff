package sim

import "github.com/inalab/inalab/internal/sansio"

// fifo holds copies of trains on their way to a node at the current instant.
type fifo struct {
	items []item
	head  int
	taken int      // items of the batch at hand
	spare [][]byte // buffers for reuse
}

type item struct {
	to    peer
	train sansio.Train
	buf   []byte
}

func (f *fifo) len() int { return len(f.items) - f.head }

// put copies the train.
func (f *fifo) put(to peer, t sansio.Train) {
	need := len(t.Header) + len(t.Body)
	var buf []byte
	if last := len(f.spare) - 1; last >= 0 {
		buf, f.spare = f.spare[last], f.spare[:last]
	}
	if cap(buf) < need {
		buf = make([]byte, 0, need)
	}
	buf = append(append(buf[:0], t.Header...), t.Body...)
	t.Header, t.Body = buf[:len(t.Header):len(t.Header)], buf[len(t.Header):]
	f.items = append(f.items, item{to: to, train: t, buf: buf})
}

// take returns the trains at the head that go to one node, as one batch; they
// are valid until release.
func (f *fifo) take(batch []sansio.Arrival) (NodeID, []sansio.Arrival) {
	to := f.items[f.head].to.node
	for i := f.head; i < len(f.items) && f.items[i].to.node == to; i++ {
		batch = append(batch, sansio.Arrival{Port: f.items[i].to.port, Train: f.items[i].train})
		f.taken++
	}
	return to, batch
}

func (f *fifo) release() {
	for i := range f.taken {
		f.spare = append(f.spare, f.items[f.head+i].buf)
	}
	f.head += f.taken
	f.taken = 0
	if f.head == len(f.items) {
		f.items, f.head = f.items[:0], 0
	}
}
