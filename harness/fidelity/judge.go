package fidelity

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Node is the evidence of one node.
type Node struct {
	Name        string
	Kind        string         // switch, worker, ...
	LateP95     units.Duration // from a timer's deadline to its expiry
	LateP99     units.Duration
	LateMax     units.Duration
	Still       units.Duration // longest time in which its loop did not come round, where it had to
	Overruns    int            // computes that took longer than their nominal time
	BusyShare   float64        // of the loop's own thread: processor time over wall time; 0 where unknown
	Packets     uint64         // received and sent
	UnaskedDrop uint64         // lost in the node's own hands, by no link model
	RingDrops   uint64         // lost by the kernel for want of room at this node
	Offload     string         // packet path in use
}

// Inputs is the evidence of one run.
type Inputs struct {
	Nodes      []Node
	CPUBusy    float64        // share of all processors over the run; outside 0 to 1 means not known
	CPUStolen  float64        // of it, what the host of a virtual machine gave to others
	Wall       units.Duration // length of the run
	Iteration  units.Duration // nominal time of a compute; of a benchmark, mean time of an iteration
	Round      units.Duration // nominal time of an iteration, communication included; zero: Iteration
	Benchmark  bool           // no nominal time is known
	Iterations int            // of each worker
	Asleep     string         // why idle processors slept during the run; empty: they were kept awake
}

// Judge gives the verdict on a run. It depends on nothing but its argument.
func Judge(in Inputs) result.Fidelity {
	j := judge{in: in, grade: trusted, reasons: []string{}}
	j.evidence()
	j.lateness()
	j.drops()
	j.processors()
	j.overruns()
	f := result.Fidelity{Verdict: j.grade.verdict(), Reasons: j.reasons, CPUBusy: in.CPUBusy, CPUStolen: in.CPUStolen, Asleep: in.Asleep, Offload: paths(in.Nodes)}
	for _, n := range in.Nodes {
		f.TimerLateP99 = max(f.TimerLateP99, int64(n.LateP99))
		f.UnaskedDrops += n.UnaskedDrop
		f.RingDrops += n.RingDrops
		f.ComputeOverruns += n.Overruns
		f.Nodes = append(f.Nodes, result.Late{Node: n.Name, Kind: n.Kind, P95: int64(n.LateP95), P99: int64(n.LateP99), Max: int64(n.LateMax), BusyShare: n.BusyShare})
	}
	return f
}

type grade int

const (
	trusted grade = iota
	busy
	invalid
)

func (g grade) verdict() string {
	return [...]string{trusted: result.Trusted, busy: result.Busy, invalid: result.Invalid}[g]
}

type judge struct {
	in      Inputs
	grade   grade
	reasons []string
}

// lower lowers the grade to g, with its reason; trusted needs none.
func (j *judge) lower(g grade, format string, args ...any) {
	if g == trusted {
		return
	}
	j.grade = max(j.grade, g)
	j.reasons = append(j.reasons, fmt.Sprintf(format, args...))
}

// evidence refuses a run that cannot be judged.
func (j *judge) evidence() {
	if len(j.in.Nodes) == 0 || j.in.Wall <= 0 || j.in.Iteration <= 0 || j.in.Iterations < 1 {
		j.lower(invalid, "no evidence: %d nodes reported on %d iterations of %v in %v", len(j.in.Nodes), j.in.Iterations, j.in.Iteration, j.in.Wall)
	}
}

// worst returns the first node with the largest value, and how many others have
// one above the limit; node is nil where no node has.
func (j *judge) worst(limit float64, value func(*Node) float64) (node *Node, others string) {
	above := 0
	for i := range j.in.Nodes {
		n := &j.in.Nodes[i]
		if value(n) <= limit {
			continue
		}
		above++
		if node == nil || value(n) > value(node) {
			node = n
		}
	}
	switch above {
	case 0, 1:
		return node, ""
	case 2:
		return node, " (and 1 more node)"
	}
	return node, fmt.Sprintf(" (and %d more nodes)", above-1)
}

// LateLimit returns by how much 1% of a node's timers may be late in a run that is trusted, by the nominal time of a compute.
func LateLimit(compute units.Duration) units.Duration {
	return max(lateTrusted, compute.Scale(lateTrustedShare))
}

