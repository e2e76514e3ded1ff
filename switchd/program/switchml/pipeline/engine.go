package pipeline

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// Engine is a chip that runs SwitchML, with its control plane. It meets
// dataplane.Engine, Managed and Watched; what it does with packets is the chip's.
type Engine struct {
	switchml.Table[*job]
	chip   *tofino.Chip
	cfg    switchml.Config
	opts   Options
	state  state
	watch  *watcher
	groups numbers       // of multicast groups, one a job
	rids   numbers       // of workers in them
	queues switchml.Pool // queue pairs, of the program for RoCE
	lossy  map[lossyPort]loss
	served []sansio.Arrival // scratch
}

// Program returns the program of a switch as data.
func Program(cfg switchml.Config, o Options) *ir.Program {
	addr := cfg.Router.As4()
	b := builder{faithful: cfg.Faithful, half: o.Half, rdma: o.RDMA, mac: macOf(cfg.MAC), addr: uint64(binary.BigEndian.Uint32(addr[:]))}
	if o.Timing != nil && o.Timing.Mark > 0 {
		b.tos = ect0
	}
	return b.program()
}

// ect0 is the type of service of packets that can be marked (RFC 3168 §5: ECT(0)).
const ect0 = 2

// New returns the chip of a configuration, which may have at most MaxWorkers workers in a
// job.
func New(cfg switchml.Config, o Options) (*Engine, error) {
	e, err := build(cfg, o)
	if err == nil {
		err = e.AddAll(cfg.Jobs, e.setUp)
	}
	switch {
	case err != nil && o.RDMA:
		return nil, fmt.Errorf("loading chip %s with SwitchML over RoCE: %w", cfg.Node, err)
	case err != nil:
		return nil, fmt.Errorf("loading chip %s with SwitchML: %w", cfg.Node, err)
	}
	return e, nil
}

// build returns a chip without jobs.
func build(cfg switchml.Config, o Options) (*Engine, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	o.Ports = cmp.Or(o.Ports, MaxPorts)
	e := &Engine{
		cfg: cfg, opts: o, groups: newNumbers(0, spareNumbers*maxJobs), rids: newNumbers(1, spareNumbers*maxReceivers),
		lossy: map[lossyPort]loss{}, queues: switchml.Pool{Slots: MaxQueuePairs},
	}
	var err error
	if e.Table, err = switchml.NewTable[*job](&cfg, e.limits()); err != nil {
		return nil, err
	}
	placed, err := fit.Place(Program(cfg, o))
	if err != nil {
		return nil, err
	}
	e.watch = &watcher{sink: cfg.Trace, node: cfg.Node, next: o.Observer, rdma: o.RDMA}
	c := o.chip(&cfg, e.watch)
	c.Program = placed
	if o.RDMA {
		c.Trailer = &icrc{e}
	} else if o.Observer == nil {
		c.Telling = "meta.judged"
		if o.Timing == nil && !o.OneByOne {
			c.Apart, e.watch.together = slotOf, true
		}
	}
	if e.chip, err = tofino.New(c); err != nil {
		return nil, err
	}
	return e, e.bind(placed)
}

// bind finds what control plane and watcher look at.
func (e *Engine) bind(p *fit.Program) error {
	var err error
	if e.state, err = stateOf(e.chip, p); err != nil {
		return err
	}
	e.watch.state = &e.state
	return e.watch.bind(e.chip)
}

// slotOf returns the slot of a packet of a train, in which all are of one sender. Those of different slots do not
// meet: behind the first pass all registers are by slot, or by slot and set. What leaves has the
// size of the sender's job, so that it makes as many passes.
func slotOf(t *sansio.Train, i int) (key uint64, ok bool) {
	slot, ok := wire.SlotOf(t.Payload(i))
	return uint64(slot) & (1<<slotBits - 1), ok
}

func macOf(m inet.MAC) (v uint64) {
	for _, b := range m {
		v = v<<8 | uint64(b)
	}
	return v
}

// Chip returns the chip, for what is not of this program: snapshots, registers.
func (e *Engine) Chip() *tofino.Chip { return e.chip }

// Handle gives arrivals to the chip.
func (e *Engine) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		if in[i].Port == dataplane.Served {
			in = e.placed(in)
			break
		}
	}
	e.chip.Handle(now, in, eff)
	e.watch.flush()
	e.refuse()
}

// placed gives arrivals that do not tell where they came from a port.
func (e *Engine) placed(in []sansio.Arrival) []sansio.Arrival {
	e.served = append(e.served[:0], in...)
	for i := range e.served {
		if e.served[i].Port == dataplane.Served {
			e.served[i].Port = servedPort
		}
	}
	return e.served
}

// Expire does what is due in the chip.
func (e *Engine) Expire(now units.Time, eff *sansio.Effects) {
	e.chip.Expire(now, eff)
	e.refuse()
}

// NextDeadline returns when a packet may leave the chip; never in instant mode.
func (e *Engine) NextDeadline() units.Time { return e.chip.NextDeadline() }

// Counters returns packets, results and drops by the names of the reference
// program, and those of the chip.
func (e *Engine) Counters() []sansio.Count {
	var t sansio.Tally
	for _, c := range e.chip.Counters() {
		t.Add(c.Name, c.N)
		if c.Name == tofino.CountPackets && !e.opts.RDMA {
			t.Add(switchml.CountPackets, c.N)
		}
	}
	t.Merge(e.watch.count.List())
	return t.List()
}
