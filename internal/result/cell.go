package result

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/units"
)

// Cell is one run of one system at one point of a sweep: a row of summary.csv.
type Cell struct {
	System     string  // its name, or ideal
	Job        string  // its name, where several shared the lab
	Lab        string  // what ran there, where the jobs were of several systems: "2 switchml256 + ring"
	Rank       int     // its place in tables, the lowest first; of equal ones by name
	Topology   string  // mx480, rack, ...
	Switch     string  // what aggregates in switches, an emulated chip or the reference program; empty: nothing does
	Model      string  // profile of the network
	Clock      string  // live or virtual
	StraggleP  float64 // fraction
	Point      Point   // of a sweep
	Seed       uint64
	Scale      int // link rate, model size, windows and pools are divided by it
	Workers    int
	Iterations int
	Samples    []Sample // empty for a computed row

	// Computed, where it is not zero, is the iteration time of a row that was
	// calculated rather than run: the ideal.
	Computed units.Duration
	// Expected is the mean iteration time that the injected schedule, the
	// nominal compute and the link rate allow: a value for systems that wait
	// for everybody, an upper bound (ExpectedIsBound) for those that do not.
	Expected        units.Duration
	ExpectedIsBound bool

	// Gradient is what an iteration aggregates, at the scale of the run, of a job that trains nothing; else 0.
	Gradient units.Bytes

	Compute  units.Duration   // measured mean time of a compute, delays left out, of all workers; 0 where it is not known
	Wire     units.Duration   // of an all-reduce without stragglers on idle lines, computed
	Timeout  string           `json:",omitempty"` // how the timeout follows after which packets are sent again, if nobody asked for one
	Hosts    []string         // of the workers, by number
	Computes []units.Duration `json:",omitempty"` // nominal, by worker, where they differ
	Blocks   *Blocks          `json:",omitempty"` // how long they took; nil: nobody recorded events
	Counters []Counter        // what the nodes counted: packets by type, drops by reason

	Tallies []Tally // what the system made of these for the job; empty: it makes nothing

	Resent Resent // by the workers and servers of the job

	Links []Link // each direction of the links that the topology has a model of, in the order of switches and ports

	Depth units.Bytes // of several jobs of a lab: no more waited for 99% of the time before any line to or from hosts of this one

	Flows []Flow // beside the jobs, in the order of the scenario; of several jobs of a lab, with the first

	Throughput []Throughput // of the job by interval of time, and of flows behind that of the first; empty: not recorded

	Aggregations []Aggregation // of the job by interval of time; empty: not recorded

	// What programs that frames pass in switches counted, in the order of switches, and what
	// they reported; of several jobs of a lab, with the first.
	Transit   []TransitCount
	Reports   []Report
	Collected bool // there was a collector

	Work Work // of a run under the virtual clock

	Checked  uint64 // delivered elements that were held against the workers' tensors
	Wrong    uint64 // those that differed
	Fidelity Fidelity
	Notes    []string // deviations: what could not be scaled, which path was used

	Course    []string   // what was done to processes, in order
	Decisions []Decision // of servers by themselves, by time
	Away      []Away     // workers that ended before the job did
	Ended     *End       // of a job that was ended before it was done; else nil
	Unchecked uint64     // delivered elements that nobody can check: who contributed to them was killed before it was recorded
}

// Away is a worker that has no samples from an iteration on, until its next one.
type Away struct{ Worker, From int }

// End is the end of a job that was not done.
type End struct {
	At     units.Time `json:"at_ps"`
	Reason string     `json:"reason"`
}

// SumCounters adds up the counters of one name of each node, in the order of their first.
func SumCounters(list []Counter) (out []Counter) {
	at := map[[2]string]int{} // looked up
	for _, c := range list {
		k := [2]string{c.Node, c.Name}
		if i, seen := at[k]; seen {
			out[i].N += c.N
			continue
		}
		at[k] = len(out)
		out = append(out, c)
	}
	return out
}

// CheckSums returns an error that says which run had wrong sums, or none that were
// checked. A computed cell has no sums, and one of a job that was ended may have none.
func (c *Cell) CheckSums() error {
	if c.Computed != 0 || c.Wrong == 0 && (c.Checked > 0 || c.Ended != nil) {
		return nil
	}
	return fmt.Errorf("%s at %s: %d of %d delivered values are wrong; %s", c.System, c.At(), c.Wrong, c.Checked, strings.Join(c.Notes, "; "))
}

