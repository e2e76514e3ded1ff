// Package toy is a small and complete system: all-reduce by stop-and-wait. A worker
// has one block on its way; the switch answers the last with the sum. Losses stay.
package toy

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/nodes/gradient"
)

// Port is both ends' UDP port for job 1 (dynamic range, RFC 6335). A packet is the
// block's number, counted through the run, and its int32 values in network order.
const Port, seqLen = 49400, 8

// End is what both ends have. Its exported fields cross to their processes.
type End struct {
	sansio.Untimed
	Port                    uint16
	Workers, Blocks, Values int // Values: of a block
	Header                  []byte
	To                      []sansio.Port

	seq   uint64 // of the block at hand
	count sansio.Tally
}

func (e *End) Ports() []sansio.Port     { return e.To }
func (e *End) Counters() []sansio.Count { return e.count.List() }

// Core is a worker's end. It meets worker.Collective.
type Core struct {
	End
	rec     gradient.Recorder // of the oracle; may be nil
	Q, Sums []int32           // quantised tensor, and its sums so far; whole blocks
}

func (c *Core) Begin(_ units.Time, _ int, grad []float32, eff *sansio.Effects) {
	gradient.Fixed{}.Quantise(c.Q[:len(grad)], grad)
	c.send(eff)
}

func (c *Core) send(eff *sansio.Effects) {
	payload := eff.Body(seqLen + 4*c.Values)
	binary.BigEndian.PutUint64(payload, c.seq)
	vec.PutBE(payload[seqLen:], c.block(c.Q))
	eff.Emit(c.To, c.Header, payload)
	c.count.Add("toy-sent", 1)
}

func (c *Core) block(tensor []int32) []int32 {
	b := int(c.seq % uint64(c.Blocks))
	return tensor[b*c.Values : (b+1)*c.Values]
}

// Handle takes the sum of the block at hand and sends the next.
func (c *Core) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		for f := range in[i].Train.Frames() {
			p := in[i].Train.Payload(f)
			if len(p) != seqLen+4*c.Values || binary.BigEndian.Uint64(p) != c.seq {
				c.count.Add("toy-unexpected", 1)
				continue
			}
			vec.GetBE(c.block(c.Sums), p[seqLen:])
			if c.seq++; c.seq%uint64(c.Blocks) > 0 {
				c.send(eff)
			}
		}
	}
}

func (c *Core) Complete(gen int) bool { return c.seq == uint64(gen+1)*uint64(c.Blocks) }

// Finish hands the tensors to the function that it returns, and takes new ones.
func (c *Core) Finish(gen int) (result.Outcome, func(mean []float32)) {
	q, sums := c.Q, c.Sums
	c.Q, c.Sums = make([]int32, len(q)), make([]int32, len(q))
	return result.Outcome{Contributed: true}, func(mean []float32) {
		if c.rec != nil {
			c.rec.Sent(gen, q[:len(mean)])
			c.rec.Delivered(gen, sums[:len(mean)])
		}
		gradient.Fixed{}.Mean(mean, sums[:len(mean)], c.Workers)
	}
}
