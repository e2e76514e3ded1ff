package sim_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/inalab/inalab/harness/check/parity"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// atpPlan is hosts on links of 1 Gbit/s, three racks of them on a multi-rack.
func atpPlan(t *testing.T, topology string, hosts int, link topo.LinkSpec) *plan.Plan {
	t.Helper()
	link.Rate, link.Delay = units.GbitPerSecond, units.Microsecond
	params := gen.Params{Hosts: hosts, Link: link, Uplink: link}
	switch topology {
	case "multi-rack":
		params.Racks = 3
	case "leaf-spine":
		params.Leaves, params.Spines = 3, 2
	}
	return chassistest.Plan(t, topology, params)
}

// atpSpec is a training of three iterations on some hosts of a plan, with servers.
func atpSpec(t *testing.T, p *plan.Plan, sys atp.System, servers []int, on ...int) job.Spec {
	t.Helper()
	s := tenantSpec(t, p, sys)
	s.Iterations, s.On, s.ServersOn, s.Servers = 3, on, servers, len(servers)
	return s
}

// runATP runs jobs together, and wants no wrong sum.
func runATP(t *testing.T, specs ...job.Spec) ([]*job.Job, []result.Cell) {
	t.Helper()
	jobs, cells := runTogether(t, specs...)
	for i, j := range jobs {
		wantRight(t, j, cells[i])
	}
	return jobs, cells
}

// runTogether runs jobs in one lab.
func runTogether(t *testing.T, specs ...job.Spec) ([]*job.Job, []result.Cell) {
	t.Helper()
	var jobs []*job.Job
	for _, s := range specs {
		j, err := job.New(s)
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	set, err := job.NewSet(jobs...)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := sim.RunJobs(t.Context(), set, images(t), sim.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	return jobs, cells
}

// fragments returns those of a job, of all its iterations.
func fragments(j *job.Job) uint64 {
	return uint64(j.Iterations * ((j.Params + wire.Values - 1) / wire.Values))
}

// Where the table is large enough a fragment is one packet at the server, at one level or two; as a
// rack-scale service it is one of each rack (§5.2.2), and without aggregators one of each
// worker (§3.1).
func TestATPPacketsAtTheServer(t *testing.T) {
	long(t)
	rack, racks, leaves := atpPlan(t, "rack", 5, topo.LinkSpec{}), atpPlan(t, "multi-rack", 9, topo.LinkSpec{}), atpPlan(t, "leaf-spine", 9, topo.LinkSpec{})
	four, six := []int{0, 1, 2, 3}, []int{0, 1, 3, 4, 6, 7}
	for name, tc := range map[string]struct {
		plan    *plan.Plan
		system  atp.System
		on      []int
		servers []int
		each    uint64
	}{
		"one rack":                      {rack, atp.System{}, four, []int{4}, 1},
		"one rack, no aggregators":      {rack, atp.System{Aggregators: atp.None}, four, []int{4}, 4},
		"three racks":                   {racks, atp.System{}, six, []int{8}, 1},
		"three racks, none":             {racks, atp.System{Aggregators: atp.None}, six, []int{8}, 6},
		"rack-scale":                    {racks, atp.System{Levels: atp.RackLevel}, six, []int{8}, 3},
		"spines":                        {leaves, atp.System{}, six, []int{8}, 1},
		"a server of no worker's rack":  {racks, atp.System{}, []int{0, 1, 3}, []int{8}, 1},
		"two servers":                   {racks, atp.System{ServerCount: 2, Unscaled: true}, six, []int{8, 2}, 1},
		"threads":                       {rack, atp.System{Threads: 3, Unscaled: true}, four, []int{4}, 1},
		"number for index":              {rack, atp.System{Indexing: host.Linear}, four, []int{4}, 1},
		"part of a table":               {rack, atp.System{Indexing: host.Static, Aggregators: 2000, Parts: 2, Unscaled: true}, four, []int{4}, 1},
		"beside a worker":               {rack, atp.System{Colocated: true}, four, nil, 1},
		"beside each":                   {racks, atp.System{Colocated: true, ServerCount: 6, Unscaled: true}, six, nil, 1},
		"beside each, none":             {racks, atp.System{Colocated: true, ServerCount: 6, Unscaled: true, Aggregators: atp.None}, six, nil, 5},
		"beside one, rack-scale":        {racks, atp.System{Colocated: true, Levels: atp.RackLevel}, six, nil, 3},
		"beside one, spines":            {leaves, atp.System{Colocated: true}, six, nil, 1},
		"window of a packet, no growth": {rack, atp.System{Window: 1, Fixed: true}, four, []int{4}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			jobs, cells := runATP(t, atpSpec(t, tc.plan, tc.system, tc.servers, tc.on...))
			if got, want := counted(cells[0], "h", "atp-server-packets"), tc.each*fragments(jobs[0]); got != want {
				t.Errorf("%d packets at servers, want %d: %v", got, want, cells[0].Counters)
			}
		})
	}
}

// On an emulated Tofino the same packets come to the server, without time and with; what does
// not fit one runs on the reference program.
func TestATPPipeline(t *testing.T) {
	long(t)
	racks, lossy := atpPlan(t, "multi-rack", 9, topo.LinkSpec{}), atpPlan(t, "multi-rack", 9, topo.LinkSpec{Loss: 0.005})
	instant, timed := atp.Pipe{Pipeline: true}, atp.Pipe{Pipeline: true, Timed: true}
	for name, tc := range map[string]struct {
		plan   *plan.Plan
		system atp.System
		each   uint64 // zero: some are lost
	}{
		"instant":        {racks, atp.System{Pipe: instant}, 1},
		"timed":          {racks, atp.System{Pipe: timed}, 1},
		"no aggregators": {racks, atp.System{Pipe: instant, Aggregators: atp.None}, 4},
		"loss":           {lossy, atp.System{Pipe: instant}, 0},
		"loss and time":  {lossy, atp.System{Pipe: timed, Aggregators: 40, Unscaled: true}, 0},
		"too large":      {racks, atp.System{Pipe: instant, Aggregators: 30_000, Unscaled: true}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			jobs, cells := runATP(t, atpSpec(t, tc.plan, tc.system, []int{8}, 0, 1, 3, 6))
			if got, want := counted(cells[0], "h8", "atp-server-packets"), tc.each*fragments(jobs[0]); want > 0 && got != want {
				t.Errorf("%d packets at the server, want %d", got, want)
			}
			if got, want := counted(cells[0], "tor", "tofino-resubmitted") > 0, name != "too large"; got != want && tc.system.Aggregators != atp.None {
				t.Errorf("packets were resubmitted: %v; notes: %q", got, jobs[0].Layout.Notes)
			}
		})
	}
}

