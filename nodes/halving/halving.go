package halving

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
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
	tensor.Worker

	cut    tensor.Cut
	steps  []step
	to     [][]sansio.Port // by port
	at     int             // step that is awaited; len(steps) when done
	broken bool            // a stream said something impossible
	rx     []tensor.Reader // by port
}

// New returns a worker that has sent nothing yet.
func New(cfg Config) (*Core, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	p, cut := newPlan(cfg.Rank, cfg.Workers), cfg.cut()
	buf := tensor.NewBuffer(tensor.Config{Workers: cfg.Workers, Fixed: cfg.Fixed, Recorder: cfg.Recorder}, cut.Values())
	c := &Core{cut: cut, steps: p.steps(), rx: make([]tensor.Reader, len(p.partners()))}
	c.Worker = tensor.NewWorker(buf, CountSaturated, c.start)
	for port := range c.rx {
		c.to = append(c.to, []sansio.Port{sansio.Port(port)})
	}
	return c, nil
}

// start begins a generation with the first step.
func (c *Core) start(eff *sansio.Effects) {
	c.at = 0
	c.send(eff)
	c.consume(eff)
}

// send sends what the next step sends.
func (c *Core) send(eff *sansio.Effects) {
	if c.at == len(c.steps) || c.steps[c.at].send.empty() {
		return
	}
	s := &c.steps[c.at]
	part := c.cut.Part(s.send.lo, s.send.hi)
	h := c.header(s, part)
	tensor.Send(c.to[s.port], &h, c.Buf.Sum, part, eff)
	c.Count.Add(CountMessages, 1)
}

func (c *Core) header(s *step, p tensor.Part) tensor.Header {
	return tensor.Header{Gen: c.Gen, Kind: s.kind, Bytes: p.Bytes()}
}

// Handle takes bytes of the partners' streams.
func (c *Core) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		switch p := in[i].Port; {
		case p < 0 || int(p) >= len(c.rx):
			c.Count.Add(DropWrongPort, 1)
		case c.broken:
			c.Count.Add(DropAfterFault, 1)
		default:
			c.rx[p].Add(&in[i].Train)
		}
	}
	c.consume(eff)
}

// consume goes from step to step as far as what came allows.
func (c *Core) consume(eff *sansio.Effects) {
	for c.Active && c.at < len(c.steps) {
		switch c.step() {
		case tensor.Short:
			return
		case tensor.Wrong:
			c.Count.Add(DropOutOfStep, 1)
			c.broken, c.Active = true, false
		case tensor.Ready:
			c.at++
			c.send(eff)
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
	for {
		piece, theirs, state := rx.Next(c.header(s, part), part, pieceBytes)
		if state != tensor.Ready {
			return state
		}
		c.Buf.Merge(piece.Part, theirs, s.add)
		if piece.Last {
			return tensor.Ready
		}
	}
}

// Complete reports whether the sums of generation gen are all here.
func (c *Core) Complete(gen int) bool { return c.Active && gen == c.Gen && c.at == len(c.steps) }
