package tofino

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
	"github.com/inalab/inalab/switchd/tofino/vm/tracetree"
)

// Chip is one switch chip with its program. It meets dataplane.Viewed, and with a control plane of its program dataplane.Engine.
type Chip struct {
	cfg   Config
	code  *vm.Code
	pipes []*vm.Pipe
	pass  *vm.Pass
	front int // bytes that a copy of a packet has of its own

	ports   [MaxDevPorts]*port
	order   []*port // as configured: front, loopback, recirculation
	byFront map[sansio.Port]*port
	manager manager
	nextID  vm.EntryID
	reason  fit.FieldID // that says why the program drops
	random  bool        // the program takes random numbers

	now    units.Time      // of the call, or of the event inside that is being done
	call   uint64          // number of the call
	eff    *sansio.Effects // of the call
	clock  *clock          // nil in instant mode
	todo   line            // packets for an ingress; instant mode
	stored int             // most bytes that are stored of packets that carry unstored values
	header []byte          // of a frame of a train

	together *together // nil: every frame passes alone
	frames   uint64    // that have arrived, as far as packets were made of them
	packets  []*packet // all there have been at once
	spare    line
	inside   int
	original vm.Packet // a packet as it came to the ingress, if the program may want it again
	in       vm.In
	watched  Observation
	telling  *vm.Ref // metadata of passes that the observer is told of; nil: of all

	count sansio.Tally
	stats stats
}

// New returns a chip with its program loaded into all pipes.
func New(cfg Config) (*Chip, error) {
	c, err := build(cfg)
	if err != nil {
		return nil, fmt.Errorf("configuring chip %s: %w", cfg.Node, err)
	}
	return c, nil
}

func build(cfg Config) (*Chip, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	c := &Chip{cfg: cfg, byFront: map[sansio.Port]*port{}, manager: newManager(), reason: fit.NoField}
	var err error
	if c.code, err = vm.Compile(cfg.Program); err != nil {
		return nil, err
	}
	if cfg.DropField != "" {
		if c.reason, err = c.code.Field(cfg.DropField); err != nil {
			return nil, err
		}
	}
	if cfg.Telling != "" {
		if c.telling, err = c.metadata(cfg.Telling); err != nil {
			return nil, err
		}
	}
	for i := range cfg.Pipes {
		p := c.code.NewPipe(i, nil) // a pass brings random numbers along
		if !cfg.OneByOne {
			if r := tracetree.Attach(p); r != nil {
				r.Unread = c.unread
			}
		}
		c.pipes = append(c.pipes, p)
	}
	c.pass = c.code.NewPass()
	c.front = max(c.code.Depth(fit.Egress), inet.UDPHeaders)
	for i := range cfg.Program.Tables {
		c.nextID = max(c.nextID, vm.EntryID(len(cfg.Program.Tables[i].Entries)))
	}
	if cfg.Timing != nil {
		c.clock = &clock{Timing: *cfg.Timing}
		for range cfg.Pipes {
			c.clock.mirrors = append(c.clock.mirrors, newWay(cfg.Timing.Mirror, MirrorBytes))
		}
	}
	c.buildPorts()
	if c.random = random(cfg.Program); c.random {
		c.Reseed(cfg.Seed)
	}
	c.together = c.newTogether()
	return c, nil
}

// metadata returns how a field that is no header's is read.
func (c *Chip) metadata(name string) (*vm.Ref, error) {
	f, err := c.code.Field(name)
	if err != nil {
		return nil, err
	}
	r := c.code.Ref(f)
	if !r.InSlot() {
		return nil, fmt.Errorf("field %s: it is of a header, and Telling takes metadata", name)
	}
	return r, nil
}

func (c *Chip) buildPorts() {
	for _, p := range c.cfg.Ports {
		at := c.addPort(p.Dev, frontPort)
		at.front, at.exit = p.Front, newExit(p.Front)
		c.byFront[p.Front] = at
	}
	for _, p := range c.cfg.Loopback {
		c.addPort(p, kindOf(p))
	}
	for i := range c.cfg.Pipes {
		c.addPort(Recirculation(i), recirculationPort)
	}
}

func (c *Chip) addPort(dev DevPort, kind portKind) *port {
	p := &port{dev: dev, kind: kind, front: -1}
	if t := c.cfg.Timing; t != nil {
		if p.line.Rate = t.Loop; kind == frontPort {
			p.line.Rate = t.Front
		}
		if c.code.Resubmits() {
			p.input = newWay(t.Input, InputBytes)
		}
	}
	c.ports[dev] = p
	c.order = append(c.order, p)
	return p
}

// Ports returns the front ports.
func (c *Chip) Ports() (out []sansio.Port) {
	for _, p := range c.cfg.Ports {
		out = append(out, p.Front)
	}
	slices.Sort(out)
	return out
}

// Handle takes what arrived, every frame as a packet of its own. What is due before
// comes first.
func (c *Chip) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	c.enter(now, eff)
	for i := range in {
		t := &in[i].Train
		n := t.Frames()
		c.stats.arrived += uint64(n)
		p := c.byFront[in[i].Port]
		if p == nil {
			c.count.Add(DropNoPort, uint64(n))
			continue
		}
		if t.Unstored > 0 {
			c.stored = max(c.stored, len(t.Header)+len(t.Payload(0)))
		}
		p.stat.in += uint64(n)
		p.stat.inBytes += t.Bytes()
		if c.together != nil && n > 1 {
			c.receiveTogether(p, t, n)
			continue
		}
		for f := range n {
			c.receive(p, t, f)
		}
	}
	c.leave()
}

// receive takes one frame.
func (c *Chip) receive(p *port, t *sansio.Train, i int) {
	if t.FrameBytes(i) > MaxFrame {
		c.count.Add(DropTooLong, 1)
		return
	}
	k := c.arrive(t, i)
	k.port = p.dev
	if c.cfg.Trailer != nil && t.Unstored == 0 {
		if reason := c.cfg.Trailer.Check(c.now, k.Front()); reason != "" {
			c.drop(k, reason)
			return
		}
	}
	c.ingress(k)
	for k = c.todo.pop(); k != nil; k = c.todo.pop() {
		c.ingress(k)
	}
}

// Expire does what is due.
func (c *Chip) Expire(now units.Time, eff *sansio.Effects) {
	c.enter(now, eff)
	c.leave()
}

// enter begins a call: what is due is done.
func (c *Chip) enter(now units.Time, eff *sansio.Effects) {
	c.eff = eff
	c.call++
	if c.clock == nil {
		c.now = now
		return
	}
	c.advanceTo(now)
}

// leave ends a call: what has gathered at the front ports is sent.
func (c *Chip) leave() {
	for _, p := range c.order {
		if p.exit != nil {
			p.exit.flush(c.eff)
		}
	}
	c.eff = nil
}

// NextDeadline returns when a packet may leave; never in instant mode.
func (c *Chip) NextDeadline() units.Time {
	if c.clock == nil {
		return units.Never
	}
	return c.clock.deadline()
}
