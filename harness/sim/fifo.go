package sim

import (
	"bytes"

	"github.com/inalab/inalab/internal/sansio"
)

// fifo holds trains on their way to a node at the current instant.
type fifo struct {
	items   []item
	head    int
	taken   int    // items of the batch at hand
	headers []byte // memory of the headers, used again when the fifo is empty
}

type item struct {
	to    peer
	train sansio.Train
}

func (f *fifo) len() int { return len(f.items) - f.head }

// put adds a train: its header is copied, its body kept, or copied where it is
// borrowed.
func (f *fifo) put(to peer, t sansio.Train) {
	lo := len(f.headers)
	f.headers = append(f.headers, t.Header...)
	t.Header = f.headers[lo:len(f.headers):len(f.headers)]
	if t.Memory == nil {
		t.Body = bytes.Clone(t.Body)
	} else {
		t.Memory.Keep()
	}
	f.items = append(f.items, item{to: to, train: t})
}

// take returns the trains at the head that go to one node, as one batch.
func (f *fifo) take(batch []sansio.Arrival) (NodeID, []sansio.Arrival) {
	to := f.items[f.head].to.node
	for i := f.head; i < len(f.items) && f.items[i].to.node == to; i++ {
		batch = append(batch, sansio.Arrival{Port: f.items[i].to.port, Train: f.items[i].train})
		f.taken++
	}
	return to, batch
}

// release forgets the batch that was taken.
func (f *fifo) release() {
	for i := range f.taken {
		if m := f.items[f.head+i].train.Memory; m != nil {
			m.Drop()
		}
	}
	f.head += f.taken
	f.taken = 0
	if f.head == len(f.items) {
		clear(f.items)
		f.items, f.head, f.headers = f.items[:0], 0, f.headers[:0]
	}
}
