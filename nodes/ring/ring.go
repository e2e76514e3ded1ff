package ring

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/tensor"
)

// Ports of the machine.
const (
	Next sansio.Port = 0 // stream to the next neighbour
	Prev sansio.Port = 1 // stream from the previous neighbour
)

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
	Sample   int `json:",omitempty"` // virtual runs: one element of so many carries a value ([tensor.NewCut]); 0 and 1: all do
	Fixed    gradient.Fixed
	Recorder gradient.Recorder `json:"-"`
}

func (c Config) validate() error {
	if c.Workers < 2 || c.Rank < 0 || c.Rank >= c.Workers || c.Tensor < c.Workers {
		return fmt.Errorf("configuring ring worker %s: rank %d of %d workers, tensor of %d elements: a ring has two workers or more and an element for each", c.Node, c.Rank, c.Workers, c.Tensor)
	}
	if c.Sample < 0 {
		return fmt.Errorf("configuring ring worker %s: one value of %d elements: that must not be negative", c.Node, c.Sample)
	}
	return nil
}

// Values returns how many elements carry values: the length of gradients, sums
// and recorded tensors.
func (c Config) Values() int { return c.cut().Values() }

func (c Config) cut() tensor.Cut { return tensor.NewCut(c.Tensor, c.Workers, c.Sample) }

// Peers returns the streams of a worker over hosts of the same numbers, by port.
func Peers(rank, workers int) []stream.Peer {
	return []stream.Peer{
		Next: {Host: (rank + 1) % workers, Local: stream.Port, Remote: stream.Port + 1},
		Prev: {Host: (rank + workers - 1) % workers, Local: stream.Port + 1, Remote: stream.Port, Passive: true},
	}
}

// Core is one worker of the ring.
type Core struct {
	tensor.Worker

	cfg    Config
	cut    tensor.Cut
	to     []sansio.Port
	step   int  // step whose chunk is awaited; steps() when done
	broken bool // the stream said something impossible
	rx     tensor.Reader
}

// New returns a worker that has sent nothing yet.
func New(cfg Config) (*Core, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cut := cfg.cut()
	buf := tensor.NewBuffer(tensor.Config{Workers: cfg.Workers, Fixed: cfg.Fixed, Recorder: cfg.Recorder}, cut.Values())
	c := &Core{cfg: cfg, cut: cut, to: []sansio.Port{Next}}
	c.Worker = tensor.NewWorker(buf, CountSaturated, c.start)
	return c, nil
}

func (c *Core) steps() int { return 2 * (c.cfg.Workers - 1) }

// chunk returns what goes out in step k.
func (c *Core) chunk(k int) tensor.Part {
	n := c.cfg.Workers
	i := ((c.cfg.Rank-k)%n + n) % n
	return c.cut.Part(i, i+1)
}

// start sends the first chunk of a generation.
func (c *Core) start(eff *sansio.Effects) {
	c.step = 0
	first := c.chunk(0)
	c.send(0, first.Slice(0, first.Bytes()), eff)
	c.consume(eff)
}

// header is that of step k's chunk.
func (c *Core) header(k, n int) tensor.Header { return tensor.Header{Gen: c.Gen, Kind: k, Bytes: n} }

// send sends a slice of step k's chunk, the first behind a header.
func (c *Core) send(k int, s tensor.Slice, eff *sansio.Effects) {
	if s.Off > 0 {
		tensor.Send(c.to, nil, c.Buf.Sum, s.Part, eff)
		return
	}
	h := c.header(k, c.chunk(k).Bytes())
	tensor.Send(c.to, &h, c.Buf.Sum, s.Part, eff)
	c.Count.Add(CountChunks, 1)
}

// Handle takes bytes of the stream from the previous neighbour.
func (c *Core) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		switch {
		case in[i].Port != Prev:
			c.Count.Add(DropWrongPort, 1)
		case c.broken:
			c.Count.Add(DropAfterFault, 1)
		default:
			c.rx.Add(&in[i].Train)
		}
	}
	c.consume(eff)
}

// consume takes slices of the awaited chunk off the stream. What belongs to the
// next generation waits for Begin: a neighbour is at most one ring behind, so
// that is less than a tensor.
func (c *Core) consume(eff *sansio.Effects) {
	for c.Active && c.step < c.steps() {
		switch c.slice(eff) {
		case tensor.Short:
			return
		case tensor.Wrong:
			c.Count.Add(DropOutOfStep, 1)
			c.broken, c.Active = true, false
		}
	}
}

// SliceBytes is what goes on before a chunk is complete: enough to fill a
// segmentation-offload packet half. Assumed. Slices end at fixed places of a
// chunk, however the bytes arrive, so that what follows is the same.
const SliceBytes = 32 << 10

// MessageBytes returns the length of the longest message of a step: a chunk behind its header.
func MessageBytes(elements, workers int) int {
	return tensor.HeaderLen + 4*((elements+workers-1)/workers)
}

// slice takes the next slice of the awaited chunk, merges it, and sends it on
// where the next step wants it.
func (c *Core) slice(eff *sansio.Effects) tensor.State {
	awaited := c.chunk(c.step + 1)
	s, theirs, state := c.rx.Next(c.header(c.step, awaited.Bytes()), awaited, SliceBytes)
	if state != tensor.Ready {
		return state
	}
	c.Buf.Merge(s.Part, theirs, c.step < c.cfg.Workers-1)
	if c.step+1 < c.steps() {
		c.send(c.step+1, s, eff)
	}
	if s.Last {
		c.step++
	}
	return tensor.Ready
}

// Complete reports whether the sums of generation gen are all here.
func (c *Core) Complete(gen int) bool { return c.Active && gen == c.Gen && c.step == c.steps() }
