package switchml

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
)

// Reasons for which packets are dropped, beside those of the wire format.
const (
	DropNotUDP        = "switchml-not-udp"
	DropUnknownWorker = "switchml-unknown-worker"
	DropWrongSize     = "switchml-size-of-another-job"
	DropSlotRange     = "switchml-slot-out-of-range"
	DropDuplicate     = "switchml-duplicate-in-open-slot"
	DropMixed         = "switchml-values-and-lengths-in-one-slot"
)

// Names of the other counters.
const (
	CountPackets  = "switchml-packets"
	CountResults  = "switchml-results"
	CountAnswered = "switchml-retransmissions-answered"
)

// MaxSlots is the capacity of the public switch program, slots of each set.
const MaxSlots = 8192

// Config describes the program of one switch with one job.
type Config struct {
	Node     string // name in trace events
	Router   netip.Addr
	MAC      inet.MAC
	Elements int // values a packet: 64 or 256 (§5)
	Slots    int // pool size s, 1 to MaxSlots
	Workers  []Worker
	Trace    trace.Sink `json:"-"` // nil: no events
}

// Worker is one member of the job, in the order of worker ids.
type Worker struct {
	MAC  inet.MAC
	Addr netip.Addr
	Port sansio.Port // port of the chassis that leads to it
}

func (c Config) validate() error {
	var errs []error
	if c.Elements != 64 && c.Elements != 256 {
		errs = append(errs, fmt.Errorf("%d elements a packet: the switch program has variants for 64 and 256", c.Elements))
	}
	if c.Slots < 1 || c.Slots > MaxSlots {
		errs = append(errs, fmt.Errorf("pool of %d slots: 1 to %d are possible", c.Slots, MaxSlots))
	}
	if n := len(c.Workers); n < 1 || n > 256 {
		errs = append(errs, fmt.Errorf("job of %d workers: 1 to 256 are possible", n))
	}
	if !c.Router.Is4() {
		errs = append(errs, fmt.Errorf("router address %v: it must be an IPv4 address", c.Router))
	}
	for i, w := range c.Workers {
		if !w.Addr.Is4() {
			errs = append(errs, fmt.Errorf("address %v of worker %d: it must be an IPv4 address", w.Addr, i))
		}
	}
	return errors.Join(errs...)
}

// Program is the aggregation program of one switch. It meets dataplane.Engine.
type Program struct {
	cfg       Config
	n         int
	workers   []worker
	everybody trace.Mask
	byAddr    map[[4]byte]uint8 // looked up, never ranged
	pool      [2][]slot
	done      []result // results of the batch at hand, for one send to each worker
	count     sansio.Tally
	heard     units.Time // when the latest packet came
}

// slot is pool, count and seen of Algorithm 3 for one set and index.
type slot struct {
	values []byte // big-endian int32; none where the packets carry lengths only
	pad    int    // bytes that are only counted, of each packet
	count  int
	seen   trace.Mask
	e0, e1 int8
	phase  uint32 // packet id and time of the first packet, for who asks what is open
	since  units.Time
}

// result is a finished packet and the UDP ports that it answers.
type result struct {
	packet
	src, dst uint16
}

// New returns the program of one switch.
func New(cfg Config) (*Program, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring switchml on %s: %w", cfg.Node, err)
	}
	p := &Program{cfg: cfg, n: len(cfg.Workers), byAddr: map[[4]byte]uint8{}}
	for i, w := range cfg.Workers {
		p.byAddr[w.Addr.As4()] = uint8(i)
		p.everybody.Set(uint8(i))
		p.workers = append(p.workers, worker{Worker: w, to: []sansio.Port{w.Port}})
	}
	if len(p.byAddr) != p.n {
		return nil, fmt.Errorf("configuring switchml on %s: two workers share an address", cfg.Node)
	}
	for v := range p.pool {
		p.pool[v] = make([]slot, cfg.Slots)
	}
	return p, nil
}

// Claims reports whether the frame is a SwitchML packet.
func (p *Program) Claims(header []byte, l inet.Layout) bool {
	return l.Proto == inet.ProtoUDP && inet.UDP(header[l.Transport:]).DstPort() == wire.Port
}

// Counters returns packets, results and drops by name.
func (p *Program) Counters() []sansio.Count { return p.count.List() }

// NextDeadline is never: the switch has no timers (§4.5).
func (p *Program) NextDeadline() units.Time { return units.Never }

// Expire does nothing.
func (p *Program) Expire(units.Time, *sansio.Effects) {}

// Handle runs Algorithm 3 for every frame of the arrivals.
func (p *Program) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	p.done = p.done[:0]
	for i := range in {
		t := &in[i].Train
		p.count.Add(CountPackets, uint64(t.Frames()))
		p.heard = now
		l, problem := t.Layout()
		if problem != inet.OK {
			p.count.Add(string(problem), uint64(t.Frames()))
			continue
		}
		if l.Proto != inet.ProtoUDP {
			p.count.Add(DropNotUDP, uint64(t.Frames()))
			continue
		}
		ip, udp := inet.IPv4(t.Header[inet.EtherLen:]), inet.UDP(t.Header[l.Transport:])
		w, ok := p.byAddr[ip.SrcBytes()]
		if !ok {
			p.count.Add(DropUnknownWorker, uint64(t.Frames()))
			continue
		}
		from := sender{w, udp.SrcPort(), udp.DstPort()}
		for f := range t.Frames() {
			p.packet(now, from, packet{t.Payload(f), t.Pad}, eff)
		}
	}
	p.multicast(eff)
}

// sender is the worker who sent a train, and the UDP ports of the train.
type sender struct {
	worker   uint8
	src, dst uint16
}

