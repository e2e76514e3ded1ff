package job

import (
	"encoding/json"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/topo/plan"
)

// SwitchML is the protocol of that paper. Zero knobs are those of Trio §6.1,
// retransmission off among them.
type SwitchML struct {
	Elements   int  // values a packet, 64 or 256; zero means 256
	Slots      int  // pool size at full scale; zero means DefaultSlots
	Unscaled   bool // use Slots as they are
	Retransmit bool
	Timeout    units.Duration // zero means 10ms live (the public client's) and 1ms virtual (the paper's, §6.3)
}

// DefaultSlots is the pool of Trio §6.1.
const DefaultSlots = 512

// MinWindow is the least pool that a scaled run uses. A pool hides the round-trip
// time, which does not shrink with the link rate: live it is some 600us here
// (assumed: four links' delivery quantum, and two processes), in which
// 500 Mbit/s carry 34 SwitchML packets; App C rounds up to a power of two.
const MinWindow = 64

// switchmlSource is the UDP port of SwitchML workers, from the dynamic range
// (RFC 6335); the public client lets its user choose it.
const switchmlSource uint16 = 49200

// Retransmission timeouts by default.
const (
	liveTimeout    = 10 * units.Millisecond
	virtualTimeout = 1 * units.Millisecond
)

func (s SwitchML) elements() int { return or(s.Elements, 256) }

// Name returns "switchml256" or "switchml64".
func (s SwitchML) Name() string { return fmt.Sprintf("switchml%d", s.elements()) }

// Description says what it is.
func (s SwitchML) Description() string {
	what := fmt.Sprintf("SwitchML, %d values a packet", s.elements())
	if s.elements() == 64 { // the first in tables
		what += ": the whole pool waits for the slowest worker"
	}
	return what
}

// Configure reads the section "switchml", which both variants share.
func (s SwitchML) Configure(k Knobs) System {
	s.Slots = k.Int("switchml.pool", 1, program.MaxSlots)
	s.Unscaled = k.Flag("switchml.unscaled-pool")
	s.Retransmit = k.Flag("switchml.retransmit")
	s.Timeout = k.Duration("switchml.timeout", "default")
	return s
}

// Layout puts the pool into the one switch.
func (s SwitchML) Layout(j *Job) (Layout, error) {
	if err := j.OneEngine(); err != nil {
		return Layout{}, err
	}
	l := Layout{
		Programs: [][]any{{s.program(j)}},
		Port:     switchmlSource, Packet: s.packet(), Window: s.slots(j), Time: s.time(j), Block: s.elements(),
	}
	for _, h := range j.Hosts() {
		l.Cores = append(l.Cores, s.core(j, &h))
	}
	full := or(s.Slots, DefaultSlots)
	if n := s.slots(j); n*j.Scale > full+j.Scale-1 {
		l.Notes = append(l.Notes, fmt.Sprintf("pool of %d slots where %d divided by %d is %d: a pool hides the round-trip time, which does not shrink with link rates", n, full, j.Scale, (full+j.Scale-1)/j.Scale))
	}
	return l, nil
}

func (s SwitchML) core(j *Job, h *plan.Host) switchml.Config {
	timeout := liveTimeout
	if j.Virtual {
		timeout = virtualTimeout
	}
	return switchml.Config{
		Node: h.Name, Workers: len(j.Hosts()), Tensor: j.Params, Elements: s.elements(), Slots: s.slots(j), Job: j.ID,
		Flow: j.ToSwitch(h, switchmlSource, wire.Port), Timeout: or(s.Timeout, timeout), NoRetransmit: !s.Retransmit, Integers: j.Elements > 0, Sample: j.Sample,
	}
}

func (s SwitchML) program(j *Job) program.Config {
	sw := &j.Plan.Switches[0]
	c := program.Config{Node: sw.Name, Router: sw.Router, MAC: inet.MAC(sw.MAC), Elements: s.elements(), Slots: s.slots(j)}
	for _, h := range j.Hosts() {
		c.Workers = append(c.Workers, program.Worker{MAC: inet.MAC(h.MAC), Addr: h.Addr.Addr(), Port: sansio.Port(h.SwitchPort)})
	}
	return c
}

// packet returns the bytes of an IP packet.
func (s SwitchML) packet() int { return inet.IPv4Len + inet.UDPLen + wire.HeaderLen + 4*s.elements() }

func (s SwitchML) slots(j *Job) int {
	full := or(s.Slots, DefaultSlots)
	if s.Unscaled {
		return full
	}
	return min(full, max(MinWindow, (full+j.Scale-1)/j.Scale))
}

// time is one crossing of every packet: the blocks, and one packet with
// exponents only for each slot. A pool too small for the round trip waits for
// every result before the slot's next packet.
func (s SwitchML) time(j *Job) units.Duration {
	k, slots := s.elements(), s.slots(j)
	blocks := (j.Params + k - 1) / k
	size := inet.EtherLen + s.packet()
	line := j.FrameTime(blocks+min(slots, blocks)+1, size) + j.Latency(size)
	trip := j.FrameTime(2, size) + j.Latency(size) + 2*(j.Host.Latency+j.Host.Frame)
	return max(line, trip*units.Duration((blocks+slots-1)/slots+1))
}

// NewCore makes one worker's end of the protocol.
func (SwitchML) NewCore(config json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error) {
	cfg, err := Decode[switchml.Config](config)
	if err != nil {
		return nil, err
	}
	cfg.Recorder, cfg.Trace = rec, sink
	return switchml.New(cfg)
}

// NewEngine makes the program of the switch.
func (SwitchML) NewEngine(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	cfg, err := Decode[program.Config](config)
	if err != nil {
		return nil, err
	}
	cfg.Trace = sink
	return program.New(cfg)
}
