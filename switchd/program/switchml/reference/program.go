package reference

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// Program is the aggregation program of one switch. It meets dataplane.Engine,
// Managed, Watched and Lossy.
type Program struct {
	switchml.Table[*job]
	switchml.DropSimulator
	sansio.Untimed // §4.5

	cfg     switchml.Config
	count   sansio.Tally
	misfits []*job // to be refused after the batch at hand
}

// New returns the program of one switch.
func New(cfg switchml.Config) (*Program, error) {
	p, err := newProgram(&cfg, switchml.Limits{Workers: switchml.MaxWorkers, UDP: true})
	if err == nil {
		err = p.AddAll(cfg.Jobs, p.newJob)
	}
	if err != nil {
		return nil, fmt.Errorf("configuring switchml on %s: %w", cfg.Node, err)
	}
	return p, nil
}

// newProgram returns a program without jobs.
func newProgram(cfg *switchml.Config, l switchml.Limits) (*Program, error) {
	t, err := switchml.NewTable[*job](cfg, l)
	return &Program{Table: t, DropSimulator: switchml.NewDropSimulator(cfg.Node, cfg.Seed), cfg: *cfg}, err
}

// AddJob sets up a job as a [switchml.Job] says. Its registers are as at power up,
// whoever had them before: rank 0 resets a job by removing and adding it.
func (p *Program) AddJob(_ units.Time, d dataplane.Document) (uint8, error) {
	return p.Add(d, p.newJob)
}

// RemoveJob takes a job out and gives its slots back.
func (p *Program) RemoveJob(_ units.Time, id uint8) (dataplane.Removed, error) {
	_, out, err := p.Remove(id)
	if out.OpenBlocks > 0 {
		p.count.Add(switchml.CountRemoved, uint64(out.OpenBlocks))
	}
	return out, err
}

// Counters returns packets, results and drops by name.
func (p *Program) Counters() []sansio.Count { return p.count.List() }

// Handle runs Algorithm 3 for every frame of the arrivals.
func (p *Program) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		t := &in[i].Train
		p.count.Add(switchml.CountPackets, uint64(t.Frames()))
		dice := p.Dice(in[i].Port, false)
		if reason := p.train(now, t, dice, eff); reason != "" {
			p.count.Add(reason, uint64(t.Frames()))
			dice.Pass(t.Frames())
		}
	}
	for _, j := range p.Jobs() {
		if len(j.up)+len(j.down) > 0 {
			p.deliver(j, eff)
		}
	}
	for _, j := range p.misfits {
		p.Refuse(j)
	}
	p.misfits = p.misfits[:0]
}

// train takes the frames of a train to its job, or returns why it has none.
func (p *Program) train(now units.Time, t *sansio.Train, dice *switchml.Dice, eff *sansio.Effects) (reason string) {
	l, problem := t.Layout()
	switch {
	case problem != inet.OK:
		return string(problem)
	case l.Proto != inet.ProtoUDP:
		return switchml.DropNotUDP
	}
	src, udp := inet.IPv4(t.Header[inet.EtherLen:]).SrcBytes(), inet.UDP(t.Header[l.Transport:])
	if j, ok := p.OfParent(src, udp.SrcPort()); ok {
		for f := range t.Frames() {
			p.descend(now, j, udp.DstPort(), datagram(t, udp, f, dice.Lost()), eff)
		}
		return ""
	}
	j, place, ok := p.Member(src, udp.DstPort())
	switch {
	case !ok:
		return switchml.DropUnknownWorker
	case !j.Complete():
		j.Counts.Dropped += uint64(t.Frames())
		return switchml.DropIncomplete
	case j.Refused():
		j.Counts.Dropped += uint64(t.Frames())
		return switchml.DropRefused
	}
	from := sender{&j.workers[place], udp.SrcPort()}
	for f := range t.Frames() {
		p.packet(now, j, from, datagram(t, udp, f, dice.Lost()), eff)
	}
	return ""
}

// received is what came in a frame.
type received struct {
	packet
	bytes int  // of the payload, as UDP says: no more than there are
	lost  bool // by the drop simulator, if nothing is wrong with it
}

// datagram returns frame f of a train. The length in the header of several covers them
// all; each has what it needs.
func datagram(t *sansio.Train, udp inet.UDP, f int, lost bool) received {
	p := packet{t.Payload(f), t.Unstored}
	in := received{p, len(p.payload) + p.pad, lost}
	if t.Single() {
		in.bytes = udp.Len() - inet.UDPLen
	}
	return in
}

// read reads the header of a packet of a job. UDP is taken at its word: what it leaves
// out of a frame is not there, and what a frame has beyond it is too much.
func (j *job) read(h *wire.Header, in received) string {
	problem := h.Read(in.payload, in.pad)
	switch want := wire.HeaderLen + 4*h.Size.Elements(); problem {
	case wire.OK, wire.Truncated, wire.Oversized:
		if in.bytes < want {
			problem = wire.Truncated
		} else if in.bytes > want {
			problem = wire.Oversized
		}
	}
	if problem != wire.OK {
		return string(problem)
	}
	if in.lost {
		return switchml.DropArrival
	}
	return j.refuse(h)
}

