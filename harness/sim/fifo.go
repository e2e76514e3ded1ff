package sim

import (
	"bytes"

	"github.com/inalab/inalab/internal/sansio"
)

// fifo holds trains on their way to a node at the current instant.
type fifo struct {
	items   []sansio.Arrival
	nodes   []NodeID // that each goes to
	head    int
	taken   int    // items of the batch at hand
	headers []byte // memory of the headers, used again when the fifo is empty
}

func (f *fifo) len() int { return len(f.items) - f.head }

// put adds a train: its header is copied, its body kept, or copied where it is
// borrowed.
func (f *fifo) put(to peer, t *sansio.Train) {
	f.nodes = append(f.nodes, to.node)
	n := len(f.items)
	if n == cap(f.items) {
		f.items = append(f.items, sansio.Arrival{})
	}
	f.items = f.items[:n+1]
	f.items[n].Port = to.port
	in := &f.items[n].Train
	in.Set(t)
	lo := len(f.headers)
	f.headers = append(f.headers, t.Header...)
	in.Header = f.headers[lo:len(f.headers):len(f.headers)]
	if t.Memory == nil {
		in.Body = bytes.Clone(t.Body)
	} else {
		t.Memory.Keep()
	}
}

// take returns the trains at the head that go to one node, as one batch, valid
// until the next put.
func (f *fifo) take() (NodeID, []sansio.Arrival) {
	to, end := f.nodes[f.head], f.head
	for end < len(f.nodes) && f.nodes[end] == to {
		end++
	}
	f.taken = end - f.head
	return to, f.items[f.head:end:end]
}

// release forgets the batch that was taken.
func (f *fifo) release() {
	for i := range f.taken {
		if m := f.items[f.head+i].Train.Memory; m != nil {
			m.Drop()
		}
	}
	f.head += f.taken
	f.taken = 0
	if f.head == len(f.items) {
		f.items, f.nodes, f.head, f.headers = f.items[:0], f.nodes[:0], 0, f.headers[:0]
	}
}
