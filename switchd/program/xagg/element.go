package xagg

import (
	"encoding/binary"

	wire "github.com/inalab/inalab/internal/wire/xagg"
)

// Element is an entry of the array map (§IV-B, Fig 4), with the iteration that it is of. Without a
// bit it was never used.
type Element struct {
	Bitmap    uint32
	Counter   uint16 // packets in the sum
	Iteration uint16
	Values    []int32
}

// has reports whether bits are all set.
func (e *Element) has(required uint32) bool { return e.Bitmap&required == required }

// judge returns what a packet is to an element: Added, Resent, Duplicate, Stale or Early.
func (e *Element) judge(h wire.Header, covers, required uint32, w Window) Counter {
	if !e.of(h.Iteration) {
		return e.begin(h.Iteration, w)
	}
	switch {
	case e.Bitmap&covers == 0:
		return Added
	case h.Flags.Has(wire.Retransmit) && e.has(required):
		return Resent
	}
	return Duplicate
}

// of reports whether an element is in use for an iteration.
func (e *Element) of(iteration uint16) bool { return e.Bitmap != 0 && e.Iteration == iteration }

// begin judges a packet of another iteration than the element's. An element from before the window is
// behind every packet in it, however far the numbers have wrapped since.
func (e *Element) begin(iteration uint16, w Window) Counter {
	switch {
	case !w.has(iteration) && int16(iteration-w.Current) < 0:
		return Stale
	case !w.has(iteration):
		return Early
	case e.Bitmap != 0 && w.has(e.Iteration) && int16(iteration-e.Iteration) < 0:
		return Stale
	}
	return Added
}

func (w Window) has(iteration uint16) bool { return iteration-w.Current <= w.Ahead }

// add sums the n values of a packet, after a reset if the element is of another iteration, and
// returns how many sums wrapped.
func (e *Element) add(iteration uint16, covers uint32, values []byte, n int) (overflows uint64) {
	if !e.of(iteration) {
		e.Bitmap, e.Counter, e.Iteration = 0, 0, iteration
		if e.Values == nil {
			e.Values = make([]int32, n)
		}
		clear(e.Values)
	}
	e.Bitmap |= covers
	e.Counter++
	for i, old := range e.Values {
		v := int32(binary.BigEndian.Uint32(values[4*i:]))
		sum := old + v
		if (old^sum)&(v^sum) < 0 {
			overflows++
		}
		e.Values[i] = sum
	}
	return overflows
}
