package trioml

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/nodes/gradient"
	host "github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
	"github.com/inalab/inalab/switchd/program/user"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
	"github.com/inalab/inalab/topo/plan"
)

// System is Trio-ML. Zero knobs are the paper's (§6.1).
type System struct {
	Grads   int            // gradients per packet
	Window  int            // packets in flight at full scale
	Timeout units.Duration // of the timer threads
	Threads int            // timer threads
	Late    program.LatePolicy
	Age     program.AgePolicy
	Wake    host.WakePolicy
	NoAging bool

	// TopPatience is the timeout of a level of PFEs, in those of the one below it
	// (ambiguity trio.hier-timeout); zero: 3.
	TopPatience int

	// Caps of the job at each PFE (§4, Fig 17), whatever the scale.
	BlockMax int // block_cnt_max, concurrent blocks; zero: the program's default, or the window if that is more
	GradMax  int // block_grad_max, gradients of a packet; zero: the program's default

	PFE PFE

	// AddRate is how fast a PFE adds gradients, in bits of them; zero takes no
	// time. Under the virtual clock, and not divided by the scale, a PFE is then
	// one server of that rate. It is for a PFE that takes no time itself.
	AddRate units.Rate
}

// PFE is what a packet forwarding engine is. The zero value is an emulated PFE
// that runs the Microcode program and takes no time.
type PFE struct {
	Reference bool         // the reference program in place of Microcode
	PPEs      int          // zero: trio.DefaultPPEs
	Threads   int          // of each PPE; zero: trio.DefaultThreads
	Timing    *trio.Timing // under the virtual clock, and not divided by the scale; nil: it takes no time
	Memory    mem.Config   // shared memory; zero values: its defaults

	// Scan is what timer threads of the reference program take, under the virtual clock,
	// and not divided by the scale; zero: no time.
	Scan reference.ScanTime `json:",omitzero"`

	// Stragglers has the PFE tell temporary from permanent stragglers, and the workers
	// divide the share of one that is out of service; nil: it tells nobody.
	Stragglers *program.Stragglers `json:",omitempty"`
}

// pfeConfig is the configuration of a PFE.
type pfeConfig struct {
	Program program.Config
	PFE     PFE `json:",omitzero"`
}

// Words of the knob trio.pfe.
const (
	pfeMicrocode = "microcode"
	pfeReference = job.Reference
)

// Engine names the engine of a switch that it is for.
func (c pfeConfig) Engine() string {
	if c.PFE.Reference {
		return pfeReference
	}
	return user.Chip
}

// RunsOn names what aggregates.
func (c pfeConfig) RunsOn() string {
	if c.PFE.Reference {
		return pfeReference
	}
	return job.OnSwitch(pfeMicrocode, c.PFE.Timing != nil)
}

// topPatience is the default of TopPatience (ambiguity trio.hier-timeout: at least
// twice, and a margin): a PFE below may age a block
// up to two timeouts after its sources fell silent.
const topPatience = 3

// Name returns "trioml".
func (System) Name() string { return "trioml" }

// Engines are those of a switch that can run it.
func (System) Engines() []string { return []string{user.Chip, pfeReference} }

// Rank is its place in tables: the last of those in the network.
func (System) Rank() int { return job.RankInNetwork + 90 }

// Description says what it is.
func (System) Description() string {
	return "Trio-ML: blocks that wait too long for a worker are sent without it"
}

// Configure reads the section "trio".
func (t System) Configure(k job.Knobs) job.System {
	t.Late = program.LatePolicy(k.OneOf("trio.late", string(program.LateTombstone), string(program.LateStale), string(program.LateNaive)))
	t.Age = program.AgePolicy(k.OneOf("trio.age", string(program.AgePerBlock), string(program.AgeAbsent)))
	t.Wake = host.WakePolicy(k.OneOf("trio.wake", string(host.WakeSkip), string(host.WakeNaive)))
	t.NoAging = !k.Bool("trio.aging")
	t.Grads = k.Int("trio.gradients", 1, wire.MaxGrads)
	t.Window = k.Int("trio.window", 1, maxWindow)
	t.BlockMax = k.Int("trio.block-cnt-max", 0, program.MaxJobBlocks)
	t.GradMax = k.Int("trio.block-grad-max", 0, wire.MaxGrads)
	t.Threads = k.Int("trio.threads", 1, trio.MaxTimerThreads)
	t.Timeout = k.Duration("trio.timeout")
	t.PFE.Reference = k.Choice("trio.pfe", pfeMicrocode, pfeReference) == pfeReference
	t.PFE.Stragglers = stragglers(k)
	return t
}

