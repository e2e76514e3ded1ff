package job

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/train"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/forward"
	"github.com/inalab/inalab/topo/plan"
)

// DefaultID is the id of a job that says nothing else.
const DefaultID = 1

// Spec describes a job.
type Spec struct {
	System     System
	Plan       *plan.Plan
	Model      profiles.Profile
	Scale      int // model size, window and pool are divided by it; 1 or more
	Iterations int
	MiniBatch  int // images of a step; zero means train.DefaultBatch
	Seed       rng.Root
	StraggleP  float64
	Semantics  fault.Semantics // empty means fault.OneServer
	DelayUnit  units.Duration  // typical iteration time, by which delays are measured; zero: that of [Job.Ideal]
	Outages    []fault.Outage  // workers out of service, beside the stragglers that are drawn
	Paces      []Pace          // of the workers, by host of the plan; nil, or past the end: all compute for the model's time
	Virtual    bool            // for the virtual clock: streams instead of kernel TCP
	Servers    int             // hosts without a worker, the last of the plan: [Servers]
	Name       string          // of the job, where several share a lab; for records
	ID         uint8           // of the job, where several share a switch ([Set]); zero means DefaultID
	On         []int           // hosts with a worker, by index in the plan and in the order of workers; nil: all but the Servers
	ServersOn  []int           // with On: those for servers, as many as Servers says
	Elements   int             // not zero: a benchmark on an int32 tensor of so many elements, in place of training

	Times worker.Times // when it begins, and its pauses

	Point        result.Point        // of a sweep, for the record
	HostPrograms []HostProgram       // real programs beside the job; live only
	Flows        []Flow              // beside the jobs of the lab
	Actions      []Action            // on processes of the lab; the same for all of its jobs
	Until        units.Duration      // from the start of the run, when the job is ended; zero: when it is done
	Interval     units.Duration      // of the series of jobs and flows, the first job's of a lab; zero: see [Set.Interval]
	Transit      [][]chassis.Program // programs on PFEs beside the system's, by switch; nil, or past the end: none
	Collectors   []Collector         // of what these programs report
	Changes      []LinkChange        // of the links of the lab, in any order; of two of a link at one time the later one holds

	// Replay replays the model's size and times and trains nothing. Live it is Exact, and
	// all blocks carry values.
	Replay bool
	Sample gradient.Sampling // of a replay: the blocks that carry values
	Exact  bool              // of a replay: charge no round, simulate each packet by packet
	Host   hostmodel.Model   // what every host costs its workers and servers, under the virtual clock; zero: nothing
	Trace  trace.Sink        // takes the events of workers, under the virtual clock; may be nil

	// FlowHost is what hosts cost the ends of flows, under the virtual clock; zero: nothing, which
	// goes with hosts that cost jobs nothing either.
	FlowHost hostmodel.Model

	// Record returns what takes the tensors of a worker, beside the check of its
	// sums, under the virtual clock; nil: nothing does.
	Record func(worker int) gradient.Recorder

	spares []plan.Host // beside those of the job, where its workers may come up
}

// Job is a job with its system laid over it.
type Job struct {
	Spec
	Params   int // elements of the tensor
	Hidden   int
	Schedule fault.Schedule
	Typical  units.Duration // typical iteration time, by which delays are measured
	Layout   Layout
	Switch   string // what runs its programs in switches, an emulated chip or the reference program; empty: it has none

	cores    []json.RawMessage   // by worker
	servers  []json.RawMessage   // by dedicated server
	beside   []json.RawMessage   // by worker; nil: none is beside it
	programs [][]json.RawMessage // by switch and PFE
	groups   [][]forward.Group   // of the trees, by switch
}

// New checks the spec and fills in what follows from it.
func New(spec Spec) (*Job, error) {
	spec.withFlows()
	spec.takeSpares()
	if err := spec.validate(); err != nil {
		return nil, err
	}
	spec.ID = cmp.Or(spec.ID, DefaultID)
	j := &Job{Spec: spec}
	switch j.Params = spec.Elements; {
	case spec.Replay:
		j.Params = int(spec.Model.Size()) / 4 / spec.Scale
	case spec.Elements == 0:
		j.Hidden = train.HiddenFor(int(spec.Model.Size()) / 4 / spec.Scale)
		j.Params = train.ParamsFor(j.Hidden)
	}
	j.Typical = cmp.Or(spec.DelayUnit, j.Ideal())
	schedule, err := fault.Straggle{
		P: spec.StraggleP, Workers: len(j.Hosts()), Iterations: spec.Iterations,
		Typical: j.Typical, Semantics: spec.Semantics, Outages: spec.Outages,
	}.Draw(spec.Seed)
	if err != nil {
		return nil, err
	}
	j.Schedule = schedule
	if j.Layout, err = spec.System.Layout(j); err != nil {
		return nil, err
	}
	if err := j.validate(); err != nil {
		return nil, err
	}
	j.Switch = strings.Join(runsOn(slices.Concat(j.Layout.Programs...)...), ", ")
	if j.Layout.Engines == nil {
		j.Layout.Engines = j.onlyEngine(j.Layout.Programs)
	}
	if j.groups, err = j.plant(); err != nil {
		return nil, fmt.Errorf("%s: %w", spec.System.Name(), err)
	}
	return j, j.encode()
}

