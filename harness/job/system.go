package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/strictjson"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
)

// System is a protocol that jobs can run on, with its knobs set. Code that runs jobs,
// reads scenarios or starts the processes of nodes is given a list of systems and names
// none. What a system may offer beside this is in interfaces of its own: [Configurable], [Described],
// [Recoverer], [Patient], [Survivor], [Outliver], [Sharer], [Staffed], [Slotted], [Labelled], [Benched], [Windowed], [Ranked], [Compared], [Tallied],
// [Runtime], [Service].
type System interface {
	// Name is how scenarios, tables and configurations call it.
	Name() string
	// Description says in a line what it is.
	Description() string
	// Layout lays the system over a job, whose schedule and tensor are settled, or
	// says why that cannot be.
	Layout(*Job) (Layout, error)
	Maker
}

// Maker makes a system's machines from configurations of its [Layout] that have
// crossed to the process of a node as JSON. Live, a core or server that is an io.Closer may hold
// objects of the kernel: it is made in the network namespace of its host, before any socket, and closed
// however the process ends.
type Maker interface {
	// NewCore makes the host core of a worker; rec and sink may be nil.
	NewCore(config json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error)
	// NewEngine makes the aggregation engine of a PFE; sink may be nil.
	NewEngine(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error)
}

// HostsOnly is embedded by a system whose switches only forward.
type HostsOnly struct{}

// NewEngine refuses: there is no switch program.
func (HostsOnly) NewEngine(json.RawMessage, trace.Sink) (dataplane.Engine, error) {
	return nil, errors.New("the system has no switch program")
}

// Configurable is a system with knobs of its own.
type Configurable interface {
	System
	// Configure returns the system with the knobs of a scenario. It reads each
	// knob once, whatever the others say: that also tells which keys exist.
	Configure(Knobs) System
}

// Described is a system that says what its knobs mean, by path: docs/scenario-fields.md is made of it.
type Described interface {
	Configurable
	KnobTexts() map[string]string
}

// Configure returns a system with the knobs of a scenario.
func Configure(s System, k Knobs) System {
	if c, ok := s.(Configurable); ok {
		return c.Configure(k)
	}
	return s
}

// Recoverer is a system that cannot run everywhere where frames are lost.
type Recoverer interface {
	System
	// Recovers returns nil if the system, with the knobs that it has, makes good for lost
	// frames, or says why it does not and which knob mends that.
	Recovers() error
}

// Patient is a system that waits for late workers no longer than a timeout, which each of several
// jobs may have of its own.
type Patient interface {
	System
	// WithTimeout returns the system with that timeout, above 0, and its other knobs.
	WithTimeout(units.Duration) System
}

// Compared is a system that says with which system its tables compare all others.
type Compared interface {
	System
	Baseline() result.Baseline
}

// Baseline returns the baseline of the first system that says one. There must be such.
func Baseline(list []System) (b result.Baseline) {
	for _, s := range list {
		if c, ok := s.(Compared); ok {
			return c.Baseline()
		}
	}
	return b
}

// Ranked is a system with a place of its own in tables. Rows go by rank, then by name.
type Ranked interface {
	System
	Rank() int
}

// Ranks of the kinds of systems. A system that says nothing is Unranked.
const (
	RankEndToEnd  = 100 // no help from the network
	RankInNetwork = 200
	Unranked      = 1000
)

// Rank returns the place of a system in tables.
func Rank(s System) int {
	if r, ok := s.(Ranked); ok {
		return r.Rank()
	}
	return Unranked
}

// Knobs reads the values of a scenario. A path is a section, usually called as
// the system, and a key in it: "toy.values". What is missing or wrong is reported
// where it stands in the file, and comes back as any value of its type.
type Knobs interface {
	Int(path string, lo, hi int) int                     // lo to hi
	IntOr(path string, lo, hi, missing int) int          // the same; missing where it is missing
	Duration(path string, zero ...string) units.Duration // not negative; the words of zero mean 0
	Rate(path string, zero ...string) units.Rate         // likewise
	OneOf(path string, allowed ...string) string         // one of the words
	Choice(path string, allowed ...string) string        // one of the words; the first where it is missing
	Bool(path string) bool                               // true or false
	Flag(path string) bool                               // true or false; false where it is missing
}

