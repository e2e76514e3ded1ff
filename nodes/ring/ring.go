// Package ring is ring all-reduce (Patarasuk and Yuan, JPDC 2009), the baseline
// without help from the network: n-1 steps of reduce-scatter and n-1 of
// all-gather, in each of which a worker sends 1/n of the tensor to its next
// neighbour and takes as much from the previous one.
//
// A [Core] is a machine whose two ports are reliable byte streams, not packets:
// [Next] to the next neighbour and [Prev] from the previous one. Live they are
// kernel TCP; virtual they run over package stream.
//
//	step k:  chunk (rank-k) mod n goes out, chunk (rank-k-1) mod n comes in;
//	         it is added for k < n-1 and kept as the sum from then on
//
// Chunks are cut through: a slice of a step's chunk goes on as soon as it has come
// in and was added, so that the steps overlap and every link stays busy. Values are
// int32 in fixed point, so that sums do not depend on their order and can be
// checked against the same oracle as the switch's.
package ring

import (
	"encoding/binary"
	"fmt"

	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/nodes/gradient"
)

// Ports of the machine.
const (
	Next sansio.Port = 0 // stream to the next neighbour
	Prev sansio.Port = 1 // stream from the previous neighbour
)

// headerLen is what precedes a chunk: generation 4, step 4, bytes 4.
const headerLen = 12

// Names of counters.
const (
	CountChunks    = "ring-chunks"
	CountSaturated = "ring-saturated-values"
	DropOutOfStep  = "ring-stream-out-of-step"
	DropWrongPort  = "ring-bytes-on-sending-stream"
	DropAfterFault = "ring-bytes-after-fault"
)

// Config describes one worker of a ring.
type Config struct {
	Node     string
	Rank     int // 0 to Workers-1
	Workers  int // at least 2
	Tensor   int // elements, at least Workers
	Fixed    gradient.Fixed
	Recorder gradient.Recorder `json:"-"`
}

func (c Config) validate() error {
	if c.Workers < 2 || c.Rank < 0 || c.Rank >= c.Workers || c.Tensor < c.Workers {
		return fmt.Errorf("configuring ring worker %s: rank %d of %d workers, tensor of %d elements: a ring has two workers or more and an element for each", c.Node, c.Rank, c.Workers, c.Tensor)
	}
	return nil
}

// Core is one worker of the ring.
type Core struct {
	cfg    Config
	to     []sansio.Port
	q      []int32
	acc    []byte // big-endian sums so far
	gen    int
	step   int // step whose chunk is awaited; steps() when done
	got    int // bytes of that chunk merged so far
	active bool
	broken bool   // the stream said something impossible
	rx     []byte // bytes of the stream not consumed yet
	count  sansio.Tally
	sat    int
}

// New returns a worker that has sent nothing yet.
func New(cfg Config) (*Core, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	return &Core{cfg: cfg, to: []sansio.Port{Next}, q: make([]int32, cfg.Tensor), acc: make([]byte, 4*cfg.Tensor), gen: -1}, nil
}

func (c *Core) steps() int { return 2 * (c.cfg.Workers - 1) }

// chunk returns the bytes of acc that go out in step k.
func (c *Core) chunk(k int) []byte {
	n := c.cfg.Workers
	i := ((c.cfg.Rank-k)%n + n) % n
	return c.acc[4*(i*c.cfg.Tensor/n) : 4*((i+1)*c.cfg.Tensor/n)]
}

// Begin starts the all-reduce of generation gen; the one before is complete.
func (c *Core) Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects) {
	c.sat = c.cfg.Fixed.Quantise(c.q, grad[:c.cfg.Tensor])
	c.count.Add(CountSaturated, uint64(c.sat))
	c.BeginInts(now, gen, c.q, eff)
}

// BeginInts is Begin for a tensor that is int32 already.
func (c *Core) BeginInts(_ units.Time, gen int, q []int32, eff *sansio.Effects) {
	c.gen, c.step, c.got, c.active = gen, 0, 0, true
	vec.PutBE(c.acc, q)
	c.send(0, 0, len(c.chunk(0)), eff)
	c.consume(eff)
}

// Sums returns the integer sums of the complete generation, valid until the
// next begins.
func (c *Core) Sums() []int32 {
	vec.GetBE(c.q, c.acc)
	return c.q
}