// A benchmark contributes values whose sums fit: ATP clips others, and asks for floats.
func TestATPBenchmark(t *testing.T) {
	for _, b := range (atp.System{}).Benches(job.BenchLimits{Window: 64, Timeout: units.Millisecond}) {
		s := atpSpec(t, atpPlan(t, "rack", 5, topo.LinkSpec{}), b.System.(atp.System), []int{4}[:job.Servers(b.System, 4)], 0, 1, 2, 3)
		s.Elements = 20_000
		_, cells := runATP(t, s)
		if n := counted(cells[0], "h", "atp-server-clipped"); n != 0 {
			t.Errorf("%s: %d sums were clipped", b.Name, n)
		}
	}
}

// Frames that are lost on any link cost resends and no sum, and two runs are equal.
func TestATPLoss(t *testing.T) {
	long(t)
	for name, tc := range map[string]struct {
		topology    string
		system      atp.System
		on, servers []int
	}{
		"rack":             {"rack", atp.System{}, []int{0, 1, 2, 3}, []int{4}},
		"no aggregators":   {"rack", atp.System{Aggregators: atp.None}, []int{0, 1, 2, 3}, []int{4}},
		"few aggregators":  {"rack", atp.System{Aggregators: 20, Unscaled: true}, []int{0, 1, 2, 3}, []int{4}},
		"racks":            {"multi-rack", atp.System{}, []int{0, 1, 3, 4, 6, 7}, []int{8}},
		"racks, few":       {"multi-rack", atp.System{Aggregators: 20, Unscaled: true}, []int{0, 1, 3, 4, 6, 7}, []int{8}},
		"beside each":      {"rack", atp.System{Colocated: true, ServerCount: 4, Aggregators: 20, Unscaled: true}, []int{0, 1, 2, 3}, nil},
		"beside, racks":    {"multi-rack", atp.System{Colocated: true, ServerCount: 2, Aggregators: 200, Unscaled: true}, []int{0, 1, 3, 4, 6, 7}, nil},
		"beside, pipeline": {"multi-rack", atp.System{Colocated: true, ServerCount: 2, Pipe: atp.Pipe{Pipeline: true}}, []int{0, 1, 3, 4, 6, 7}, nil},
		"spines, servers":  {"leaf-spine", atp.System{ServerCount: 2, Threads: 2}, []int{0, 1, 3, 4, 6, 7}, []int{8, 2}},
		"racks, all kinds": {"multi-rack", atp.System{Superset: true, Resend: host.Gaps, ExpectedOnly: true, Aligned: true, Levels: atp.RackLevel}, []int{0, 1, 3, 4, 6, 7}, []int{8}},
	} {
		t.Run(name, func(t *testing.T) {
			p := atpPlan(t, tc.topology, 9, topo.LinkSpec{Loss: 0.005})
			twiceWithLoss(t, func() job.Spec { return atpSpec(t, p, tc.system, tc.servers, tc.on...) })
		})
	}
}