// Layout aggregates in one level where all workers are on one PFE, in two where they are on one
// chassis, and else over all switches between them.
func (t System) Layout(j *job.Job) (job.Layout, error) {
	levels, err := t.levels(j)
	if err != nil {
		return job.Layout{}, err
	}
	if err := t.checkNotices(); err != nil {
		return job.Layout{}, err
	}
	notes, err := t.checkCaps(j)
	if err != nil {
		return job.Layout{}, err
	}
	l := job.Layout{
		Port: wire.Port, Packet: t.packet(), Window: t.window(j),
		Time: t.time(j, levels), Block: t.grads(), Engines: levels.engines(), Partial: true,
		Reshard: t.notifies(), Notes: notes,
	}
	t.fill(j, levels, &l)
	results, behind := levels.results(), levels.behindPFEs()
	if l.Group = results.Dst; len(levels.hops) > 1 { // the switches below the root forward it
		l.Group, l.Trees = netip.Addr{}, []job.Tree{{Group: results.Dst, Root: levels.root().Name, To: levels.hosts()}}
	}
	for i, h := range j.Hosts() {
		core := t.core(j, i, &h)
		core.Results, core.Behind = results, behind
		l.Cores = append(l.Cores, core)
	}
	if !t.NoAging { // §5: a record ages T to 2T after its last packet, once for each refill of the window
		refills := (t.blocks(j) + t.window(j) - 1) / t.window(j)
		if t.Age == program.AgeAbsent {
			refills = 1
		}
		l.Patience = 2 * levels.longest() * units.Duration(refills)
	}
	if w := t.window(j); w < 8 {
		l.Notes = append(l.Notes, fmt.Sprintf("window of %d packets: %d divided by %d is below 8", w, cmp.Or(t.Window, host.DefaultWindow), j.Scale))
	}
	return l, nil
}

// fill writes the programs of PFEs into a layout, and the times that they take.
func (t System) fill(j *job.Job, on *levels, l *job.Layout) {
	l.Programs = make([][]any, len(j.Plan.Switches))
	if t.AddRate > 0 && j.Virtual {
		l.Servers = make([][]impair.Params, len(j.Plan.Switches))
	}
	for sw, programs := range on.programs() {
		for _, p := range programs {
			l.Programs[sw] = append(l.Programs[sw], pfeConfig{p, t.machine(j)})
		}
		if l.Servers != nil && programs != nil {
			l.Servers[sw] = t.servers(len(programs))
		}
	}
}

// servers returns what each PFE takes for a packet: the additions of its
// gradients, one after the other (ambiguity trio.rate-vs-link).
func (t System) servers(n int) []impair.Params {
	const headers = inet.UDPHeaders + wire.HeaderLen
	return slices.Repeat([]impair.Params{{Rate: t.AddRate, Overhead: -headers, Queue: serverQueue}}, n)
}

// serverQueue is the packet memory of a PFE (Trio §2.3: several GB of DRAM).
const serverQueue = 4 * units.GiB

// machine returns what every PFE is; live it takes the time that it takes.
func (t System) machine(j *job.Job) PFE {
	p := t.PFE
	if !j.Virtual {
		p.Timing, p.Scan = nil, reference.ScanTime{}
	}
	return p
}

func (t System) core(j *job.Job, worker int, h *plan.Host) host.Config {
	return host.Config{
		Workers: t.listeners(j), Ahead: aheadOf(j),
		Node: h.Name, Job: j.ID, Source: uint8(worker), Tensor: j.Params, Grads: t.Grads, Window: t.window(j),
		Flow: j.ToSwitch(h, wire.Port, wire.Port), Wake: t.Wake, Sample: j.Sample,
	}
}

// WithTimeout returns the system with another timeout: that of one of several jobs.
func (t System) WithTimeout(d units.Duration) job.System {
	t.Timeout = d
	return t
}

