package trio

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/microcode/vm/idiom"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// PFE is one Packet Forwarding Engine. It meets dataplane.Engine.
type PFE struct {
	cfg       Config
	code      *vm.Code
	fresh     vm.Thread     // as threads of timers and events begin
	packets   vm.Thread     // as those of packets do
	adds      []*idiom.Adds // of the program, by instruction; with time
	entry     int           // where the threads of packets start
	prefix    string        // of the program's counters
	memory    *mem.Memory
	permanent int                           // records that timers have nothing to do with
	hops      [][]sansio.Port               // by index; nil: there is none; empty: by the port of arrival
	backs     map[sansio.Port][]sansio.Port // each port alone; looked up, never ranged

	called  units.Time      // of the call
	now     units.Time      // likewise, or of the event inside that is being done
	eff     *sansio.Effects // of the call
	timers  timers
	tables  tables
	sources []source // of events
	raised  []work   // events whose threads have not been started
	told    []told   // external events that a control plane has raised since the latest call
	phase   phase
	clock   *clock  // nil in instant mode
	single  instant // without a clock: the one thread there is

	source *sansio.Train // that the current packet is from; instant mode
	run    run
	latest []byte // header template of the last created packet in this batch
	stored int    // most bytes that are stored of packets that carry unstored values

	changes uint64      // of the hash table by threads: records created or deleted
	used    units.Bytes // of the packet memory
	spare   []*packet
	leaving []*packet        // given up at this instant; effects may still borrow from them
	given   []*sansio.Memory // given up in a call of another program on the PFE
	retired bool             // replaced: its threads end at their next step

	count   sansio.Tally
	reasons []reason
	faults  []faultPlace
	stats   stats
	tracer  Tracer // the observer, where it is one; nil: none
	arrived uint64 // packets, in the order of their numbers
}

// New returns a PFE with its program loaded.
func New(cfg Config) (*PFE, error) {
	p, err := build(cfg)
	if err != nil {
		return nil, fmt.Errorf("configuring PFE %s: %w", cfg.Node, err)
	}
	return p, nil
}