func (s *Spec) validate() error {
	var errs []error
	if s.System == nil {
		errs = append(errs, errors.New("a job needs a system"))
	}
	if s.Scale < 1 || s.Iterations < 1 {
		errs = append(errs, fmt.Errorf("scale %d, %d iterations: both must be 1 or more", s.Scale, s.Iterations))
	}
	if err := s.validateOn(); err != nil {
		errs = append(errs, err)
	} else if n := len(s.Hosts()); n < 2 || n > maxWorkers {
		errs = append(errs, fmt.Errorf("topology %s has %d hosts%s: a job takes 2 to %d workers", s.Plan.Name, len(s.Plan.Hosts), s.forServers(), maxWorkers))
	}
	if n := len(s.Plan.Switches); len(s.Transit) > n {
		errs = append(errs, fmt.Errorf("programs for %d switches: topology %s has %d", len(s.Transit), s.Plan.Name, n))
	}
	for _, c := range s.Collectors {
		errs = append(errs, c.ValidateOn(s.Plan))
	}
	if s.Servers < 0 {
		errs = append(errs, fmt.Errorf("%d hosts for servers: there are never fewer than none", s.Servers))
	}
	if s.Replay && s.Elements > 0 {
		errs = append(errs, errors.New("a replay is no benchmark: leave out the elements of one of the two"))
	}
	if s.Replay && s.Scale > 0 && int(s.Model.Size())/4/s.Scale < 1 {
		errs = append(errs, fmt.Errorf("a replay of %v at scale %d: not one value of 4 bytes is left", s.Model.Size(), s.Scale))
	}
	if s.Replay && !s.Virtual && (!s.Exact || s.Sample.Every > 1) {
		errs = append(errs, errors.New("live, a replay sends every value: lengths in place of values, and charged rounds, are for the virtual clock"))
	}
	if (s.Host != (hostmodel.Model{}) || s.FlowHost != (hostmodel.Model{})) && !s.Virtual {
		errs = append(errs, errors.New("the cost of hosts is modelled under the virtual clock only: live hosts have their own"))
	}
	if !s.Replay && (s.Exact || s.Sample.Every > 1) {
		errs = append(errs, errors.New("lengths in place of values, and charged rounds, are for replays: training needs every value"))
	}
	if s.Elements > 0 && len(s.Actions) > 0 {
		errs = append(errs, errors.New("processes end and start in a training or a replay: a benchmark measures one state"))
	}
	return errors.Join(append(errs, s.validatePrograms(), s.validateFlows(), s.validateChanges(), s.validateTimes(), s.validatePaces())...)
}

// maxWorkers leaves ids above those of workers to the engines between them.
const maxWorkers = 200

// validateOn checks the list of hosts.
func (s *Spec) validateOn() error {
	if s.On == nil && s.ServersOn != nil {
		return errors.New("hosts of servers are named, and those of workers are not: name both, or neither")
	}
	if s.On != nil && len(s.ServersOn) != s.Servers {
		return fmt.Errorf("%d hosts are named for %d servers: each server has one of its own", len(s.ServersOn), s.Servers)
	}
	all := slices.Concat(s.On, s.ServersOn)
	for i, h := range all {
		who, n := "worker", i
		if i >= len(s.On) {
			who, n = "server", i-len(s.On)
		}
		if h < 0 || h >= len(s.Plan.Hosts) {
			return fmt.Errorf("%s %d is on host %d, but topology %s has hosts 0 to %d", who, n, h, s.Plan.Name, len(s.Plan.Hosts)-1)
		}
		if k := slices.Index(all[:i], h); k >= 0 {
			return fmt.Errorf("%s on %s: a host takes one", pair(k >= len(s.On), who), s.Plan.Hosts[h].Name)
		}
	}
	return nil
}

// pair names two that are on one host.
func pair(servers bool, second string) string {
	switch {
	case servers:
		return "two servers are"
	case second == "server":
		return "a worker and a server are"
	}
	return "two workers are"
}

// Hosts returns the hosts that have a worker, in the order of workers.
func (s *Spec) Hosts() []plan.Host {
	if s.On == nil {
		return s.Plan.Hosts[:max(0, len(s.Plan.Hosts)-max(0, s.Servers))]
	}
	return s.hostsAt(s.On)
}

