package impair

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// lane is frames in flight that arrive in the order in which they were sent. They lie in two rings
// of one order: parcels, the runs of frames that were kept together, and dues, the time of each frame
// of these runs.
type lane struct {
	parcels ring[parcel]
	dues    ring[units.Time]
	store   store
}

// parcel is a run of frames of one input train, kept until all have left.
type parcel struct {
	train  sansio.Train
	frames int              // of the train
	left   int              // frames that have left
	chunk  *chunk           // of the store, that the body is in; nil where it has a memory of its own
	header [headerHere]byte // memory of the train's header, where there is room
}

// headerHere is the length of the headers that a parcel has room for: Ethernet,
// IPv4, and TCP with a time stamp (RFC 7323), rounded up. Longer ones are seldom.
const headerHere = 72

// due returns when the first frame arrives, or [units.Never].
func (n *lane) due() units.Time {
	if n.dues.len() == 0 {
		return units.Never
	}
	return *n.dues.front()
}

// keep stores frames i to j-1 of t, the latest in dues: their header in the
// parcel, and their body in the store, or where it is if that is kept.
func (n *lane) keep(t *sansio.Train, i, j, of int) *parcel {
	p := n.parcels.add()
	p.frames, p.left, p.chunk = j-i, 0, nil
	if j-i < of {
		p.train = t.Sub(i, j, p.header[:0])
	} else {
		p.train.Set(t)
		p.train.Header = append(p.header[:0], t.Header...)
	}
	if p.train.Memory != nil {
		p.train.Memory.Keep()
		return p
	}
	var mem []byte
	mem, p.chunk = n.store.alloc(len(p.train.Body))
	copy(mem, p.train.Body)
	p.train.Body = mem
	return p
}
