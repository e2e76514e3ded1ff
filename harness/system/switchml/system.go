package switchml

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
	host "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/nodes/switchmlrdma"
	"github.com/inalab/inalab/nodes/worker"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/topo/plan"
)

// System is the protocol of that paper. Zero knobs are those of Trio §6.1,
// retransmission off among them.
type System struct {
	Transport  Transport
	Elements   int  // values a packet, 32, 64 or 256; zero means 256, as RoCE always has
	Packets    int  // of a message, over RoCE; zero means 16 (§5); the public client's messages have 4
	Slots      int  // pool size at full scale; zero means DefaultSlots
	Unscaled   bool // use Slots as they are
	Retransmit bool
	Timeout    units.Duration // zero: that of [System.defaultTimeout]; a job refuses one below the round trip of a full pool
	Faithful   bool           // no check for late packets, as in the paper and the public switch program
	Host       Host
	Pipe       Pipe // what aggregates in switches
}

// Transport is what carries packets.
type Transport string

// The transports.
const (
	UDP  Transport = ""     // as in the paper's body
	RoCE Transport = "roce" // messages over RoCEv2 (SwitchML §5, App B)
)

// DefaultSlots is the pool of Trio §6.1.
const DefaultSlots = 512

// switchmlSource is the UDP port of SwitchML workers, from the dynamic range
// (RFC 6335); the public client lets its user choose it.
const switchmlSource uint16 = 49200

// inATP is the values of a packet in SwitchML as the authors of ATP built it to compare themselves with:
// 180 bytes with all headers, of what a switch of theirs adds in one pass (ATP §5.1). Their
// workers send again after 1 ms (ATP §5.2.3).
const inATP = 32

func (s System) elements() int { return cmp.Or(s.Elements, 256) }

// Name returns "switchml256", "switchml64", "switchml180" or "switchml-rdma". The third is called by
// the bytes of its packets, as in the figures of ATP.
func (s System) Name() string {
	switch {
	case s.Transport == RoCE:
		return "switchml-rdma"
	case s.elements() == inATP:
		return "switchml180"
	}
	return fmt.Sprintf("switchml%d", s.elements())
}

// Rank is its place in tables, larger packets first. RoCE has none of its own.
func (s System) Rank() int {
	switch {
	case s.Transport == RoCE:
		return job.Unranked
	case s.elements() == 64:
		return job.RankInNetwork + 10
	case s.elements() == inATP:
		return job.RankInNetwork + 15
	}
	return job.RankInNetwork
}

// Baseline is the variant of 256 values: tables compare with it as Trio's figures do
// (Trio §6).
func (System) Baseline() result.Baseline {
	return result.Baseline{System: System{}.Name(), Key: "switchml", Word: "SwitchML"}
}

// Description says what it is.
func (s System) Description() string {
	if s.Transport == RoCE {
		return fmt.Sprintf("SwitchML over RoCEv2, messages of %d packets; live over kernel UDP, no RDMA card", s.packets())
	}
	what := fmt.Sprintf("SwitchML, %d values a packet", s.elements())
	switch s.elements() {
	case 64: // the first in tables
		what += ": the whole pool waits for the slowest worker"
	case inATP:
		what += " of 180 bytes, sent again after 1 ms: as ATP compares itself with it"
	}
	return what
}

// Configure reads what the variant needs of the section "switchml", which all share.
func (s System) Configure(k job.Knobs) job.System {
	s.Slots = k.Int("switchml.pool", 1, program.MaxSlots)
	s.Unscaled = k.Flag("switchml.unscaled-pool")
	s.Retransmit = k.Flag("switchml.retransmit")
	s.Timeout = k.Duration("switchml.timeout", "default")
	if s.elements() == inATP {
		s.Timeout = k.Duration("switchml.timeout180", "", "default")
	}
	s.Faithful = k.Flag("switchml.faithful")
	s.Pipe.configure(k)
	if s.Transport == RoCE {
		s.Packets, _ = strconv.Atoi(k.Choice("switchml.message-packets", "16", "8", "4", "2", "1"))
	} else {
		s.Host.configure(k)
	}
	return s
}

// Layout lays the system over the hosts and switches of a job.
func (s System) Layout(j *job.Job) (job.Layout, error) {
	if s.Transport == RoCE {
		return s.layoutRDMA(j)
	}
	return s.layoutUDP(j)
}

