package halving

import (
	"fmt"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/tensor"
)

// Names of counters.
const (
	CountMessages  = "halving-messages"
	CountSaturated = "halving-saturated-values"
	DropOutOfStep  = "halving-stream-out-of-step"
	DropWrongPort  = "halving-bytes-of-no-partner"
	DropAfterFault = "halving-bytes-after-fault"
)

// Config describes one worker.
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
	if c.Workers < 2 || c.Rank < 0 || c.Rank >= c.Workers || c.Tensor < c.Workers || c.Sample < 0 {
		return fmt.Errorf("configuring halving worker %s: rank %d of %d workers, tensor of %d elements, one value of %d: it takes two workers or more and an element for each", c.Node, c.Rank, c.Workers, c.Tensor, c.Sample)
	}
	return nil
}

// Values returns how many elements carry values: the length of gradients, sums
// and recorded tensors.
func (c Config) Values() int { return c.cut().Values() }

func (c Config) cut() tensor.Cut {
	return tensor.NewCut(c.Tensor, newPlan(c.Rank, c.Workers).parts(), c.Sample)
}

// Peers returns the streams of a worker over hosts of the same numbers, by port.
// Of two partners the lower rank opens.
func Peers(rank, workers int) (out []stream.Peer) {
	p := newPlan(rank, workers)
	for port, partner := range p.partners() {
		number := stream.Port + uint16(port)
		if p.folded() { // as the port is numbered at its partner
			number = stream.Port + uint16(p.levels)
		}
		out = append(out, stream.Peer{Host: partner, Local: number, Remote: number, Passive: partner < rank})
	}
	return out
}

// Core is one worker.
type Core struct {
	sansio.Untimed // the streams keep the timers

	cfg    Config
	cut    tensor.Cut
	steps  []step
	to     [][]sansio.Port // by port
	buf    tensor.Buffer
	gen    int
	at     int // step that is awaited; len(steps) when done
	headed bool
	got    int // bytes of its message that are merged
	active bool
	broken bool            // a stream said something impossible
	rx     []tensor.Reader // by port
	count  sansio.Tally
}

// New returns a worker that has sent nothing yet.
func New(cfg Config) (*Core, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	p, cut := newPlan(cfg.Rank, cfg.Workers), cfg.cut()
	buf := tensor.NewBuffer(tensor.Config{Workers: cfg.Workers, Fixed: cfg.Fixed, Recorder: cfg.Recorder}, cut.Values())
	c := &Core{cfg: cfg, cut: cut, steps: p.steps(), buf: buf, gen: -1, rx: make([]tensor.Reader, len(p.partners()))}
	for port := range c.rx {
		c.to = append(c.to, []sansio.Port{sansio.Port(port)})
	}
	return c, nil
}

// Begin starts the all-reduce of generation gen; the one before is complete.
func (c *Core) Begin(_ units.Time, gen int, grad []float32, eff *sansio.Effects) {
	c.count.Add(CountSaturated, uint64(c.buf.Quantise(grad)))
	c.begin(gen, eff)
}

// BeginInts is Begin for a tensor that is int32 already.
func (c *Core) BeginInts(_ units.Time, gen int, q []int32, eff *sansio.Effects) {
	c.buf.Load(q)
	c.begin(gen, eff)
}

func (c *Core) begin(gen int, eff *sansio.Effects) {
	c.gen, c.at, c.active = gen, 0, true
	c.start(eff)
	c.consume(eff)
}

// start sends what the next step sends.
func (c *Core) start(eff *sansio.Effects) {
	c.headed, c.got = false, 0
	if c.at == len(c.steps) || c.steps[c.at].send.empty() {
		return
	}
	s := &c.steps[c.at]
	part := c.cut.Part(s.send.lo, s.send.hi)
	h := c.header(s, part)
	tensor.Send(c.to[s.port], &h, c.buf.Sum, part, eff)
	c.count.Add(CountMessages, 1)
}

func (c *Core) header(s *step, p tensor.Part) tensor.Header {
	return tensor.Header{Gen: c.gen, Kind: s.kind, Bytes: p.Bytes()}
}

// Handle takes bytes of the partners' streams.
func (c *Core) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		switch p := in[i].Port; {
		case p < 0 || int(p) >= len(c.rx):
			c.count.Add(DropWrongPort, 1)
		case c.broken:
			c.count.Add(DropAfterFault, 1)
		default:
			c.rx[p].Add(&in[i].Train)
		}
	}
	c.consume(eff)
}

// consume goes from step to step as far as what came allows.
func (c *Core) consume(eff *sansio.Effects) {
	for c.active && c.at < len(c.steps) {
		switch c.step() {
		case tensor.Short:
			return
		case tensor.Wrong:
			c.count.Add(DropOutOfStep, 1)
			c.broken, c.active = true, false
		case tensor.Ready:
			c.at++
			c.start(eff)
		}
	}
}

// pieceBytes is how much is merged at once, so that a long message need not wait
// for its end to be taken off the stream. Assumed.
const pieceBytes = 64 << 10

// step merges what came for the awaited step. It is ready when all of it came.
func (c *Core) step() tensor.State {
	s := &c.steps[c.at]
	if s.recv.empty() {
		return tensor.Ready
	}
	rx, part := &c.rx[s.port], c.cut.Part(s.recv.lo, s.recv.hi)
	if !c.headed {
		if state := rx.Header(c.header(s, part)); state != tensor.Ready {
			return state
		}
		c.headed = true
	}
	for c.got < part.Bytes() {
		piece := part.Slice(c.got, min(pieceBytes, part.Bytes()-c.got))
		if state := rx.Has(piece); state != tensor.Ready {
			return state
		}
		mine, theirs := c.buf.Sum[piece.Lo:piece.Hi], rx.Take(piece)
		if s.add {
			vec.AddBE(mine, theirs)
		} else {
			copy(mine, theirs)
		}
		c.got += piece.Bytes()
	}
	return tensor.Ready
}

// Complete reports whether the sums of generation gen are all here.
func (c *Core) Complete(gen int) bool { return c.active && gen == c.gen && c.at == len(c.steps) }

// Sums returns the integer sums of the complete generation, valid until the
// next begins.
func (c *Core) Sums() []int32 { return c.buf.Sums() }

// Finish ends the complete generation gen.
func (c *Core) Finish(gen int) (result.Outcome, func(mean []float32)) {
	c.active = false
	return c.buf.Finish(gen)
}

// Counters returns messages sent and faults by reason.
func (c *Core) Counters() []sansio.Count { return c.count.List() }