// twiceWithLoss runs a job twice in which something is sent again, and wants no difference.
func twiceWithLoss(t *testing.T, spec func() job.Spec) {
	t.Helper()
	var texts [2]string
	for i := range texts {
		_, cells := runATP(t, spec())
		if counted(cells[0], "h", sansio.CountResentPackets) == 0 {
			t.Error("nothing was sent again")
		}
		text, err := json.Marshal(cells)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Error("two runs differ")
	}
}

// Jobs share a table that is too small for them, and a guest comes and goes.
func TestATPTenants(t *testing.T) {
	p := atpPlan(t, "rack", 9, topo.LinkSpec{})
	for _, aggregators := range []int{400, 100, 10, atp.None} {
		t.Run(fmt.Sprint(aggregators), func(t *testing.T) {
			sys := atp.System{Aggregators: aggregators, Span: 200, Unscaled: true}
			var specs []job.Spec
			for k := range 3 {
				s := atpSpec(t, p, sys, []int{3*k + 2}, 3*k, 3*k+1)
				s.ID = uint8(k + 1)
				specs = append(specs, s)
			}
			_, cells := runATP(t, specs...)
			if got := counted(cells[0], "tor", "atp-collisions"); got == 0 {
				t.Errorf("no collision among 600 fragments at a time in a table of %d", aggregators)
			}
		})
	}
}

// Jobs over the same racks, of which each has one worker in a rack, share tables that are too
// small for them. A fragment that collides at one of its first switches waits until it is sent again.
func TestATPTenantsOverRacks(t *testing.T) {
	long(t)
	p := atpPlan(t, "multi-rack", 12, topo.LinkSpec{})
	for _, aggregators := range []int{400, 200, 30} {
		t.Run(fmt.Sprint(aggregators), func(t *testing.T) {
			var specs []job.Spec
			for k, last := range []int{3, 7, 11} {
				s := atpSpec(t, p, atp.System{Aggregators: aggregators, Span: 200, Unscaled: true}, []int{8 + k}, k, 4+k, last)
				s.ID = uint8(k + 1)
				specs = append(specs, s)
			}
			_, cells := runATP(t, specs...)
			if counted(cells[0], "tor", "atp-collisions") == 0 {
				t.Errorf("no collision in tables of %d", aggregators)
			}
		})
	}
}

// What servers beside workers added by time is what they added in all.
func TestATPColocatedSeries(t *testing.T) {
	s := atpSpec(t, atpPlan(t, "rack", 4, topo.LinkSpec{}), atp.System{Colocated: true, ServerCount: 2, Aggregators: 150, Unscaled: true}, nil, 0, 1, 2, 3)
	s.Interval = units.Millisecond
	_, cells := runATP(t, s)
	c := &cells[0]
	if len(c.Aggregations) != 2 || len(c.Tallies) == 0 {
		t.Fatalf("series %+v, tallies %+v", c.Aggregations, c.Tallies)
	}
	for i, key := range []string{"in_switches", "at_servers"} {
		k := slices.IndexFunc(c.Tallies, func(n result.Tally) bool { return n.Key == key })
		if sum := c.Aggregations[i].Sum(); sum == 0 || float64(sum) != c.Tallies[k].Value {
			t.Errorf("%s: %d by time, and %v in all", key, sum, c.Tallies[k].Value)
		}
	}
}

// forgets is a switch that forgets again and again.
func forgets(nodes ...string) (out []job.Action) {
	for at := 1100 * units.Microsecond; at < 6*units.Millisecond; at += 170 * units.Microsecond {
		for _, n := range nodes {
			out = append(out, job.Action{At: at, Verb: job.Forget, Node: n})
		}
	}
	return out
}