func (j *judge) lateness() {
	limit := LateLimit(j.in.Iteration)
	if n, others := j.worst(float64(limit), func(n *Node) float64 { return float64(n.LateP99) }); n != nil {
		j.lower(busy, "%s: 1%% of its timers fired %v late or more: trusted up to %v%s%s", n.Name, n.LateP99, limit, others, j.cause())
	}
	if n, others := j.worst(float64(lateInvalid*limit), func(n *Node) float64 { return float64(n.LateP95) }); n != nil {
		j.lower(invalid, "%s: 5%% of its timers fired %v late or more: invalid beyond %v%s%s", n.Name, n.LateP95, lateInvalid*limit, others, j.cause())
	}
	j.stalls()
}

// cause names what is known of why timers were late: what root can mend, and what nobody in the machine can.
func (j *judge) cause() (text string) {
	if j.in.Asleep != "" {
		text = "; " + j.in.Asleep
	}
	if j.in.CPUStolen > stolenNamed {
		text += fmt.Sprintf("; the host of this virtual machine took %s of the processors' time away", percent(j.in.CPUStolen))
	}
	return text
}

// stalls lowers the grade where a node stood still. Nobody asks a node for that: what a run does to
// processes ends them.
func (j *judge) stalls() {
	stall, round := j.in.Iteration.Scale(stallTrusted), max(j.in.Round, j.in.Iteration)
	if j.in.Benchmark {
		round = max(round, stillBenchmark)
	}
	n, others := j.worst(float64(stall), func(n *Node) float64 { return float64(n.stood()) })
	switch {
	case n == nil || j.in.Iteration <= 0:
	case n.stood() > round:
		_, others = j.worst(float64(round), func(n *Node) float64 { return float64(n.stood()) })
		j.lower(invalid, "%s: stood still for %v: invalid beyond %v, an iteration%s%s", n.Name, n.stood(), round, others, j.cause())
	default:
		j.lower(busy, "%s: stood still for %v: trusted up to %v, half an iteration%s%s", n.Name, n.stood(), stall, others, j.cause())
	}
}

// stood is how long a node stood still at most.
func (n *Node) stood() units.Duration { return max(n.LateMax, n.Still) }

func (j *judge) drops() {
	j.lost("lost %d of %d packets, and no link model did that", func(n *Node) uint64 { return n.UnaskedDrop })
	j.lost("the kernel had no room for %d of %d packets", func(n *Node) uint64 { return n.RingDrops })
}

func (j *judge) lost(what string, count func(*Node) uint64) {
	// What got lost may never have been counted as received.
	all := func(n *Node) uint64 { return max(n.Packets, count(n), 1) }
	share := func(n *Node) float64 { return float64(count(n)) / float64(all(n)) }
	n, others := j.worst(0, share)
	if n == nil {
		return
	}
	g := busy
	if share(n) > lossInvalid {
		g = invalid
	}
	j.lower(g, "%s: "+what+" (%s): trusted at 0, invalid beyond %s%s", n.Name, count(n), all(n), percent(share(n)), percent(lossInvalid), others)
}

func (j *judge) processors() {
	cpu := j.in.CPUBusy
	switch {
	case !(cpu >= 0 && cpu <= 1):
		j.lower(busy, "how busy the processors were is not known")
	case cpu > busyInvalid:
		j.lower(invalid, "the processors were %s busy: invalid beyond %s", percent(cpu), percent(busyInvalid))
	case cpu > busyTrusted:
		j.lower(busy, "the processors were %s busy: trusted up to %s", percent(cpu), percent(busyTrusted))
	}
	if n, others := j.worst(threadTrusted, func(n *Node) float64 { return n.BusyShare }); n != nil {
		j.lower(busy, "%s: its thread was %s busy: trusted up to %s%s", n.Name, percent(n.BusyShare), percent(threadTrusted), others)
	}
}

func (j *judge) overruns() {
	n, others := j.worst(0, func(n *Node) float64 { return float64(n.Overruns) })
	if n == nil {
		return
	}
	g, share := busy, float64(n.Overruns)/float64(max(j.in.Iterations, 1))
	if share > overrunInvalid {
		g = invalid
	}
	j.lower(g, "%s: %d of %d gradients took longer than their nominal time (%s): trusted at 0, invalid beyond %s%s", n.Name, n.Overruns, j.in.Iterations, percent(share), percent(overrunInvalid), others)
}

func percent(share float64) string { return fmt.Sprintf("%.3g%%", 100*share) }

// paths lists the packet paths in use, by kind of node.
func paths(nodes []Node) []string {
	out := []string{}
	for _, n := range nodes {
		if n.Offload != "" {
			out = append(out, n.Kind+": "+n.Offload)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