// Layout is a system laid over a job: what its nodes are to be, and what must
// come of it. Zero values mean "none".
type Layout struct {
	Cores    []any   // configuration of each worker's core, in the order of hosts
	Again    []any   // of each start of a worker in the run, of a [Resumer]
	Programs [][]any // configuration of each PFE's program, by switch; nil, or past the end: it has none

	// Engines are those that aggregate, in the order of the plan. It may be nil where
	// there is one: its sources are the workers then.
	Engines []Engine

	// Servers are the times that PFEs take for a frame, by switch and PFE, under
	// the virtual clock.
	Servers [][]impair.Params

	// Dedicated holds the configurations of servers that have hosts of their own, those
	// behind the workers' ([Spec.Members]); Beside those of servers on the hosts of workers, in the order of
	// workers (nil: it has none). Both are for a [Staffed] system.
	Dedicated, Beside []any
	ServerPort        uint16 // UDP port of servers; zero: they speak by byte streams

	// Transport: by UDP and a switch program, or by byte streams between hosts.
	Port      uint16           // UDP port that workers send from and take results at
	Protocol  uint8            // IPv4 protocol whose packets workers and servers also send and take, each on its host; zero: none
	Group     netip.Addr       // multicast group of the results, beside the workers' own addresses
	Trees     []Tree           // multicast groups that hosts send to
	ECN       bool             // packets say ECT(0), and hosts see the codepoints of what arrives
	Packet    int              // bytes of the largest IP packet
	Window    int              // packets that a worker may have on their way
	Peers     [][]stream.Peer  // by host of the plan: its byte streams to others of the plan; nil: the job has none
	Transport stream.Transport // of the streams under the virtual clock; live it is the kernel's TCP

	// XDP says that live hosts put programs in front of their stacks, and Queues how many queues
	// their interfaces have each way, which CPUs serve side by side; zero: one.
	XDP    bool
	Queues int

	// What must come of it.
	Time    units.Duration // analytic time of an all-reduce without stragglers
	Fluid   bool           // Time takes lines alone, without whole frames in switches and steps that wait for each other
	Timeout units.Duration // after which a worker sends a packet of its window again; zero: never, or not by such timers
	// TimeoutRule says how Timeout follows where nobody asked for one: "timeout of 1ms: that of the paper". Empty: somebody
	// did, or there is none.
	TimeoutRule string

	Cautions  []string       // why its numbers would not be those of full scale, where that is known before the run
	Patience  units.Duration // how long the others wait for a straggler at most; zero: for ever
	Block     int            // elements whose contributors are the same
	Values    int            // elements that carry values in a replay; zero: those of the sampled blocks
	Partial   bool           // sums may lack workers: the trace of the engines (trace.BlockSent) says which are in
	Saturates bool           // sums of int32 stop at the ends of their range
	Half      bool           // sums come back as the nearest 16-bit float (gradient.HalfAnswer)
	Uneven    bool           // Time may be exceeded many times over: what finds no room in a switch may wait to be sent again
	Reshard   bool           // workers divide the mini-batches of those that are out of service
	Notes     []string       // deviations from the paper's configuration
}

// Names returns the names of systems.
func Names(list []System) (out []string) {
	for _, s := range list {
		out = append(out, s.Name())
	}
	return out
}

// Find returns the system of a name.
func Find(list []System, name string) (System, error) {
	i := slices.IndexFunc(list, func(s System) bool { return s.Name() == name })
	if i < 0 {
		return nil, unknown(name, Names(list))
	}
	return list[i], nil
}

func unknown(name string, allowed []string) error {
	return fmt.Errorf("system %q: allowed are %s%s", name, strings.Join(allowed, ", "), suggest.DidYouMean(name, allowed))
}

// Decode reads a configuration as it was written, for a [Maker].
func Decode[C any](config json.RawMessage) (c C, err error) {
	if err := strictjson.Decode(config, &c); err != nil {
		return c, fmt.Errorf("reading a %T: %w", c, err)
	}
	return c, nil
}

// Make makes a machine of its configuration, for a [Maker]. add adds to it what does not
// cross to processes.
func Make[C, M any](config json.RawMessage, machine func(C) (M, error), add func(*C)) (m M, err error) {
	c, err := Decode[C](config)
	if err != nil {
		return m, err
	}
	add(&c)
	return machine(c)
}

// encode writes configurations as they cross to processes; a nil one is left
// empty.
func encode(configs []any) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(configs))
	for i, c := range configs {
		if c == nil {
			continue
		}
		var err error
		if out[i], err = json.Marshal(c); err != nil {
			return nil, fmt.Errorf("writing a %T: %w", c, err)
		}
	}
	return out, nil
}