// Merge gives a PFE the job records of all jobs, each with its timeout. The timer threads and
// the policies are the PFE's: jobs that it serves must agree on them.
func (System) Merge(programs []any) (any, error) {
	first := programs[0].(pfeConfig)
	out := first.Program
	for _, p := range programs[1:] {
		if other := p.(pfeConfig).PFE; !reflect.DeepEqual(first.PFE, other) {
			return nil, fmt.Errorf("jobs want %s to be two machines, %+v and %+v", out.Node, first.PFE, other)
		}
		next := p.(pfeConfig).Program
		jobs := slices.Concat(out.Jobs, next.Jobs)
		switch a, b := out, next; {
		case len(a.Jobs) == 0:
			out = next
		case len(b.Jobs) > 0:
			a.Jobs, b.Jobs = nil, nil
			b.Timeout = a.Timeout // of jobs that say none
			if !reflect.DeepEqual(a, b) {
				return nil, fmt.Errorf("jobs want %s to age blocks in different ways, %+v and %+v: it has one set of timer threads", a.Node, a, b)
			}
		}
		out.Jobs = jobs
	}
	cfg, err := out.Resolved()
	if err != nil {
		return nil, err
	}
	if err := microcode.Fits(cfg.Jobs); err != nil && !first.PFE.Reference {
		return nil, fmt.Errorf("there is no room on %s: %w", out.Node, err)
	}
	return pfeConfig{out, first.PFE}, nil
}

func (t System) timeout() units.Duration { return cmp.Or(t.Timeout, program.DefaultTimeout) }

func (t System) grads() int { return cmp.Or(t.Grads, host.DefaultGrads) }

func (t System) blocks(j *job.Job) int { return (j.Params + t.grads() - 1) / t.grads() }

func (t System) window(j *job.Job) int {
	return max(1, (cmp.Or(t.Window, host.DefaultWindow)+j.Scale-1)/j.Scale)
}

// packet returns the bytes of an IP packet.
func (t System) packet() int { return inet.IPv4Len + inet.UDPLen + wire.HeaderLen + 4*t.grads() }

// time is one crossing of every block, up and, behind it, of the last down.
func (t System) time(j *job.Job, on *levels) units.Duration {
	size := inet.EtherLen + t.packet()
	return j.FrameTime(t.blocks(j)+1, size) + j.Latency(size) + j.Climb(on.hops, size)
}

// Survives says that blocks which wait too long for a worker are sent without it (Trio §5).
// The records of a PFE are lost with it, and nothing is sent again.
func (t System) Survives(r job.Role) error {
	switch {
	case r != job.AsWorker:
		return errors.New("the blocks that it held are lost, and Trio-ML sends nothing again")
	case t.NoAging:
		return errors.New("every block waits for all workers: set trio.aging: true")
	}
	return nil
}

// NewCore makes one worker's end of the protocol.
func (System) NewCore(config json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error) {
	return job.Make(config, host.New, func(c *host.Config) { c.Recorder, c.Trace = rec, sink })
}

// NewEngine makes a PFE.
func (System) NewEngine(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	cfg, err := job.Decode[pfeConfig](config)
	if err != nil {
		return nil, err
	}
	cfg.Program.Trace = sink
	opts := microcode.Options{PPEs: cfg.PFE.PPEs, Threads: cfg.PFE.Threads, Timing: cfg.PFE.Timing, Memory: cfg.PFE.Memory}
	switch s := cfg.PFE.Stragglers; {
	case cfg.PFE.Reference && s != nil:
		return reference.NewAdvanced(cfg.Program, *s)
	case cfg.PFE.Reference:
		return reference.NewTimed(cfg.Program, cfg.PFE.Scan)
	case s != nil:
		return microcode.NewAdvanced(cfg.Program, *s, opts)
	}
	return microcode.New(cfg.Program, opts)
}

// Recovers says that lost packets are never sent again: Trio §4 mentions that servers may do
// so, and says nothing of when. An aged block lacks them, and a lost result is lost for its
// worker.
func (System) Recovers() error {
	return errors.New("Trio-ML has no loss recovery: set link.loss: 0%, or take a system that sends lost packets again")
}