// A switch that forgets in mid-run, or dies and comes back empty, costs resends and no sum (§3.1).
func TestATPForgets(t *testing.T) {
	long(t)
	p := atpPlan(t, "multi-rack", 9, topo.LinkSpec{})
	p.Switches[0].Ports[1].In.Delay = 20 * units.Microsecond // h1 is behind h0, so that packets wait for it
	for name, actions := range map[string][]job.Action{
		"first level":  forgets("tor0"),
		"second level": forgets("tor2"),
		"both at once": forgets("tor1", "tor2"),
		"dies":         {act(3, job.Kill, "tor2"), act(5, job.Start, "tor2")},
	} {
		t.Run(name, func(t *testing.T) {
			s := atpSpec(t, p, atp.System{}, []int{8}, 0, 1, 3, 4, 6, 7)
			s.Iterations, s.Actions = 6, actions
			_, cells := runATP(t, s)
			if len(cells[0].Course) != len(actions) || cells[0].Ended != nil {
				t.Errorf("%q, ended %+v", cells[0].Course, cells[0].Ended)
			}
			if counted(cells[0], "h", sansio.CountResentPackets) == 0 {
				t.Error("nothing was sent again")
			}
		})
	}
}

// Links that mark congestion make windows shrink: marks come back by parameter packets.
func TestATPMarks(t *testing.T) {
	p := atpPlan(t, "rack", 5, topo.LinkSpec{Queue: 64 * units.KiB, Marking: topo.Marking{Min: 8 * units.KiB, Max: 8 * units.KiB}})
	_, cells := runATP(t, atpSpec(t, p, atp.System{Aggregators: atp.None, Unscaled: true}, []int{4}, 0, 1, 2, 3))
	if marks, halved := counted(cells[0], "h", "atp-marks"), counted(cells[0], "h", "atp-window-halved"); marks == 0 || halved == 0 {
		t.Errorf("%d marks, windows halved %d times", marks, halved)
	}
}

// Sums that do not fit an int32 come back as floats, whose bits are checked: with any factor, on any
// way, and whatever is lost or forgotten on it.
func TestATPFloats(t *testing.T) {
	long(t)
	four, six := []int{0, 1, 2, 3}, []int{0, 1, 3, 4, 6, 7}
	for name, tc := range map[string]struct {
		topology string
		system   atp.System
		on       []int
		loss     float64
		actions  []job.Action
	}{
		"rack":                  {"rack", atp.System{}, four, 0, nil},
		"rack, no aggregators":  {"rack", atp.System{Aggregators: atp.None}, four, 0, nil},
		"rack, few, superset":   {"rack", atp.System{Aggregators: 20, Unscaled: true, Superset: true}, four, 0.005, nil},
		"racks":                 {"multi-rack", atp.System{}, six, 0, nil},
		"racks, lossy":          {"multi-rack", atp.System{}, six, 0.005, nil},
		"racks, forgetful":      {"multi-rack", atp.System{}, six, 0, forgets("tor0", "tor2")},
		"rack, chip":            {"rack", atp.System{Pipe: atp.Pipe{Pipeline: true}}, four, 0.005, nil},
		"racks, chip with time": {"multi-rack", atp.System{Pipe: atp.Pipe{Pipeline: true, Timed: true}}, six, 0, nil},
		"rack-scale, two paths": {"leaf-spine", atp.System{Levels: atp.RackLevel, Threads: 2}, six, 0.005, nil},
	} {
		for _, factor := range []int{1e8, 1e10, 1e12} {
			t.Run(fmt.Sprintf("%s, %g", name, float64(factor)), func(t *testing.T) {
				tc.system.Factor = factor
				s := atpSpec(t, atpPlan(t, tc.topology, 9, topo.LinkSpec{Loss: tc.loss}), tc.system, []int{8}, tc.on...)
				s.Actions = tc.actions
				kept := parity.NewRecording(len(tc.on))
				s.Record = kept.Recorder
				jobs, cells := runATP(t, s)
				elements := floatElements(t, kept, jobs[0])
				if all := len(tc.on) * jobs[0].Iterations * jobs[0].Params; (elements > 0) != (factor > 1e8) || elements == all {
					t.Errorf("%d of %d elements came as floats", elements, all)
				}
				if sent := counted(cells[0], "h", host.CountFloats); (sent > 0) != (elements > 0) {
					t.Errorf("%d packets went as floats, and %d elements came so", sent, elements)
				}
			})
		}
	}
}

// floatElements counts the elements that workers were given as float32.
func floatElements(t *testing.T, r *parity.Recording, j *job.Job) (n int) {
	t.Helper()
	for w := range j.Hosts() {
		for gen := range j.Iterations {
			runs, err := r.DeliveredFloats(w, gen)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range runs {
				n += len(f.Values)
			}
		}
	}
	return n
}
