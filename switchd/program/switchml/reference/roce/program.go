package roce

import (
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/switchd/dataplane"
	switchmljob "github.com/inalab/inalab/switchd/program/switchml"
	switchml "github.com/inalab/inalab/switchd/program/switchml/reference"
)

// Reasons for which packets are dropped, beside those of the wire format and of
// package switchml.
const (
	DropUnknownWorker = "switchml-rdma-unknown-worker"
	DropUDP           = "switchml-rdma-worker-sends-udp"
	DropQueuePair     = "switchml-rdma-unknown-queue-pair"
	DropSequence      = "switchml-rdma-out-of-sequence"
	DropKey           = "switchml-rdma-key-of-another-queue-pair"
	DropShape         = "switchml-rdma-misshapen-message" // length, operation, or bytes of a packet
	DropICRC          = "switchml-rdma-wrong-icrc"
)

// Names of the other counters.
const (
	CountPackets  = "switchml-rdma-packets"
	CountSent     = "switchml-rdma-packets-sent"
	CountHeldBack = "switchml-rdma-results-held-back" // that do not go on with the message sent
)

// Config describes the program of one switch.
type Config struct {
	Node   string // name in trace events
	Router netip.Addr
	MAC    inet.MAC

	Jobs []switchmljob.Job `json:",omitempty"` // from the start; others come and go at run time
	Pool int               `json:",omitempty"` // slots of each set, for all jobs; zero: switchml.MaxSlots

	// Faithful leaves out what the paper does not say: see the package comment.
	Faithful bool `json:",omitempty"`

	// CheckICRC drops packets whose ICRC is wrong. That of hosts behind a kernel's
	// socket always is.
	CheckICRC bool `json:",omitempty"`

	Trace trace.Sink `json:"-"` // nil: no events
}

// Program is the aggregation program of one switch. It meets dataplane.Engine,
// Managed and Watched.
type Program struct {
	cfg     Config
	slots   *switchml.Program
	members map[[4]byte]*member // by address; looked up, never ranged
	packets map[uint8]int       // of a message, by job; likewise
	count   sansio.Tally
	inner   sansio.Effects // of slots
	body    []byte         // scratch: a packet for slots
}

// New returns the program of one switch.
func New(cfg Config) (*Program, error) {
	p := &Program{cfg: cfg, members: map[[4]byte]*member{}, packets: map[uint8]int{}}
	inner := switchml.Config{Node: cfg.Node, Router: cfg.Router, MAC: cfg.MAC, Pool: cfg.Pool, Faithful: cfg.Faithful}
	if cfg.Trace != nil {
		inner.Trace = messages{p}
	}
	var err error
	if p.slots, err = switchml.New(inner); err != nil {
		return nil, err
	}
	for i := range cfg.Jobs {
		j := cfg.Jobs[i]
		if r := j.Check(); r != nil {
			return nil, fmt.Errorf("configuring switchml-rdma on %s: %w", cfg.Node, r)
		}
		if _, err := p.add(0, &j); err != nil {
			return nil, fmt.Errorf("configuring switchml-rdma on %s: %w", cfg.Node, err)
		}
	}
	return p, nil
}

// Claims reports whether the frame is of RoCEv2, or of SwitchML over UDP.
func (p *Program) Claims(f dataplane.Frame) dataplane.Claim {
	if u := f.UDP(); u != nil && u.DstPort() == roce.Port {
		return dataplane.Mine
	}
	return p.slots.Claims(f)
}

// Wants asks for frames to the switch.
func (p *Program) Wants() dataplane.Wants { return p.slots.Wants() }

// PhaseMattered is false: there are no timers.
func (p *Program) PhaseMattered() bool { return p.slots.PhaseMattered() }

// Remembers is that of the slots.
func (p *Program) Remembers() bool { return p.slots.Remembers() }

func isRoCE(header []byte, l inet.Layout) bool {
	return l.Proto == inet.ProtoUDP && inet.UDP(header[l.Transport:]).DstPort() == roce.Port
}

// Ports returns the ports that lead to workers.
func (p *Program) Ports() []sansio.Port { return p.slots.Ports() }

// Counters returns packets, results and drops by name.
func (p *Program) Counters() []sansio.Count {
	var all sansio.Tally
	all.Merge(p.slots.Counters())
	all.Merge(p.count.List())
	return all.List()
}

// NextDeadline is never: the switch has no timers (§4.5).
func (p *Program) NextDeadline() units.Time { return units.Never }

// Expire does nothing.
func (p *Program) Expire(units.Time, *sansio.Effects) {}

// Handle takes the frames of the arrivals, those of UDP clients in runs.
func (p *Program) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := 0; i < len(in); i++ {
		t := &in[i].Train
		l, problem := t.Layout()
		if problem == inet.OK && isRoCE(t.Header, l) {
			p.train(now, t, eff)
			continue
		}
		if problem == inet.OK && p.members[inet.IPv4(t.Header[inet.EtherLen:]).SrcBytes()] != nil {
			p.count.Add(DropUDP, uint64(t.Frames()))
			continue
		}
		p.slots.Handle(now, in[i:i+1], eff)
	}
}

// train takes the frames of a train from a worker.
func (p *Program) train(now units.Time, t *sansio.Train, eff *sansio.Effects) {
	p.count.Add(CountPackets, uint64(t.Frames()))
	m := p.members[inet.IPv4(t.Header[inet.EtherLen:]).SrcBytes()]
	if m == nil {
		p.count.Add(DropUnknownWorker, uint64(t.Frames()))
		return
	}
	for f := range t.Frames() {
		var in packet
		reason := in.read(t.Header, t.Payload(f), t.Pad, p.cfg.CheckICRC)
		if reason == "" {
			reason = m.receive(&in, p.cfg.Faithful)
		}
		if reason != "" {
			p.drop(now, m, &in, reason)
			continue
		}
		p.aggregate(now, m, &in, eff)
	}
}

// aggregate hands a packet to its slot, and sends what comes of it.
func (p *Program) aggregate(now units.Time, m *member, in *packet, eff *sansio.Effects) {
	p.body = in.payload(p.body[:0], m)
	arrival := [1]sansio.Arrival{{Port: m.to[0], Train: sansio.Train{Header: m.up, Body: p.body, Pad: in.Counted}}}
	p.slots.Handle(now, arrival[:], &p.inner)
	for i := range p.inner.Sends {
		t := &p.inner.Sends[i].Train
		to := p.members[[4]byte(inet.IPv4(t.Header[inet.EtherLen:])[16:20])]
		for f := range t.Frames() {
			if to.send(in, t.Payload(f), t.Pad, p.cfg.Faithful, eff) {
				p.count.Add(CountSent, 1)
			} else {
				p.count.Add(CountHeldBack, 1)
			}
		}
	}
	p.inner.Reset()
}

func (p *Program) drop(now units.Time, m *member, in *packet, reason string) {
	p.count.Add(reason, 1)
	if p.cfg.Trace != nil {
		p.cfg.Trace.Event(&trace.Event{At: now, Kind: trace.Dropped, Node: p.cfg.Node, Job: m.job, Gen: in.phase, Block: uint32(in.pair), Source: uint8(m.rank), Note: reason})
	}
}

// messages is the sink of the slots' events, whose blocks become messages: the
// queue pair is the block, the message's number the generation.
type messages struct{ p *Program }

// Event passes an event on.
func (s messages) Event(e *trace.Event) {
	if n := s.p.packets[e.Job]; n > 0 {
		of := *e
		of.Block /= uint32(n)
		e = &of
	}
	s.p.cfg.Trace.Event(e)
}