// layoutUDP puts a part of the pool into every switch on the way of packets.
func (s System) layoutUDP(j *job.Job) (job.Layout, error) {
	if err := s.Host.validate(j); err != nil {
		return job.Layout{}, err
	}
	if err := s.checkTimeout(j); err != nil {
		return job.Layout{}, err
	}
	levels, err := s.levels(j)
	if err != nil {
		return job.Layout{}, err
	}
	if s.half() {
		if err := halfPlaces(s.elements(), len(levels.hops)); err != nil {
			return job.Layout{}, err
		}
	}
	s.Pipe.Half = s.half()
	pipe, notes, err := s.Pipe.choose(j, levels.out)
	if err != nil {
		return job.Layout{}, err
	}
	l := job.Layout{
		Programs: pipe.wrap(j, levels.out), Engines: levels.engines(),
		Port: switchmlSource, Packet: s.packet(), Window: s.slots(j), Time: s.time(j, levels, pipe), Block: s.values(),
		Timeout: s.resends(j), TimeoutRule: s.timeoutRule(j), Cautions: s.poolCaution(j),
		Notes: slices.Concat(s.Host.notes(j), notes, s.poolNote(j, s.slots(j)), s.timeoutNote(j)), Half: s.half(),
	}
	for _, h := range j.Hosts() {
		l.Cores = append(l.Cores, s.core(j, &h))
	}
	return l, nil
}

func (s System) core(j *job.Job, h *plan.Host) host.Config {
	c := host.Config{
		Node: h.Name, Workers: len(j.Hosts()), Tensor: j.Params, Elements: s.words(), Slots: s.slots(j), Job: j.ID,
		Flow:    inet.Flow{SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MAC(h.GatewayMAC), Src: h.Addr.Addr(), Dst: h.Gateway, SrcPort: switchmlSource, DstPort: wire.Port},
		Timeout: s.timeout(j), NoRetransmit: !s.Retransmit, Integers: j.Elements > 0, Sample: j.Sample,
	}
	s.Host.apply(&c, j)
	return c
}

// Merge gives a switch the jobs of all, each with its part of the pool. Where one of
// them needs the reference program it is that of all.
func (s System) Merge(programs []any) (any, error) {
	out := programs[0].(switchmlConfig)
	out.Program.Jobs = slices.Clone(out.Program.Jobs)
	for _, p := range programs[1:] {
		next := p.(switchmlConfig)
		if next.Program.Faithful != out.Program.Faithful {
			return nil, fmt.Errorf("jobs want %s to be two programs, one that checks for late packets and one that does not", out.Program.Node)
		}
		if next.Pipe.Half != out.Pipe.Half {
			return nil, fmt.Errorf("jobs want %s to be two programs, one that adds 16-bit floats and one that adds int32: give them the same switchml.values", out.Program.Node)
		}
		if !next.Pipe.Pipeline {
			out.Pipe = next.Pipe
		}
		out.Program.Jobs = append(out.Program.Jobs, next.Program.Jobs...)
	}
	_, err := s.engine(out) // whether they can be beside one another
	return out, err
}

// packet returns the bytes of an IP packet.
func (s System) packet() int { return inet.IPv4Len + inet.UDPLen + wire.HeaderLen + 4*s.words() }

// values returns the values of a packet.
func (s System) values() int { return s.Host.Values.Count(s.words()) }

// half reports whether packets carry floats of 16 bits.
func (s System) half() bool { return s.Host.Values == host.Half }

// words returns the words of 32 bits of a packet. The pipeline has registers for as many
// values of 16 bits as of 32; that hosts alone put two into a word is not its affair.
func (s System) words() int {
	if s.half() {
		return s.elements() / 2
	}
	return s.elements()
}

// Pool returns the pool, or over RoCE the queue pairs, which are to messages as slots
// are to packets. Training exchanges exponents first (SwitchML §4.4 and App. C).
func (s System) Pool(j *job.Job) (slots, lead int) {
	if j.Elements == 0 {
		lead = 1
	}
	if s.Transport == RoCE {
		return s.queues(j), lead
	}
	return s.slots(j), lead
}

// time is one crossing of every packet: the blocks, and one packet with
// exponents only for each slot. A pool too small for the round trip waits for
// every result before the slot's next packet.
func (s System) time(j *job.Job, l *levels, pipe Pipe) units.Duration {
	slots, calls := s.slots(j), s.Host.calls(j)
	blocks := s.Host.blocks(j, s.values())
	size := inet.EtherLen + s.packet()
	latency := j.Latency(size) + j.Climb(l.hops, size)
	line := j.FrameTime(blocks+calls*min(slots, blocks)+1, size) + latency
	trip := j.FrameTime(2, size) + latency + 2*(j.Host.Latency+j.Host.Frame) + pipe.takes(s.elements())*units.Duration(len(l.hops))
	return max(line, trip*units.Duration((blocks+slots-1)/slots+calls))
}

// NewCore makes one worker's end of the protocol.
func (s System) NewCore(config json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error) {
	if s.Transport == RoCE {
		return job.Make(config, switchmlrdma.New, func(c *switchmlrdma.Config) { c.Recorder, c.Trace = rec, sink })
	}
	return job.Make(config, host.New, func(c *host.Config) { c.Recorder, c.Trace = rec, sink })
}

// Recovers says that workers send lost packets again, if they may.
func (s System) Recovers() error {
	if s.Retransmit {
		return nil
	}
	return errors.New("its workers do not send lost packets again: set switchml.retransmit: true")
}
