package atp

import (
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/topo/plan"
)

// Tallies says who added the contributions of a job, and what sharing cost it.
func (s System) Tallies(j *job.Job, counters []result.Counter) []result.Tally {
	t := tallied{counters: counters, switches: prefixes(j), workers: workersOf(j), servers: names(s.serverHosts(j))}
	in, at := t.contributions()
	sum, acks := t.atWorkers(host.CountWindowSum), t.atWorkers(host.CountWindowAcks)
	list := []result.Tally{
		{Key: "fragments", Unit: "fragments", About: "those whose sum servers answered", Value: t.atServers(server.CountAnswered)},
		{Key: "in_switches", Unit: "contributions", About: "values of a worker for a fragment that came to a server in a sum of several workers", Value: in},
		{Key: "at_servers", Unit: "contributions", About: "the others: each came to a server in a packet of its own", Value: at},
		{Key: "switch_share", Unit: "%", About: "share of in_switches in both", Value: 100 * ratio(in, in+at)},
		{Key: "collisions", Unit: "packets", About: "packets that met the aggregator of another fragment, or a switch without aggregators", Value: t.atSwitches(program.Collisions)},
		{Key: "resends", Unit: "packets", About: "packets that workers sent again", Value: t.atWorkers(sansio.CountResentPackets)},
		{Key: "marks", Unit: "packets", About: "parameter packets that told workers of a long queue", Value: t.atWorkers(host.CountMarks)},
		{Key: "rehashes", Unit: "fragments", About: "fragments that servers gave another index after a collision", Value: t.atServers(server.CountRehashed)},
		{Key: "floats", Unit: "fragments", About: "fragments that were sent again as floats, as their sum did not fit: their contributions may count twice", Value: t.atServers(server.CountClipped)},
		{Key: "window_mean", Unit: "packets", About: "mean of the windows of streams, over the parameter packets that they got", Value: ratio(sum, acks)},
		{Key: "window_least", Unit: "packets", About: "the least of these windows", Value: t.window(host.CountWindowLeast, slices.Min)},
		{Key: "window_most", Unit: "packets", About: "the largest of these windows", Value: t.window(host.CountWindowMost, slices.Max)},
		{Key: "aged", Unit: "aggregators", About: "aggregators of the job that were freed as abandoned (atp.age)", Value: t.atSwitches(program.FreedByAge)},
		{Key: "held", Unit: "aggregators", About: "aggregators that the job still had at the end", Value: t.held()},
	}
	if s.Colocated {
		list = append(list, result.Tally{Key: "in_memory", Unit: "contributions", About: "contributions, beside those above, that came to a server from the worker on its host", Value: t.atServers(server.CountLocal)})
	}
	return list
}

// tallied is the counters of a run, and which of them are of a job.
type tallied struct {
	counters         []result.Counter
	switches         []string // what names of switches' counters begin with: ids of the job's set-ups
	workers, servers []string
}

// prefixes returns what names of counters begin with, of all ids that a job has in the run.
func prefixes(j *job.Job) []string {
	out := []string{program.PrefixOf(j.ID)}
	next, err := j.Setups()
	if err != nil { // the job was laid out
		return out
	}
	for _, s := range next {
		out = append(out, program.PrefixOf(s.ID))
	}
	return out
}

// workersOf returns the hosts that workers are on in the run.
func workersOf(j *job.Job) []string {
	out := names(j.Hosts())
	next, err := j.Setups()
	if err != nil { // the job was laid out
		return out
	}
	for _, s := range next {
		if h := s.Hosts()[s.Worker].Name; !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out
}

func names(hosts []plan.Host) (out []string) {
	for i := range hosts {
		out = append(out, hosts[i].Name)
	}
	return out
}

// of returns a counter of each of some nodes that have it; no nodes: of all. What a node has several
// of, as forwarding engines, has its name in front.
func (t *tallied) of(nodes []string, name string) (out []float64) {
	for _, c := range t.counters {
		if (c.Name == name || strings.HasSuffix(c.Name, "/"+name)) && (nodes == nil || slices.Contains(nodes, c.Node)) {
			out = append(out, float64(c.N))
		}
	}
	return out
}

func (t *tallied) atWorkers(name string) float64 { return total(t.of(t.workers, name)) }

func (t *tallied) atServers(name string) float64 { return total(t.of(t.servers, name)) }

// atSwitches returns a counter of the job at all switches.
func (t *tallied) atSwitches(c program.Counter) float64 {
	out := 0.0
	for _, of := range t.switches {
		out += total(t.of(nil, of+c.String()))
	}
	return out
}

// contributions returns those that came to servers in a sum of several workers, and those that came
// alone. A server counts what is in a packet beyond the first contribution.
func (t *tallied) contributions() (in, at float64) {
	sums := t.atServers(server.CountWhole) + t.atServers(server.CountPartial)
	return t.atServers(server.CountInSwitch) + sums, t.atServers(server.CountSingle)
}

// held returns the aggregators that were reserved and not freed. What a switch that ended had
// counted is not known, so they may seem to be fewer than none.
func (t *tallied) held() float64 {
	out := t.atSwitches(program.Reserved)
	for _, c := range []program.Counter{program.FreedByParameter, program.FreedByAge, program.FreedByResend, program.Forgotten} {
		out -= t.atSwitches(c)
	}
	return max(0, out)
}

// window returns the least or largest of the workers'; 0 before the first parameters.
func (t *tallied) window(name string, pick func([]float64) float64) float64 {
	list := t.of(t.workers, name)
	if len(list) == 0 {
		return 0
	}
	return pick(list)
}

func total(list []float64) (sum float64) {
	for _, n := range list {
		sum += n
	}
	return sum
}

// ratio is 0 of nothing.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
