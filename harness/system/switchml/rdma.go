package switchml

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchmlrdma"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
	"github.com/inalab/inalab/topo/plan"
)

// RDMA is System over RoCEv2 (System §5, App B), in packets of 256
// values. Zero knobs are those of [SwitchML].
type RDMA struct {
	Packets    int  // a message; zero means 16 (§5); the public client's messages have 4
	Slots      int  // pool size at full scale; zero means DefaultSlots
	Unscaled   bool // use Slots as they are
	Retransmit bool
	Timeout    units.Duration // zero: as in System
	Faithful   bool           // the switch without what the paper does not say: see package reference
	Pipe       Pipe           // what aggregates in the switch
}

// rdmaConfig is the configuration of the switch.
type rdmaConfig struct {
	Program program.Config
	Pipe    Pipe     `json:",omitzero"`
	Ports   int      `json:",omitzero"` // of the chassis; zero: all that a pipeline can have
	Seed    rng.Root // of the drop simulator
}

// rdmaElements are the values of a packet.
const rdmaElements = 256

// rdmaQPN is the number of a host's first queue pair. Numbers 0 and 1 are for
// management (InfiniBand architecture); the rest is for the card to choose (assumed).
const rdmaQPN = 0x100

func (s RDMA) packets() int { return cmp.Or(s.Packets, switchmlrdma.DefaultPackets) }

// Name returns "switchml-rdma".
func (RDMA) Name() string { return "switchml-rdma" }

// Description says what it is.
func (s RDMA) Description() string {
	return fmt.Sprintf("System over RoCEv2, messages of %d packets; live over kernel UDP, no RDMA card", s.packets())
}

// Configure reads what it needs of the section "switchml", which the other variants
// share.
func (s RDMA) Configure(k job.Knobs) job.System {
	s.Slots = k.Int("switchml.pool", 1, program.MaxSlots)
	s.Unscaled = k.Flag("switchml.unscaled-pool")
	s.Retransmit = k.Flag("switchml.retransmit")
	s.Timeout = k.Duration("switchml.timeout", "default")
	s.Faithful = k.Flag("switchml.faithful")
	s.Pipe.configure(k)
	s.Packets, _ = strconv.Atoi(k.Choice("switchml.message-packets", "16", "8", "4", "2", "1"))
	return s
}

// queues returns how many messages are on their way, at least one.
func (s RDMA) queues(j *job.Job) int {
	n := cmp.Or(s.Slots, DefaultSlots)
	if !s.Unscaled {
		n = min(n, max(MinWindow, (n+j.Scale-1)/j.Scale))
	}
	return max(1, n/s.packets())
}

// Layout puts the pool into the one switch.
func (s RDMA) Layout(j *job.Job) (job.Layout, error) {
	if err := j.OneEngine(); err != nil {
		return job.Layout{}, err
	}
	if n := len(j.Hosts()); n > program.MaxRanks {
		return job.Layout{}, fmt.Errorf("%s aggregates for %d workers at most, and topology %s has %d: give the job fewer hosts", s.Name(), program.MaxRanks, j.Plan.Name, n)
	}
	q, m := s.queues(j), s.packets()
	sw := &j.Plan.Switches[0]
	of := program.Config{
		Node: sw.Name, Router: sw.Router, MAC: inet.MAC(sw.MAC), Jobs: []program.Job{s.document(j)}, Faithful: s.Faithful, CheckICRC: j.Virtual,
	}
	pipe, notes, err := s.Pipe.unless(j, func() string { return s.unfit(j, &of) })
	if err != nil {
		return job.Layout{}, err
	}
	l := job.Layout{
		Programs: [][]any{{rdmaConfig{Program: of, Pipe: pipe, Ports: pipePorts(sw), Seed: j.Seed}}}, Notes: notes,
		Port: roce.Port, Packet: rdmaFrame(0, m) - inet.EtherLen, Window: q * m, Time: s.time(j, pipe), Block: m * rdmaElements,
	}
	for i, h := range j.Hosts() {
		l.Cores = append(l.Cores, s.core(j, i, &h))
	}
	if full := cmp.Or(s.Slots, DefaultSlots); q*m*j.Scale > full+j.Scale-1 {
		l.Notes = append(l.Notes, fmt.Sprintf("pool of %d slots where %d divided by %d is %d: a pool hides the round-trip time, which does not shrink with link rates", q*m, full, j.Scale, (full+j.Scale-1)/j.Scale))
	}
	return l, nil
}

// unfit says why the program of a switch cannot run on a pipeline; "" if it can.
func (s RDMA) unfit(j *job.Job, c *program.Config) string {
	if j.Sample.Every > 1 {
		return "packets carry lengths in place of values"
	}
	of := &c.Jobs[0]
	if n := len(of.Workers) * s.queues(j); n > pipeline.MaxQueuePairs {
		return fmt.Sprintf("%s would have %d queue pairs, and its registers are for %d", c.Node, n, pipeline.MaxQueuePairs)
	}
	for i := range of.Workers {
		if why := unfitPort(c.Node, of.Workers[i].Port); why != "" {
			return why
		}
	}
	return ""
}