// sender is the worker who sent a train, and the UDP port that it waits at.
type sender struct {
	*peer
	port uint16
}

// packet is Algorithm 3 for one packet. Some worker has gone on from the phase of a late
// packet, so that its result is known: a worker that still waits for it has its bit in the slot.
func (p *Program) packet(now units.Time, j *job, from sender, in received, eff *sansio.Effects) {
	j.Counts.Packets++
	j.Counts.Last = now
	var h wire.Header
	if reason := j.read(&h, in); reason != "" {
		p.drop(now, j, &h, from.id, reason)
		if j.Misfit(reason, from.id, int(h.Slot)) {
			p.misfits = append(p.misfits, j)
		}
		return
	}
	s, other := &j.pool[h.Set][h.Slot], &j.pool[1-h.Set][h.Slot]
	late, current := false, true
	if !p.cfg.Faithful {
		late, current = j.late(&h)
	}
	switch {
	case late && (!current || s.count != 0 || !s.seen.Has(from.id)):
		p.drop(now, j, &h, from.id, switchml.DropLate)
	case s.seen.Has(from.id):
		p.again(now, j, from, &h, s, eff)
	case s.count > 0 && in.pad != s.pad:
		p.drop(now, j, &h, from.id, switchml.DropMixed)
	default:
		other.seen.Clear(from.id)
		p.contribute(now, j, from, &h, s, in.packet, eff)
	}
}

// contribute takes in a packet that is new to the slot. The first of a phase
// overwrites; where one worker is the whole job, its count is 0.
func (p *Program) contribute(now units.Time, j *job, from sender, h *wire.Header, s *slot, in packet, eff *sansio.Effects) {
	s.seen.Set(from.id)
	if s.count == 0 {
		s.phase, s.since = h.PacketID, now
	}
	if s.count++; s.count == len(j.Workers) {
		s.count = 0
	}
	s.add(h, in, s.count == 1 || len(j.Workers) == 1)
	if p.cfg.Trace != nil {
		p.event(now, trace.Contribution, j, h, from.id, s.seen, "")
	}
	if s.count != 0 {
		return
	}
	j.Counts.Results++
	p.count.Add(switchml.CountResults, 1)
	if p.cfg.Trace != nil {
		p.event(now, trace.BlockSent, j, h, from.id, s.seen, "")
	}
	sum := result{s.answer(h, eff), from.port}
	if j.parent != nil {
		j.up = append(j.up, sum)
	} else {
		j.down = append(j.down, sum)
	}
}

// again handles a packet that the slot has seen: the result was lost on its way
// down, or is not there yet. A part of a job does not have it, and asks for it by
// sending its own sum once more (§7).
func (p *Program) again(now units.Time, j *job, from sender, h *wire.Header, s *slot, eff *sansio.Effects) {
	if s.count != 0 {
		p.drop(now, j, h, from.id, switchml.DropDuplicate)
		return
	}
	what := switchml.CountAnswered
	if j.parent != nil {
		what = switchml.CountSentUp
	}
	j.Counts.Answered++
	p.count.Add(what, 1)
	if p.cfg.Trace != nil { // peers in the next phase are not in seen any more
		p.event(now, trace.BlockSent, j, h, from.id, j.Everybody, what)
	}
	sum := s.answer(h, eff)
	if j.parent != nil {
		j.up = append(j.up, result{sum, from.port})
		return
	}
	p.send(p.leaving(j, from.peer), from.peer, from.template(from.udp, from.port), sum, eff)
}

// descend passes a result from the parent on to all workers, one of whom may be the
// only one that lacks it: the others know it by its packet id.
func (p *Program) descend(now units.Time, j *job, port uint16, in received, eff *sansio.Effects) {
	var h wire.Header
	if reason := j.read(&h, in); reason != "" {
		p.drop(now, j, &h, 0, reason)
		return
	}
	j.Counts.Passed++
	p.count.Add(switchml.CountPassedOn, 1)
	b := eff.Body(len(in.payload))
	copy(b, in.payload)
	j.down = append(j.down, result{packet{b, in.pad}, port})
}

func (p *Program) drop(now units.Time, j *job, h *wire.Header, w uint8, reason string) {
	j.Counts.Dropped++
	p.count.Add(reason, 1)
	if p.cfg.Trace != nil {
		p.cfg.Trace.Event(&trace.Event{At: now, Kind: trace.Dropped, Node: p.cfg.Node, Job: j.ID, Gen: h.PacketID, Block: j.Block(int(h.Slot)), Source: w, Note: reason})
	}
}

// event tells the trace, which there must be: that is asked for every packet, and
// costs less before a call with so many words.
func (p *Program) event(now units.Time, kind trace.Kind, j *job, h *wire.Header, w uint8, in trace.Mask, note string) {
	p.cfg.Trace.Event(&trace.Event{
		At: now, Kind: kind, Node: p.cfg.Node, Job: j.ID, Gen: h.PacketID, Block: j.Block(int(h.Slot)),
		Source: w, Mask: in, Count: in.Len(), Note: note,
	})
}