// Baseline is the system that a table compares the others with.
type Baseline struct {
	System string // its name
	Key    string // in names of columns: speedup_KEY
	Word   string // in headers
}

// At names the point of the sweep, and the straggle probability.
func (c *Cell) At() string { return c.Point.At(c.StraggleP) }

// Ran names what ran: the system, or those of a lab with several.
func (c *Cell) Ran() string { return cmp.Or(c.Lab, c.System) }

// SharesLab reports whether two cells are of jobs that ran side by side.
func (c *Cell) SharesLab(o *Cell) bool {
	return c.Job != "" && o.Job != "" && c.Ran() == o.Ran() && c.Topology == o.Topology && c.Clock == o.Clock &&
		c.Seed == o.Seed && c.StraggleP == o.StraggleP && c.Point.Index == o.Point.Index
}

// Work is what a run under the virtual clock simulated, and what it took the
// liberty not to.
type Work struct {
	Frames  uint64 `json:"frames"`  // that crossed a link, complete crossings of one link each
	Packets uint64 `json:"packets"` // that hosts and switch programs sent, each once, however many links it crossed
	Steps   uint64 `json:"steps"`   // calls into machines
	Events  uint64 `json:"events"`  // taken from the event queue
	Rounds  int    `json:"rounds"`  // all-reduces simulated packet by packet
	Charged int    `json:"charged"` // all-reduces charged with the time of one that was simulated
	Sample  int    `json:"sample"`  // every Sample-th block carried values, the others unstored values; 1: all
}

// Counter is one counter of one node.
type Counter struct {
	Node string `json:"node"`
	Name string `json:"name"`
	N    uint64 `json:"n"`
}

// Verdicts on whether a run is to be believed.
const (
	Trusted = "trusted"
	Busy    = "busy"    // the machine was at its limit
	Caution = "caution" // under either clock: what nobody asked for moved the numbers
	Invalid = "invalid"
	Exact   = "exact" // virtual clock: nothing to mistrust but the model
)

// Fidelity is how far the numbers of a run can be believed, and why.
type Fidelity struct {
	Verdict         string   `json:"verdict"`
	Reasons         []string `json:"reasons"`              // what kept it from trusted or exact
	Cautions        []string `json:"cautions,omitempty"`   // what nobody asked for that moved the numbers
	TimerLateP99    int64    `json:"timer_late_p99_ps"`    // worst node's, in picoseconds
	UnaskedDrops    uint64   `json:"unasked_drops"`        // packets lost that no link model lost
	RingDrops       uint64   `json:"ring_drops"`           // packets the kernel had no room for
	CPUBusy         float64  `json:"cpu_busy"`             // share of all cores, over the run
	CPUStolen       float64  `json:"cpu_stolen,omitempty"` // of it, what the host of a virtual machine gave to others
	ComputeOverruns int      `json:"compute_overruns"`     // gradients that took longer than their nominal time
	Asleep          string   `json:"asleep,omitempty"`     // why idle processors slept during the run; empty: they were kept awake
	Offload         []string `json:"offload"`              // packet paths in use, by node kind
	Nodes           []Late   `json:"nodes,omitempty"`      // of a live run, in the order in which they were judged
}

// Late is how late the timers of a node's thread of packets were, in picoseconds, and its share of a processor.
type Late struct {
	Node      string  `json:"node"`
	Kind      string  `json:"kind"` // switch, worker, ...
	P95       int64   `json:"timer_late_p95_ps"`
	P99       int64   `json:"timer_late_p99_ps"`
	Max       int64   `json:"timer_late_max_ps"`
	BusyShare float64 `json:"busy_share"`
}

// Warn adds cautions. A run that has any is neither trusted nor exact.
func (f *Fidelity) Warn(cautions ...string) {
	if len(cautions) == 0 {
		return
	}
	f.Cautions = append(f.Cautions, cautions...)
	switch f.Verdict {
	case Trusted, Exact:
		f.Verdict, f.Reasons = Caution, f.Cautions
	case Caution:
		f.Reasons = f.Cautions
	}
}
