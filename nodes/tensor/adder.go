package tensor

import (
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/vec"
)

// Adder adds up the tensors that come by several streams. A slice of the sums is ready as soon as all
// streams have brought theirs. The adder holds sums of the whole tensor, as XAgg's Algorithm 1 does.
//
//	stream 0 --slice 0--slice 1-->  +---------+
//	stream 1 --slice 0----------->  | 2  1  0 |  slice 0 is complete, and is sent on
//	                                +---------+
//
// A stream starts a generation when the sums of the one before are at its far end, so that every
// slice of that was complete. One that starts earlier is out of step.
type Adder struct {
	kind, slice int
	part        Part // in memory of its own, from byte 0 on
	sum         []byte
	gen         int // that is added up, or was last
	from        []contributor
	counts      []int // streams that each slice has come from
	done        int   // slices that are complete
}

// contributor is how far one stream is.
type contributor struct {
	in  Inlet
	gen int // that was added last
}

// NewAdder returns the adder of a part that comes by so many streams, in messages of a kind, and is
// added in slices of so many bytes, a multiple of 4.
func NewAdder(streams, kind int, p Part, slice int) *Adder {
	p.Lo, p.Hi = 0, p.Hi-p.Lo
	a := &Adder{
		kind: kind, slice: slice, part: p, sum: make([]byte, p.Hi), gen: -1,
		from: slices.Repeat([]contributor{{gen: -1}}, streams), counts: make([]int, (p.Bytes()+slice-1)/slice),
	}
	a.done = len(a.counts)
	return a
}

// Take takes bytes of a stream, and calls ready with each slice that they complete.
func (a *Adder) Take(stream int, t *sansio.Train, ready func(Slice)) Fault {
	f := &a.from[stream]
	return f.in.Take(t, func(rx *Reader) State {
		if f.gen == a.gen && a.done < len(a.counts) {
			return Wrong
		}
		s, values, state := rx.Next(Header{Gen: f.gen + 1, Kind: a.kind, Bytes: a.part.Bytes()}, a.part, a.slice)
		if state == Ready {
			a.add(f, s, values, ready)
		}
		return state
	})
}

// Push takes the tensor of a contributor that has no stream: its values.
func (a *Adder) Push(contributor int, values []byte, ready func(Slice)) {
	for off := 0; off < a.part.Bytes(); off += a.slice {
		s := a.part.Slice(off, a.slice)
		a.add(&a.from[contributor], s, values[s.Lo:s.Hi], ready)
	}
}

// add adds a slice of a contributor, which may be the first of its generation.
func (a *Adder) add(f *contributor, s Slice, values []byte, ready func(Slice)) {
	if f.gen == a.gen {
		a.gen++
		a.done = 0
		clear(a.sum)
		clear(a.counts)
	}
	if s.Last {
		f.gen++
	}
	vec.AddBE(a.sum[s.Lo:s.Hi], values)
	k := s.Off / a.slice
	if a.counts[k]++; a.counts[k] == len(a.from) {
		a.done++
		ready(s)
	}
}

// Sums returns the sums of a slice that is ready, valid until the next generation.
func (a *Adder) Sums(s Slice) []byte { return a.sum[s.Lo:s.Hi] }

// Send sends the sums of a slice that is ready by ports, in a message of a kind, whose header goes
// before the first slice.
func (a *Adder) Send(to []sansio.Port, kind int, s Slice, eff *sansio.Effects) {
	var h *Header
	if s.Off == 0 {
		h = &Header{Gen: a.gen, Kind: kind, Bytes: a.part.Bytes()}
	}
	Send(to, h, a.sum, s.Part, eff)
}
