package pipeline

import (
	"encoding/binary"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	switchmljob "github.com/inalab/inalab/switchd/program/switchml"
	switchml "github.com/inalab/inalab/switchd/program/switchml/reference"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// Engine is a chip that runs SwitchML, with its control plane. It meets
// dataplane.Engine, Managed and Watched; what it does with packets is the chip's.
type Engine struct {
	dataplane.OwnFrames
	chip      *tofino.Chip
	cfg       switchml.Config
	opts      Options
	state     state
	watch     *watcher
	pool      switchmljob.Pool
	jobs      []*job // by id
	members   map[channel]*job
	parents   map[channel]*job
	groups    numbers          // of multicast groups, one a job
	rids      numbers          // of workers in them
	queues    switchmljob.Pool // queue pairs, of the program for RoCE
	lossy     map[lossyPort]loss
	checkICRC bool             // drops packets of RoCE whose ICRC is wrong
	removed   uint64           // open slots that went with their jobs
	served    []sansio.Arrival // scratch
}

// channel tells who sent a packet: its source address, and the UDP port of the two
// that is the switches' own.
type channel struct {
	addr [4]byte
	udp  uint16
}

// Program returns the program of a switch as data.
func Program(cfg switchml.Config, o Options) *ir.Program {
	addr := cfg.Router.As4()
	b := builder{faithful: cfg.Faithful, half: o.Half, rdma: o.RDMA, spare: uint64(o.spare()), mac: macOf(cfg.MAC), addr: uint64(binary.BigEndian.Uint32(addr[:]))}
	if o.Timing != nil && o.Timing.Mark > 0 {
		b.tos = ect0
	}
	return b.program()
}

// ect0 is the type of service of packets that can be marked (RFC 3168 §5: ECT(0)).
const ect0 = 2

// New returns the chip of a configuration of the reference program, which may have at
// most MaxWorkers workers in a job.
func New(cfg switchml.Config, o Options) (*Engine, error) {
	e, err := build(cfg, o)
	if err != nil {
		return nil, fmt.Errorf("loading chip %s with SwitchML: %w", cfg.Node, err)
	}
	return e, nil
}

func build(cfg switchml.Config, o Options) (*Engine, error) {
	if err := check(&cfg, &o); err != nil {
		return nil, err
	}
	if o.Ports == 0 {
		o.Ports = MaxPorts
	}
	if cfg.Pool == 0 {
		cfg.Pool = switchml.MaxSlots
	}
	placed, err := fit.Place(Program(cfg, o))
	if err != nil {
		return nil, err
	}
	e := &Engine{
		cfg: cfg, opts: o, pool: switchmljob.Pool{Slots: cfg.Pool}, members: map[channel]*job{}, parents: map[channel]*job{},
		groups: newNumbers(0, spareNumbers*maxJobs), rids: newNumbers(1, spareNumbers*maxReceivers), lossy: map[lossyPort]loss{}, queues: switchmljob.Pool{Slots: MaxQueuePairs},
	}
	e.watch = &watcher{sink: cfg.Trace, node: cfg.Node, next: o.Observer, rdma: o.RDMA}
	c := o.chip(&cfg, e.watch)
	c.Program = placed
	if o.RDMA {
		c.Trailer = &icrc{e}
	}
	if e.chip, err = tofino.New(c); err != nil {
		return nil, err
	}
	if err := e.bind(placed); err != nil {
		return nil, err
	}
	for _, j := range jobsOf(&cfg) {
		if r := e.add(j, nil); r != nil {
			return nil, r
		}
	}
	return e, nil
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

func macOf(m inet.MAC) (v uint64) {
	for _, b := range m {
		v = v<<8 | uint64(b)
	}
	return v
}

// Chip returns the chip, for what is not of this program: snapshots, registers.
func (e *Engine) Chip() *tofino.Chip { return e.chip }

// Claims reports whether the frame is a SwitchML packet: to the port of hosts, or
// to one that a switch has as a worker, or from a parent.
func (e *Engine) Claims(f dataplane.Frame) dataplane.Claim {
	udp := f.UDP()
	if udp == nil {
		return dataplane.NotMine
	}
	if udp.DstPort() == wire.Port || e.opts.RDMA && udp.DstPort() == roce.Port {
		return dataplane.Mine
	}
	if len(e.jobs) == 0 {
		return dataplane.NotMine
	}
	src := inet.IPv4(f.Header[inet.EtherLen:]).SrcBytes()
	return dataplane.MineIf(e.members[channel{src, udp.DstPort()}] != nil || e.parents[channel{src, udp.SrcPort()}] != nil)
}

// PhaseMattered is false: there are no timers.
func (e *Engine) PhaseMattered() bool { return false }

// Remembers is false: what a finished slot keeps says only which of its sets is next, and
// that has no say in when anything happens.
func (e *Engine) Remembers() bool { return false }

// Ports returns the ports that lead to workers and parents.
func (e *Engine) Ports() (out []sansio.Port) {
	for _, j := range e.jobs {
		for i := range j.Workers {
			out = append(out, j.Workers[i].Port)
		}
		if j.Parent != nil {
			out = append(out, j.Parent.Port)
		}
	}
	return out
}

// Handle gives arrivals to the chip.
func (e *Engine) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		if in[i].Port == dataplane.Served {
			in = e.placed(in)
			break
		}
	}
	e.chip.Handle(now, in, eff)
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
func (e *Engine) Expire(now units.Time, eff *sansio.Effects) { e.chip.Expire(now, eff) }

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
	if e.removed > 0 {
		t.Add(switchml.CountRemoved, e.removed)
	}
	return t.List()
}