func build(cfg Config) (*PFE, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	code, err := vm.Compile(cfg.Program)
	if err != nil {
		return nil, err
	}
	code.SetAhead(cfg.Ahead)
	idiom.Attach(code, cfg.Program)
	p := &PFE{cfg: cfg, code: code, adds: idiom.AddsOf(cfg.Program), prefix: prefixOf(&cfg), backs: map[sansio.Port][]sansio.Port{}}
	p.fresh, p.packets = newThread(&cfg, code, cfg.Instructions), newThread(&cfg, code, cfg.PacketInstructions)
	var ok bool
	if p.entry, ok = cfg.Program.PacketEntry(); !ok {
		return nil, fmt.Errorf("program %s has no entry for packets", cfg.Program.Name)
	}
	if p.memory, err = mem.New(cfg.Memory); err != nil {
		return nil, err
	}
	if wants, has := cfg.Program.Adds(), p.memory.AddBytes(); wants > has {
		return nil, fmt.Errorf("program %s is compiled for adds of up to %d bytes, and this PFE takes %d in one: compile it for those", cfg.Program.Name, wants, has)
	}
	if err := checkSymbols(cfg.Program, p.memory.Layout()); err != nil {
		return nil, err
	}
	p.reasons = reasonsOf(cfg.Program, p.prefix)
	p.timers, p.phase = newTimers(&cfg), newPhase(&cfg, p.memory.Layout().Records)
	p.tables, p.sources = newTables(cfg.Program), sourcesOf(cfg.Program)
	if err := p.fill(cfg.Tables); err != nil {
		return nil, err
	}
	p.single.pfe = p
	p.tracer, _ = cfg.Observer.(Tracer)
	if cfg.Timing != nil {
		if p.clock, err = newClock(p); err != nil {
			return nil, err
		}
		p.delayAdds()
	}
	for _, h := range cfg.NextHops {
		if err := p.SetNextHop(h); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// SetNextHop sets what an argument of Forward means from now on. Packets that are
// on their way out keep their ports. The list is not to be changed afterwards.
func (p *PFE) SetNextHop(h NextHop) error {
	if err := h.validate(); err != nil {
		return err
	}
	if n := int(h.Index) + 1; n > len(p.hops) {
		p.hops = append(p.hops, make([][]sansio.Port, n-len(p.hops))...)
	}
	p.hops[h.Index] = h.To
	if h.Back {
		p.hops[h.Index] = []sansio.Port{}
	}
	return nil
}

// RemoveNextHop takes a next hop out: what is forwarded to it from now on is
// dropped and counted.
func (p *PFE) RemoveNextHop(index uint32) {
	if int64(index) < int64(len(p.hops)) {
		p.hops[index] = nil
	}
}

// Wants returns the frames that pass the program on their way.
func (p *PFE) Wants() dataplane.Wants { return p.cfg.Wants }

// Claims says what a frame is to the program.
func (p *PFE) Claims(f dataplane.Frame) dataplane.Claim {
	if p.cfg.Wants.InTransit() {
		return dataplane.InTransit
	}
	return dataplane.MineIf(f.IsTo(p.cfg.ClaimPort))
}

// Remembers is true: a program may keep state in memory. One that does not keep
// anything between blocks says so in its engine.
func (p *PFE) Remembers() bool { return true }

// Ports returns the ports of all next hops.
func (p *PFE) Ports() (out []sansio.Port) {
	out = append(out, p.cfg.Others...)
	for _, to := range p.hops {
		out = append(out, to...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Handle takes what arrived, every frame as a packet of its own. What is due before
// comes first.
func (p *PFE) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	p.enter(now, eff)
	for i := range in {
		t := &in[i].Train
		p.source = t
		if t.Unstored > 0 {
			p.stored = max(p.stored, len(t.Header)+len(t.Payload(0)))
		}
		n := t.Frames()
		p.count.Add(CountPackets, uint64(n))
		for f := range n {
			p.arrived++
			if p.clock == nil {
				p.single.packet(t, f, in[i].Port)
			} else {
				p.receive(t, f, in[i].Port)
			}
		}
	}
	p.leave()
}

// Expire does what is due.
func (p *PFE) Expire(now units.Time, eff *sansio.Effects) {
	p.enter(now, eff)
	p.leave()
}

// enter begins a call: memory that the effects of earlier instants borrowed is free,
// and what is due is done.
func (p *PFE) enter(now units.Time, eff *sansio.Effects) {
	p.eff, p.latest = eff, nil
	for _, m := range p.given {
		eff.Drop(m)
	}
	clear(p.given)
	p.given = p.given[:0]
	if now > p.called {
		p.spare = append(p.spare, p.leaving...)
		clear(p.leaving)
		p.leaving = p.leaving[:0]
	}
	p.called = now
	if p.clock == nil {
		p.now = now
		p.single.timers()
	} else {
		p.advanceTo(now)
	}
	p.startTold()
}

// leave ends a call.
func (p *PFE) leave() {
	p.flush()
	p.eff, p.source = nil, nil
}

// NextDeadline returns when a timer or an external event starts a thread or, with a clock, when
// a packet may leave.
func (p *PFE) NextDeadline() units.Time {
	next := p.timers.next(p)
	if p.clock != nil {
		next = p.clock.deadline(next)
	}
	if len(p.told) > 0 {
		next = min(next, p.told[0].at)
	}
	return next
}

// newPacket returns a packet to fill.
func (p *PFE) newPacket() *packet {
	last := len(p.spare) - 1
	if last < 0 {
		return &packet{}
	}
	k := p.spare[last]
	p.spare = p.spare[:last]
	return k
}

// recycle gives a packet up.
func (p *PFE) recycle(k *packet) {
	p.release(k)
	if k.created {
		p.spare = append(p.spare, k) // what was sent of it is a copy
	} else {
		p.leaving = append(p.leaving, k)
	}
}

// release gives up what a packet has of the packet memory.
func (p *PFE) release(k *packet) {
	p.used -= k.charge
	k.charge = 0
	switch m := k.train.Memory; {
	case m == nil:
	case p.eff == nil:
		p.given = append(p.given, m)
	default:
		p.eff.Drop(m)
	}
	k.train.Memory = nil
}

// output takes a packet to the reorder engine; without a clock none waits there.
func (p *PFE) output(k *packet) {
	if p.clock != nil {
		p.clock.reach(k, p.now)
		return
	}
	p.emit(k)
	if k.created {
		p.recycle(k)
	}
}
