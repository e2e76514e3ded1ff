package tcpagg

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/tensor"
)

// Names of counters of workers.
const (
	CountGradients = "tcpagg-gradients-sent"
	CountSaturated = "tcpagg-saturated-values"
	DropOutOfStep  = "tcpagg-stream-out-of-step"
	DropAfterFault = "tcpagg-bytes-after-fault"
	DropWrongPort  = "tcpagg-bytes-of-no-peer"
)

// Core is a worker.
type Core struct {
	tensor.Worker

	cfg  Config
	part tensor.Part
	from sansio.Port // that sums come by
	in   tensor.Inlet
	due  bool // sums are awaited
}

// up is the port of the stream to the parent.
var up = []sansio.Port{0}

// New returns the worker of a host, which has sent nothing yet.
func New(cfg Config) (*Core, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring worker %s of TCP-Agg: %w", cfg.Node, err)
	}
	if cfg.Host >= cfg.Workers {
		return nil, fmt.Errorf("configuring worker %s of TCP-Agg: host %d is a server: use NewServer", cfg.Node, cfg.Host)
	}
	c := &Core{cfg: cfg, part: cfg.part()}
	c.from = sansio.Port(len(cfg.Peers()) - 1) // the direct one is the last
	buf := tensor.NewBuffer(tensor.Config{Workers: cfg.Workers, Fixed: cfg.Fixed, Recorder: cfg.Recorder}, cfg.Values())
	c.Worker = tensor.NewWorker(buf, CountSaturated, c.start)
	return c, nil
}

// start sends the tensor to the parent.
func (c *Core) start(eff *sansio.Effects) {
	c.due = true
	tensor.Send(up, &tensor.Header{Gen: c.Gen, Kind: kindUp, Bytes: c.part.Bytes()}, c.Buf.Sum, c.part, eff)
	c.Count.Add(CountGradients, 1)
}

// Handle takes bytes of the stream that sums come by.
func (c *Core) Handle(_ units.Time, in []sansio.Arrival, _ *sansio.Effects) {
	for i := range in {
		if in[i].Port != c.from {
			c.Count.Add(DropWrongPort, 1)
			continue
		}
		switch c.in.Take(&in[i].Train, c.slice) {
		case tensor.OutOfStep:
			c.Count.Add(DropOutOfStep, 1)
		case tensor.AfterFault:
			c.Count.Add(DropAfterFault, 1)
		}
	}
}

// slice takes the next slice of the sums. They take the place of what this worker sent: that is on
// its way in memory of its own.
func (c *Core) slice(rx *tensor.Reader) tensor.State {
	if !c.Active || !c.due {
		return tensor.Wrong
	}
	s, sums, state := rx.Next(tensor.Header{Gen: c.Gen, Kind: kindDown, Bytes: c.part.Bytes()}, c.part, sliceBytes)
	if state == tensor.Ready {
		c.Buf.Merge(s.Part, sums, false)
		c.due = !s.Last
	}
	return state
}

// Complete reports whether the sums of generation gen are all here.
func (c *Core) Complete(gen int) bool { return c.Active && gen == c.Gen && !c.due }
