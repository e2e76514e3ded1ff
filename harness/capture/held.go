package capture

import (
	"slices"
	"time"

	"github.com/inalab/inalab/internal/pcapfile"
)

// held is a frame that waits for what is decided on it.
type held struct {
	packet  pcapfile.NgPacket
	f       fields
	at      int64 // nanoseconds of the packet's time
	decided bool  // the switch took it, or refused it
	sent    string
}

// queue holds frames in order of time, and finds them by what they belong to.
type queue struct {
	list  []*held // from head on
	head  int
	bytes int
	in    map[key][]*held // towards a switch, in order of time
	out   map[key][]*held // from one
}

func newQueue() queue { return queue{in: map[key][]*held{}, out: map[key][]*held{}} }

func (q *queue) len() int { return len(q.list) - q.head }

// side returns the index that a frame is in.
func (q *queue) side(h *held) map[key][]*held {
	if h.packet.Direction == pcapfile.Inbound {
		return q.in
	}
	return q.out
}

// add puts a frame behind all that are not younger. Frames of several sockets come nearly in order.
func (q *queue) add(h *held) {
	insert := func(list []*held, from int) []*held {
		at := len(list)
		for at > from && list[at-1].at > h.at {
			at--
		}
		return slices.Insert(list, at, h)
	}
	q.list = insert(q.list, q.head)
	q.bytes += len(h.packet.Data)
	if h.f.ours {
		side := q.side(h)
		side[h.f.of] = insert(side[h.f.of], 0)
	}
}

// oldest returns the frame that goes next; nil: there is none.
func (q *queue) oldest() *held {
	if q.len() == 0 {
		return nil
	}
	return q.list[q.head]
}

// take removes the oldest frame.
func (q *queue) take() *held {
	h := q.list[q.head]
	q.list[q.head] = nil
	if q.head++; q.head > 1024 && q.head > len(q.list)/2 {
		q.list, q.head = append(q.list[:0], q.list[q.head:]...), 0
	}
	q.bytes -= len(h.packet.Data)
	if h.f.ours {
		side := q.side(h)
		left := slices.DeleteFunc(side[h.f.of], func(o *held) bool { return o == h })
		if side[h.f.of] = left; len(left) == 0 {
			delete(side, h.f.of)
		}
	}
	return h
}

// ring keeps the newest packets within a limit of bytes.
type ring struct {
	limit  int // zero: there is no ring
	list   []pcapfile.NgPacket
	head   int
	bytes  int
	pushed uint64 // packets that had to go
}

// overhead is what a packet takes beside its bytes, in memory and in the file (assumed).
const overhead = 96

func sizeOf(p *pcapfile.NgPacket) int {
	n := len(p.Data) + overhead
	for _, c := range p.Comments {
		n += len(c)
	}
	return n
}

func (r *ring) put(p pcapfile.NgPacket) {
	r.list = append(r.list, p)
	r.bytes += sizeOf(&p)
	for r.bytes > r.limit && len(r.list)-r.head > 1 {
		r.bytes -= sizeOf(&r.list[r.head])
		r.list[r.head] = pcapfile.NgPacket{}
		r.head++
		r.pushed++
	}
	if r.head > 1024 && r.head > len(r.list)/2 {
		r.list, r.head = append(r.list[:0], r.list[r.head:]...), 0
	}
}

// stamp returns the time of a packet whose clock reads so many nanoseconds.
func stamp(ns int64) time.Time { return time.Unix(0, ns).UTC() }
