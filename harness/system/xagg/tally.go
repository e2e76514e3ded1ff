package xagg

import (
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	agent "github.com/inalab/inalab/nodes/xaggd"
	elements "github.com/inalab/inalab/switchd/program/xagg"
	"github.com/inalab/inalab/topo/plan"
)

// Tallies says who added the gradients of a job, and what losses and changes of the tree cost it.
func (System) Tallies(j *job.Job, counters []result.Counter) []result.Tally {
	hosts := j.Members()
	workers, servers, ps := hosts[:len(j.Hosts())], hosts[len(j.Hosts()):len(hosts)-1], hosts[len(hosts)-1:]
	sum := func(on []plan.Host, names ...string) float64 {
		n := uint64(0)
		for _, c := range counters {
			if slices.Contains(names, c.Name) && slices.ContainsFunc(on, func(h plan.Host) bool { return h.Name == c.Node }) {
				n += c.N
			}
		}
		return float64(n)
	}
	added := elements.Added.String()
	below, root := sum(servers, added), sum(ps, added)
	return []result.Tally{
		{Key: "at_servers", Unit: "packets", About: "gradients and sums that servers added", Value: below},
		{Key: "at_ps", Unit: "packets", About: "gradients and sums that the parameter server added", Value: root},
		{Key: "server_share", Unit: "%", About: "share of at_servers in both", Value: 100 * below / max(1, below+root)},
		{Key: "again", Unit: "packets", About: "gradients, sums and results that were sent again", Value: sum(hosts, agent.CountAgain)},
		{Key: "duplicates", Unit: "packets", About: "packets that were there already, and were dropped", Value: sum(hosts, elements.Duplicate.String(), elements.Resent.String())},
		{Key: "loss_reports", Unit: "packets", About: "lists of what was lost", Value: sum(hosts, agent.CountReports)},
		{Key: "cuts", Unit: "times", About: "times that a worker's rate was cut, for its losses in a period", Value: sum(hosts, agent.CountCuts)},
		{Key: "control", Unit: "packets", About: "all messages over UDP", Value: sum(hosts, agent.CountControl)},
		{Key: "moves", Unit: "times", About: "times that a worker went to another parent", Value: sum(workers, agent.CountMoves)},
	}
}