// send sends n bytes of step k's chunk from an offset, behind a header where
// they are the first.
func (c *Core) send(k, off, n int, eff *sansio.Effects) {
	chunk := c.chunk(k)
	if off > 0 {
		b := eff.Body(n)
		copy(b, chunk[off:])
		eff.Send(c.to, sansio.Train{Body: b})
		return
	}
	b := eff.Body(headerLen + n)
	c.putHeader(b, k, len(chunk))
	copy(b[headerLen:], chunk)
	eff.Send(c.to, sansio.Train{Body: b})
	c.count.Add(CountChunks, 1)
}

func (c *Core) putHeader(b []byte, k, n int) {
	binary.BigEndian.PutUint32(b[0:], uint32(c.gen))
	binary.BigEndian.PutUint32(b[4:], uint32(k))
	binary.BigEndian.PutUint32(b[8:], uint32(n))
}

// Handle takes bytes of the stream from the previous neighbour.
func (c *Core) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		switch {
		case in[i].Port != Prev:
			c.count.Add(DropWrongPort, 1)
		case c.broken:
			c.count.Add(DropAfterFault, 1)
		default:
			c.rx = append(c.rx, in[i].Train.Body...)
		}
	}
	c.consume(eff)
}

// consume takes slices of the awaited chunk off the stream. What belongs to the
// next generation waits for Begin: a neighbour is at most one ring behind, so
// that is less than a tensor.
func (c *Core) consume(eff *sansio.Effects) {
	used := 0
	for c.active && c.step < c.steps() {
		n, ok := c.slice(c.rx[used:], eff)
		if !ok {
			break
		}
		used += n
	}
	c.rx = c.rx[:copy(c.rx, c.rx[used:])]
}

// sliceBytes is the least that goes on before a chunk is complete: enough to
// fill a segmentation-offload packet half. Assumed.
const sliceBytes = 32 << 10

// slice takes the next part of the awaited chunk, merges it, and sends it on
// where the next step wants it. It returns the bytes of the stream used; ok is
// false where there are too few, or the stream is broken.
func (c *Core) slice(rest []byte, eff *sansio.Effects) (used int, ok bool) {
	awaited := c.chunk(c.step + 1)
	if c.got == 0 {
		if len(rest) < headerLen {
			return 0, false
		}
		var want [headerLen]byte
		if c.putHeader(want[:], c.step, len(awaited)); [headerLen]byte(rest) != want {
			c.count.Add(DropOutOfStep, 1)
			c.broken, c.active = true, false
			return 0, false
		}
		used = headerLen
	}
	left := len(awaited) - c.got
	n := min(len(rest)-used, left) &^ 3
	if n < min(sliceBytes, left) {
		return 0, false
	}
	mine, theirs := awaited[c.got:c.got+n], rest[used:used+n]
	if c.step < c.cfg.Workers-1 {
		vec.AddBE(mine, theirs)
	} else {
		copy(mine, theirs)
	}
	if c.step+1 < c.steps() {
		c.send(c.step+1, c.got, n, eff)
	}
	if c.got += n; c.got == len(awaited) {
		c.step, c.got = c.step+1, 0
	}
	return used + n, true
}

// Complete reports whether the sums of generation gen are all here.
func (c *Core) Complete(gen int) bool { return c.active && gen == c.gen && c.step == c.steps() }

// Finish ends the complete generation gen. The tensors go to the function that
// it returns, and the core takes new ones: the function may be called at any
// time, on any goroutine.
func (c *Core) Finish(gen int) (result.Outcome, func(mean []float32)) {
	q, acc := c.q, c.acc
	c.q, c.acc = make([]int32, len(q)), make([]byte, len(acc))
	c.active = false
	cfg := c.cfg
	return result.Outcome{Contributed: true, Saturated: c.sat}, func(mean []float32) {
		if cfg.Recorder != nil {
			cfg.Recorder.Sent(gen, q)
		}
		vec.GetBE(q, acc)
		if cfg.Recorder != nil {
			cfg.Recorder.Delivered(gen, q)
		}
		cfg.Fixed.Mean(mean, q, cfg.Workers)
	}
}

// Counters returns chunks sent and faults by reason.
func (c *Core) Counters() []sansio.Count { return c.count.List() }

// NextDeadline is never: the streams keep the timers.
func (c *Core) NextDeadline() units.Time { return units.Never }

// Expire does nothing.
func (c *Core) Expire(units.Time, *sansio.Effects) {}
