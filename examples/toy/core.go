// Package toy is a small and complete system, the example of docs/add-a-system.md:
// all-reduce by stop-and-wait. A worker has one block on its way; the switch adds
// up the workers' blocks and sends the sum to all when the last one is in. Lost
// packets are made up for: a worker sends its block again after a timeout, and the
// switch keeps the sum before the one that it is at.
//
//	worker: seq 8 | values 4 each  -->  switch  -->  group: seq 8 | sums 4 each
package toy

import (
	"encoding/binary"

	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/gradient"
)

// seqLen is the header: the block's number, counted through the run.
const seqLen = 8

// config describes either end.
type config struct {
	Workers, Blocks, Values int // Values: of a block
	Flow                    inet.Flow
	Ports                   []sansio.Port  // to send by
	Timeout                 units.Duration // of a worker's block
}

// core is a worker's end. It meets worker.Collective.
type core struct {
	config
	rec      gradient.Recorder // of the oracle; may be nil
	header   []byte
	q, sums  []int32    // whole blocks
	seq      uint64     // of the block in flight, or the next
	deadline units.Time // to send it again; units.Never: none is in flight
	out      result.Outcome
	count    sansio.Tally
}

func newCore(c config, rec gradient.Recorder) *core {
	n := c.Blocks * c.Values
	return &core{config: c, rec: rec, header: inet.UDPHeader(c.Flow), q: make([]int32, n), sums: make([]int32, n), deadline: units.Never}
}

// Begin sends the first block of a gradient.
func (c *core) Begin(now units.Time, _ int, grad []float32, eff *sansio.Effects) {
	gradient.Fixed{}.Quantise(c.q[:len(grad)], grad)
	c.out = result.Outcome{Contributed: true}
	c.send(now, eff)
}

func (c *core) send(now units.Time, eff *sansio.Effects) {
	payload := eff.Body(seqLen + 4*c.Values)
	binary.BigEndian.PutUint64(payload, c.seq)
	vec.PutBE(payload[seqLen:], c.block(c.q))
	eff.Emit(c.Ports, c.header, payload)
	c.deadline = now.Add(c.Timeout)
	c.count.Add("toy-sent", 1)
}

func (c *core) block(of []int32) []int32 {
	b := int(c.seq % uint64(c.Blocks))
	return of[b*c.Values : (b+1)*c.Values]
}

// Handle takes the sum of the block in flight and sends the next.
func (c *core) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		for f := range in[i].Train.Frames() {
			p := in[i].Train.Payload(f)
			if len(p) != seqLen+4*c.Values || c.deadline == units.Never || binary.BigEndian.Uint64(p) != c.seq {
				c.count.Add("toy-unexpected", 1)
				continue
			}
			vec.GetBE(c.block(c.sums), p[seqLen:])
			c.seq, c.deadline = c.seq+1, units.Never
			if c.seq%uint64(c.Blocks) > 0 {
				c.send(now, eff)
			}
		}
	}
}

// Expire sends the block in flight again.
func (c *core) Expire(now units.Time, eff *sansio.Effects) {
	if now >= c.deadline {
		c.out.Retransmits++
		c.send(now, eff)
	}
}
func (c *core) NextDeadline() units.Time { return c.deadline }
func (c *core) Counters() []sansio.Count { return c.count.List() }
func (c *core) Complete(gen int) bool    { return c.seq == uint64(gen+1)*uint64(c.Blocks) }

// Finish hands the tensors to the function that it returns, and takes new ones.
func (c *core) Finish(gen int) (result.Outcome, func(mean []float32)) {
	q, sums := c.q, c.sums
	c.q, c.sums = make([]int32, len(q)), make([]int32, len(q))
	return c.out, func(mean []float32) {
		if c.rec != nil {
			c.rec.Sent(gen, q[:len(mean)])
			c.rec.Delivered(gen, sums[:len(mean)])
		}
		gradient.Fixed{}.Mean(mean, sums[:len(mean)], c.Workers)
	}
}