// document is the job as a control plane would set it up.
func (s RDMA) document(j *job.Job) program.Job {
	hosts, q := j.Hosts(), s.queues(j)
	out := program.Job{
		ID: j.ID, Elements: rdmaElements, Slots: q * s.packets(), NumWorkers: len(hosts),
		RDMA: &program.RDMA{MessageBytes: 4 * rdmaElements * s.packets()},
	}
	for i := range hosts {
		h, own := &hosts[i], &program.Queues{RKey: rdmaKey(i)}
		for k := range q {
			own.QPNs, own.PSNs = append(own.QPNs, rdmaQPN+uint32(k)), append(own.PSNs, 0)
		}
		out.Workers = append(out.Workers, program.Worker{ID: uint8(i), MAC: inet.MAC(h.MAC), Addr: h.Addr.Addr(), Port: sansio.Port(h.SwitchPort), RDMA: own})
	}
	return out
}

// rdmaKey is that of a worker's memory: any number does, of which each has its own.
func rdmaKey(worker int) uint32 { return 0x1000 + uint32(worker) }

func (s RDMA) core(j *job.Job, i int, h *plan.Host) switchmlrdma.Config {
	timeout := liveTimeout
	if j.Virtual {
		timeout = virtualTimeout
	}
	return switchmlrdma.Config{
		Node: h.Name, Workers: len(j.Hosts()), Tensor: j.Params, Elements: rdmaElements, Packets: s.packets(), Queues: s.queues(j), Job: j.ID,
		Flow: j.ToSwitch(h, roce.Port, roce.Port),
		QPN:  rdmaQPN, PeerQPN: program.QPN(i, 0), Key: rdmaKey(i), PeerKey: program.PoolRKey,
		Timeout: cmp.Or(s.Timeout, timeout), NoRetransmit: !s.Retransmit, CheckICRC: j.Virtual, Integers: j.Elements > 0, Sample: j.Sample,
	}
}

// rdmaFrame returns the bytes of packet i of a message, without framing.
func rdmaFrame(i, packets int) int {
	p := roce.Packet{Opcode: roce.Write(i, packets)}
	return inet.UDPHeaders + p.Headers() + 4*rdmaElements + roce.ICRCLen
}

// time is one crossing of every message: the blocks, and one message with an
// exponent only for each queue pair. Packets are answered one by one, so that the
// last one's way down is that of a packet. A pool too small for the round trip waits
// for every result before the queue pair's next message.
func (s RDMA) time(j *job.Job, pipe Pipe) units.Duration {
	m, queues, k := s.packets(), s.queues(j), s.packets()*rdmaElements
	blocks := (j.Params + k - 1) / k
	var message units.Duration
	for i := range m {
		message += j.FrameTime(1, rdmaFrame(i, m))
	}
	last := rdmaFrame(m-1, m)
	after := j.Latency(last) + j.FrameTime(1, last)
	line := message*units.Duration(blocks+min(queues, blocks)) + after
	trip := message + after + 2*(j.Host.Latency+j.Host.Frame) + pipe.takes(rdmaElements)
	return max(line, trip*units.Duration((blocks+queues-1)/queues+1))
}

// Pool returns the queue pairs, which are to messages what slots are to packets.
func (s RDMA) Pool(j *job.Job) (slots, lead int) {
	if j.Elements == 0 {
		lead = 1
	}
	return s.queues(j), lead
}

// Merge gives a switch the jobs of all, each with its part of the pool. Where one of
// them needs the reference program it is that of all.
func (RDMA) Merge(programs []any) (any, error) {
	out := programs[0].(rdmaConfig)
	out.Program.Jobs = slices.Clone(out.Program.Jobs)
	for _, p := range programs[1:] {
		next := p.(rdmaConfig)
		if next.Program.Faithful != out.Program.Faithful {
			return nil, fmt.Errorf("jobs want %s to be two programs, one of them faithful", out.Program.Node)
		}
		if !next.Pipe.Pipeline {
			out.Pipe = next.Pipe
		}
		out.Program.Jobs = append(out.Program.Jobs, next.Program.Jobs...)
	}
	_, err := out.engine() // whether they can be beside one another
	return out, err
}

// NewCore makes one worker's end of the protocol.
func (RDMA) NewCore(config json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error) {
	cfg, err := job.Decode[switchmlrdma.Config](config)
	if err != nil {
		return nil, err
	}
	cfg.Recorder, cfg.Trace = rec, sink
	return switchmlrdma.New(cfg)
}

// NewEngine makes what aggregates in the switch.
func (RDMA) NewEngine(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	cfg, err := job.Decode[rdmaConfig](config)
	if err != nil {
		return nil, err
	}
	cfg.Program.Trace = sink
	return cfg.engine()
}

func (c *rdmaConfig) engine() (dataplane.Engine, error) {
	if !c.Pipe.Pipeline {
		return reference.NewRDMA(c.Program)
	}
	o := c.Pipe.options(c.Ports, c.Seed)
	o.RDMA = true
	return pipeline.New(c.Program, o)
}
