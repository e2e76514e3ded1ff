// Package toy is a small and complete system: all-reduce by stop-and-wait. A
// worker has one block on its way; the switch adds up the workers' blocks and
// sends the sum to all when the last is in. Lost packets stay lost.
package toy

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/nodes/gradient"
)

// port is both ends' UDP port (dynamic range, RFC 6335). A packet is the block's
// number, counted through the run, and its int32 values in network order.
const port, seqLen = 49400, 8

// end is what both ends have. Its exported fields cross to their processes.
type end struct {
	Workers, Blocks, Values int // Values: of a block
	Header                  []byte
	To                      []sansio.Port

	seq   uint64 // of the block at hand
	count sansio.Tally
}

func (e *end) Ports() []sansio.Port               { return e.To }
func (e *end) Counters() []sansio.Count           { return e.count.List() }
func (e *end) NextDeadline() units.Time           { return units.Never }
func (e *end) Expire(units.Time, *sansio.Effects) {}

// core is a worker's end. It meets worker.Collective.
type core struct {
	end
	rec     gradient.Recorder // of the oracle; may be nil
	q, sums []int32           // whole blocks
}

func (c *core) Begin(_ units.Time, _ int, grad []float32, eff *sansio.Effects) {
	gradient.Fixed{}.Quantise(c.q[:len(grad)], grad)
	c.send(eff)
}

func (c *core) send(eff *sansio.Effects) {
	payload := eff.Body(seqLen + 4*c.Values)
	binary.BigEndian.PutUint64(payload, c.seq)
	vec.PutBE(payload[seqLen:], c.block(c.q))
	eff.Emit(c.To, c.Header, payload)
	c.count.Add("toy-sent", 1)
}

func (c *core) block(of []int32) []int32 {
	b := int(c.seq % uint64(c.Blocks))
	return of[b*c.Values : (b+1)*c.Values]
}

// Handle takes the sum of the block in flight and sends the next.
func (c *core) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		for f := range in[i].Train.Frames() {
			p := in[i].Train.Payload(f)
			if len(p) != seqLen+4*c.Values || binary.BigEndian.Uint64(p) != c.seq {
				c.count.Add("toy-unexpected", 1)
				continue
			}
			vec.GetBE(c.block(c.sums), p[seqLen:])
			if c.seq++; c.seq%uint64(c.Blocks) > 0 {
				c.send(eff)
			}
		}
	}
}

func (c *core) Complete(gen int) bool { return c.seq == uint64(gen+1)*uint64(c.Blocks) }

// Finish hands the tensors to the function that it returns, and takes new ones.
func (c *core) Finish(gen int) (result.Outcome, func(mean []float32)) {
	q, sums := c.q, c.sums
	c.q, c.sums = make([]int32, len(q)), make([]int32, len(q))
	return result.Outcome{Contributed: true}, func(mean []float32) {
		if c.rec != nil {
			c.rec.Sent(gen, q[:len(mean)])
			c.rec.Delivered(gen, sums[:len(mean)])
		}
		gradient.Fixed{}.Mean(mean, sums[:len(mean)], c.Workers)
	}
}