// Members returns the hosts of the workers, and behind them those of servers.
func (s *Spec) Members() []plan.Host {
	if s.On == nil {
		return s.Plan.Hosts
	}
	return s.hostsAt(slices.Concat(s.On, s.ServersOn))
}

// hostsAt returns hosts by their numbers.
func (s *Spec) hostsAt(numbers []int) []plan.Host {
	out := make([]plan.Host, len(numbers))
	for i, h := range numbers {
		out[i] = s.Plan.Hosts[h]
	}
	return out
}

func (s *Spec) forServers() string {
	switch {
	case s.On != nil:
		return fmt.Sprintf(", %d of them for workers of this job", len(s.On))
	case s.Servers > 0:
		return fmt.Sprintf(", %d of them for servers", s.Servers)
	}
	return ""
}

// Held returns the elements of the tensor that carry values.
func (j *Job) Held() int {
	if j.Layout.Values > 0 {
		return j.Layout.Values
	}
	return j.Sample.Elements(j.Params, j.Layout.Block)
}

// validate checks what the system laid out.
func (j *Job) validate() error {
	l, name := &j.Layout, j.System.Name()
	if need := l.Packet; j.Plan.MTU < need {
		return fmt.Errorf("MTU %d of topology %s is below the %d bytes of a %s packet: raise the MTU or put fewer gradients into a packet", j.Plan.MTU, j.Plan.Name, need, name)
	}
	if len(l.Cores) != len(j.Hosts()) || len(l.Programs) > len(j.Plan.Switches) || l.Block < 1 {
		return fmt.Errorf("%s is laid out for %d workers and %d switches in blocks of %d elements, but topology %s has %d and %d, and a block at least one", name, len(l.Cores), len(l.Programs), l.Block, j.Plan.Name, len(j.Hosts()), len(j.Plan.Switches))
	}
	if len(l.Dedicated) != j.Servers {
		return fmt.Errorf("%s is laid out for %d servers on hosts of their own, but the job has %d such hosts", name, len(l.Dedicated), j.Servers)
	}
	return cmp.Or(j.validateBeside(), j.validateInterfaces(), j.validateInterval())
}

// maxQueues is of an interface (assumed: as many as hosts have children).
const maxQueues = 32

// validateInterfaces checks what the system asks of hosts' interfaces and sockets.
func (j *Job) validateInterfaces() error {
	l, name := &j.Layout, j.System.Name()
	switch {
	case l.Protocol != 0 && l.Peers != nil:
		return fmt.Errorf("%s is laid out for packets of IP protocol %d and for byte streams: a host has one or the other", name, l.Protocol)
	case l.Protocol != 0 && (l.Port == 0 || l.Dedicated != nil && l.ServerPort == 0):
		return fmt.Errorf("%s takes packets of IP protocol %d, and UDP at port %d, servers at %d: give both a UDP port", name, l.Protocol, l.Port, l.ServerPort)
	case l.Protocol != 0 && l.Beside != nil:
		return fmt.Errorf("%s has servers beside workers, and packets of IP protocol %d: they have no ports, so that one machine of a host takes them: give servers hosts of their own", name, l.Protocol)
	case l.Queues < 0 || l.Queues > maxQueues:
		return fmt.Errorf("%s asks for %d queues of an interface: allowed are 1 to %d, or 0 for one", name, l.Queues, maxQueues)
	}
	return nil
}

// validateBeside checks the servers on the hosts of workers.
func (j *Job) validateBeside() error {
	l, name := &j.Layout, j.System.Name()
	switch n := len(l.Beside); {
	case n > len(j.Hosts()):
		return fmt.Errorf("%s is laid out for %d servers beside workers, but the job has %d workers", name, n, len(j.Hosts()))
	case n > 0 && (l.ServerPort == 0 || l.ServerPort == l.Port || l.Peers != nil):
		return fmt.Errorf("%s has servers beside workers on UDP port %d, and workers on %d: give servers a port of their own, and no byte streams", name, l.ServerPort, l.Port)
	}
	return nil
}

// OneSwitch refuses a topology in which no one switch sees every worker.
func (j *Job) OneSwitch() error {
	if n := len(j.Plan.Switches); n != 1 {
		return fmt.Errorf("%s aggregates in one switch or chassis, but topology %s has %d switches: use rack or mx480", j.System.Name(), j.Plan.Name, n)
	}
	return nil
}

// OneEngine refuses a topology in which no one forwarding engine sees every
// worker.
func (j *Job) OneEngine() error {
	if err := j.OneSwitch(); err != nil {
		return err
	}
	if c := j.Plan.Switches[0].Chassis; c != nil {
		return fmt.Errorf("%s aggregates in a switch with one forwarding engine, but topology %s has a chassis of %d: use rack", j.System.Name(), j.Plan.Name, len(c.PFEs))
	}
	return nil
}