// packet is a UDP payload; the last pad bytes of it, all values or none, are
// only counted.
type packet struct {
	payload []byte
	pad     int
}

// packet is Algorithm 3 for one packet.
func (p *Program) packet(now units.Time, from sender, in packet, eff *sansio.Effects) {
	w := from.worker
	var h wire.Header
	reason := string(h.Read(in.payload, in.pad))
	if reason == "" {
		reason = p.refuse(&h)
	}
	if reason != "" {
		p.drop(now, h, w, reason)
		return
	}
	s, other := &p.pool[h.Set][h.Slot], &p.pool[1-h.Set][h.Slot]
	if s.seen.Has(w) {
		p.again(now, from, h, s, eff)
		return
	}
	if s.count > 0 && in.pad != s.pad {
		p.drop(now, h, w, DropMixed)
		return
	}
	s.seen.Set(w)
	other.seen.Clear(w)
	if s.count == 0 {
		s.phase, s.since = h.PacketID, now
	}
	if s.count++; s.count == p.n {
		s.count = 0
	}
	p.add(s, &h, in)
	if p.cfg.Trace != nil {
		p.event(now, trace.Contribution, h, s.seen, w, "")
	}
	if s.count == 0 {
		p.count.Add(CountResults, 1)
		if p.cfg.Trace != nil {
			p.event(now, trace.BlockSent, h, s.seen, w, "")
		}
		p.done = append(p.done, result{src: from.src, dst: from.dst})
		p.done[len(p.done)-1].packet = s.answer(&h, eff)
	}
}

// refuse returns why a packet is not of this job, or nothing.
func (p *Program) refuse(h *wire.Header) string {
	switch {
	case h.Size.Elements() != p.cfg.Elements:
		return DropWrongSize
	case int(h.Slot) >= p.cfg.Slots:
		return DropSlotRange
	}
	return ""
}

// add takes the packet's values into the slot. The first packet of a phase
// overwrites: its count is 1, or 0 where one worker is the whole job.
func (p *Program) add(s *slot, h *wire.Header, in packet) {
	values := in.payload[wire.HeaderLen:]
	if s.count == 1 || p.n == 1 {
		s.values, s.pad = append(s.values[:0], values...), in.pad
		s.e0, s.e1 = h.E0, h.E1
		return
	}
	vec.AddBE(s.values, values)
	s.e0, s.e1 = max(s.e0, h.E0), max(s.e1, h.E1)
}

// again handles a packet that the slot has seen: the result was lost on its way
// down, or is not there yet.
func (p *Program) again(now units.Time, from sender, h wire.Header, s *slot, eff *sansio.Effects) {
	w := from.worker
	if s.count != 0 {
		p.drop(now, h, w, DropDuplicate)
		return
	}
	p.count.Add(CountAnswered, 1)
	if p.cfg.Trace != nil { // peers in the next phase are not in seen any more
		p.event(now, trace.BlockSent, h, p.everybody, w, CountAnswered)
	}
	to, answer := &p.workers[w], s.answer(&h, eff)
	eff.EmitPadded(to.to, to.template(&p.cfg, from.dst, from.src), answer.payload, answer.pad)
}

// answer builds the payload of a result: the trigger's header with the slot's
// exponents, and the sums.
func (s *slot) answer(trigger *wire.Header, eff *sansio.Effects) packet {
	b := eff.Body(wire.HeaderLen + len(s.values))
	h := *trigger
	h.E0, h.E1 = s.e0, s.e1
	h.Put(b)
	copy(b[wire.HeaderLen:], s.values)
	return packet{b, s.pad}
}

// multicast sends the batch's results to every worker, worker by worker, so
// that each gets them as one train.
func (p *Program) multicast(eff *sansio.Effects) {
	for i := range p.workers {
		w := &p.workers[i]
		for k := range p.done {
			r := &p.done[k]
			eff.EmitPadded(w.to, w.template(&p.cfg, r.dst, r.src), r.payload, r.pad)
		}
	}
}

// worker is a member of the job and the header templates of packets to it.
type worker struct {
	Worker
	to        []sansio.Port
	templates []template
}

type template struct {
	src, dst uint16
	header   []byte
}

// maxTemplates bounds the pairs of UDP ports that are remembered for a worker:
// one for each thread of the public client, which has at most 16 (assumed).
const maxTemplates = 64

func (w *worker) template(cfg *Config, src, dst uint16) []byte {
	for _, t := range w.templates {
		if t.src == src && t.dst == dst {
			return t.header
		}
	}
	if len(w.templates) == maxTemplates {
		w.templates = w.templates[:0]
	}
	h := inet.UDPHeader(inet.Flow{SrcMAC: cfg.MAC, DstMAC: w.MAC, Src: cfg.Router, Dst: w.Addr, SrcPort: src, DstPort: dst})
	w.templates = append(w.templates, template{src: src, dst: dst, header: h})
	return h
}

func (p *Program) drop(now units.Time, h wire.Header, w uint8, reason string) {
	p.count.Add(reason, 1)
	if p.cfg.Trace != nil {
		p.cfg.Trace.Event(&trace.Event{At: now, Kind: trace.Dropped, Node: p.cfg.Node, Job: h.Job, Gen: h.PacketID, Block: uint32(h.Slot), Source: w, Note: reason})
	}
}

// event tells the trace, which there must be: that is asked for every packet, and
// costs less before a call with so many words.
func (p *Program) event(now units.Time, kind trace.Kind, h wire.Header, in trace.Mask, w uint8, note string) {
	p.cfg.Trace.Event(&trace.Event{
		At: now, Kind: kind, Node: p.cfg.Node, Job: h.Job, Gen: h.PacketID, Block: uint32(h.Slot),
		Source: w, Mask: in, Count: in.Len(), Note: note,
	})
}
