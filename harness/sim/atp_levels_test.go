package sim_test

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// treePlan is a tree of switches with two below each, and two hosts on each of the lowest.
func treePlan(t *testing.T, depth int, link topo.LinkSpec) *plan.Plan {
	t.Helper()
	link.Rate, link.Delay = units.GbitPerSecond, units.Microsecond
	return chassistest.Plan(t, "tree", gen.Params{Hosts: 1 << depth, Depth: depth, FanOut: 2, Link: link, Uplink: link})
}

// all is every switch on the ways.
func all(s atp.System) atp.System {
	s.Levels = atp.AllLevels
	return s
}

// At three levels and five, with one server and with two, a fragment is one packet at the server; without aggregators
// it is one of each worker. What a switch completed is one packet on its way to the next.
func TestATPPacketsOfMoreLevels(t *testing.T) {
	sim.OneGoroutine(t)
	racks, tree := atpPlan(t, "multi-rack", 9, topo.LinkSpec{}), treePlan(t, 3, topo.LinkSpec{})
	six, five := []int{0, 1, 3, 4, 6, 7}, []int{0, 1, 2, 4, 6}
	for name, tc := range map[string]struct {
		plan    *plan.Plan
		system  atp.System
		on      []int
		servers []int
		each    uint64
		core    string // a switch of which one packet of a fragment goes on
	}{
		"three racks":       {racks, all(atp.System{}), six, []int{8}, 1, "core"},
		"three racks, none": {racks, all(atp.System{Aggregators: atp.None}), six, []int{8}, 6, ""},
		"tree":              {tree, all(atp.System{}), five, []int{7}, 1, "s2-0"},
		"tree, none":        {tree, all(atp.System{Aggregators: atp.None}), five, []int{7}, 5, ""},
		"two servers":       {tree, all(atp.System{ServerCount: 2, Unscaled: true}), []int{0, 2, 4}, []int{7, 1}, 1, "s2-0"},
		"beside a worker":   {tree, all(atp.System{Colocated: true}), five, nil, 1, "s2-0"},
		"beside two":        {tree, all(atp.System{Colocated: true, ServerCount: 2, Unscaled: true}), five, nil, 1, "s2-0"},
		"threads":           {tree, all(atp.System{Threads: 3, Unscaled: true}), five, []int{7}, 1, "s2-0"},
	} {
		t.Run(name, func(t *testing.T) {
			jobs, cells := runATP(t, atpSpec(t, tc.plan, tc.system, tc.servers, tc.on...))
			if got, want := counted(cells[0], "h", "atp-server-packets"), tc.each*fragments(jobs[0]); got != want {
				t.Errorf("%d packets at servers, want %d: %v", got, want, cells[0].Counters)
			}
			if got := counted(cells[0], tc.core, program.PrefixOf(jobs[0].ID)+"atp-results"); tc.core != "" && got != fragments(jobs[0]) {
				t.Errorf("%d sums of %s, want %d", got, tc.core, fragments(jobs[0]))
			}
			if n := held(cells[0]); n != 0 {
				t.Errorf("%v aggregators are held: parameters missed a switch", n)
			}
		})
	}
}

// held returns how many aggregators are held at the end of a run.
func held(c result.Cell) float64 {
	for _, n := range c.Tallies {
		if n.Key == "held" {
			return n.Value
		}
	}
	return -1
}

// Frames that are lost on any link, few aggregators, and switches of every level that forget or die cost resends and
// no sum, and two runs are equal.
func TestATPLossAtMoreLevels(t *testing.T) {
	sim.OneGoroutine(t)
	few := atp.System{Aggregators: 20, Unscaled: true}
	for name, tc := range map[string]struct {
		system  atp.System
		loss    float64
		actions []job.Action
	}{
		"loss":           {all(atp.System{}), 0.005, nil},
		"few":            {all(few), 0.005, nil},
		"few, superset":  {all(atp.System{Aggregators: 20, Unscaled: true, Superset: true, Resend: host.Gaps, Aligned: true}), 0.005, nil},
		"none":           {all(atp.System{Aggregators: atp.None}), 0.005, nil},
		"forgetful":      {all(atp.System{}), 0.001, forgets("s0-0", "s1-0", "s2-0", "s1-1")},
		"the middle die": {all(atp.System{}), 0.001, []job.Action{act(3, job.Kill, "s2-0"), act(5, job.Start, "s2-0")}},
		"floats, loss":   {all(atp.System{Factor: 1e12}), 0.005, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := treePlan(t, 3, topo.LinkSpec{Loss: tc.loss})
			twiceWithLoss(t, func() job.Spec {
				s := atpSpec(t, p, tc.system, []int{7}, 0, 1, 2, 4, 6)
				s.Actions = tc.actions
				return s
			})
		})
	}
}
