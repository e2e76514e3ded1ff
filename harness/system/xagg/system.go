package xagg

import (
	"cmp"
	"errors"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/aggtree"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	agent "github.com/inalab/inalab/nodes/xaggd"
)

// System is XAgg. Zero knobs are the paper's, where it has some.
type System struct {
	job.HostsOnly
	Mode   conductor.Mode // where the tree comes from; empty: conductor.KAry
	K      int            // most children of a node; zero: aggtree.DefaultK
	Spares int            // servers beyond those that a k-ary tree needs
	Values int            // of a packet; zero: wire.Values
	Agents int            // that a worker sends by; zero: agent.DefaultAgents
	Store  Store          // where elements are
	Prompt bool           // under the virtual clock negotiation takes no time beside that of its messages
	Factor int            // that values are multiplied by; zero: DefaultFactor

	Cores  int         // of a server; zero: DefaultCores
	Memory units.Bytes // of a server; zero: DefaultMemory
	Busy   Busy        // a server that is overloaded in the run

	// Line is taken for the bandwidth of links without a rate; zero: DefaultLine.
	Line units.Rate
}

// Busy is a server that reports no idle core from some time on.
type Busy struct {
	Server int            // the first is 1; zero: none
	At     units.Duration // from the start of the run
}

// Store says where the elements of a live host are.
type Store uint8

// The stores.
const (
	Probe  Store = iota // in the kernel, or in the process where XDP cannot be had
	Kernel              // in the kernel
	Socket              // in the process
)

const (
	// DefaultFactor is the paper's (XAgg §IV-A).
	DefaultFactor = 100_000_000
	// DefaultCores and DefaultMemory are those of the paper's servers (XAgg §VI-C).
	DefaultCores  = 44
	DefaultMemory = 128 * units.GiB
	// DefaultLine is what the paper expects of a processor core (XAgg §V).
	DefaultLine = 10 * units.GbitPerSecond
)

// Name returns "xagg".
func (System) Name() string { return "xagg" }

// Engines are those that its elements run on. They stand beside servers, so that any switch will do that
// forwards.
func (System) Engines() []string { return []string{"xdp"} }

// Rank is its place in tables.
func (System) Rank() int { return job.RankInNetwork + 30 }

// Description says what it is.
func (System) Description() string {
	return "XAgg: idle servers add gradients up in XDP, on a tree below a parameter server, at negotiated rates"
}

// Servers returns the hosts that the tree needs beside those of workers: servers, and the parameter server.
func (s System) Servers(workers int) int {
	kind := aggtree.Kind(s.mode())
	if s.mode() == conductor.Plan {
		kind = aggtree.KAry
	}
	return aggtree.Servers(kind, workers, s.k()) + s.Spares
}

func (s System) mode() conductor.Mode { return cmp.Or(s.Mode, conductor.KAry) }

func (s System) k() int { return cmp.Or(s.K, aggtree.DefaultK) }

func (s System) values() int { return cmp.Or(s.Values, wire.Values) }

func (s System) agents() int { return cmp.Or(s.Agents, agent.DefaultAgents) }

// Recovers returns nil: groups have lost packets sent again (XAgg §IV-D).
func (System) Recovers() error { return nil }

// Benches returns the system with elements in the kernel, where they can be, and in processes.
func (s System) Benches(job.BenchLimits) []job.Bench {
	return []job.Bench{
		{Name: s.Name(), Note: "elements in the kernel, where it has XDP", System: System{}},
		{Name: s.Name() + "-socket", Note: "elements in the process of each agent", System: System{Store: Socket}},
	}
}

// Outlives says whether a job goes on without a server: not without the parameter server.
func (s System) Outlives(j *job.Job, server string) error {
	hosts := j.Members()
	if server == hosts[len(hosts)-1].Name {
		return errors.New("it is the parameter server, which has the sums")
	}
	return nil
}
