package atp

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/nodes/gradient"
)

// mean writes the mean gradient of a block whose sums are float32.
func mean(dst []float32, f gradient.Floats, workers int) {
	for i, v := range f.Values {
		dst[f.Lo+i] = float32(float64(v) / float64(workers))
	}
}

// asked takes in that a server wants a packet's values as float32, since a sum did not fit. What is
// int32 already has none: such a packet stays without parameters, and a counter says why.
func (s *stream) asked(now units.Time, packet uint64, eff *sansio.Effects) {
	c, f := s.core, s.at(packet)
	switch {
	case f.floats:
		c.count.Add(DropDuplicate, 1)
		return
	case c.cfg.Integers && f.tensor != nil:
		c.count.Add(CountRefused, 1)
		return
	}
	f.floats = true
	c.count.Add(CountFloats, 1)
	c.keep(f)
	s.again(now, packet, AsFloats, eff)
}

// keep notes for a recorder what is sent as float32: the gradient is borrowed.
func (c *Core) keep(f *fragment) {
	if _, ok := c.cfg.Recorder.(gradient.FloatRecorder); !ok || f.tensor == nil || !c.carries(f) {
		return
	}
	lo, hi := c.span(f.tensor, f.block)
	g := f.tensor.gen
	if slices.ContainsFunc(g.asked, func(b gradient.Floats) bool { return b.Lo == lo }) {
		return // in an earlier set-up
	}
	if g.joined {
		c.cfg.Recorder.(gradient.FloatRecorder).SentFloats(g.number, lo, g.grad[lo:hi])
	}
	g.asked = append(g.asked, gradient.Floats{Lo: lo, Values: slices.Clone(g.grad[lo:hi])})
}

// record tells a recorder of a generation that is complete.
func (g *generation) record(rec gradient.Recorder) {
	if f, ok := rec.(gradient.FloatRecorder); ok {
		for _, b := range g.asked {
			f.SentFloats(g.number, b.Lo, b.Values)
		}
		for _, b := range g.floats {
			f.DeliveredFloats(g.number, b.Lo, b.Values)
		}
	}
	rec.Sent(g.number, g.q)
	rec.Delivered(g.number, g.sums)
}

// putFloats writes a block as float32.
func putFloats(dst []byte, g []float32) {
	for i, v := range g {
		binary.BigEndian.PutUint32(dst[4*i:], math.Float32bits(v))
	}
}

// getFloats reads the sum of a block.
func getFloats(src []byte, at, n int) gradient.Floats {
	f := gradient.Floats{Lo: at, Values: make([]float32, n)}
	for i := range f.Values {
		f.Values[i] = math.Float32frombits(binary.BigEndian.Uint32(src[4*i:]))
	}
	return f
}

// store takes the sum of a block out of the values of a parameter packet.
func (c *Core) store(f *fragment, values []byte, isFloat bool) {
	g := f.tensor.gen
	lo, hi := c.span(f.tensor, f.block)
	if isFloat {
		g.floats = append(g.floats, getFloats(values, lo, hi-lo))
		return
	}
	vec.GetBE(g.sums[lo:hi], values[:4*(hi-lo)])
	if n := clipped(g.sums[lo:hi]); n > 0 {
		g.saturated += n
		c.count.Add(CountClipped, uint64(n))
	}
}

// clipped returns how many sums are at a limit of int32. That is what a switch leaves there which
// saturated; a true sum of that size cannot be told from it.
func clipped(sums []int32) (n int) {
	if slices.Max(sums) < math.MaxInt32 && slices.Min(sums) > math.MinInt32 {
		return 0
	}
	for _, v := range sums {
		if v == math.MaxInt32 || v == math.MinInt32 {
			n++
		}
	}
	return n
}
