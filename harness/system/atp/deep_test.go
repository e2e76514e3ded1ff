package atp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	wire "github.com/inalab/inalab/internal/wire/atp"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// treeOf is a tree of switches with two below each.
func treeOf(t *testing.T, depth, hosts int) *plan.Plan {
	t.Helper()
	return jobtest.PlanOf(t, "tree", gen.Params{Hosts: hosts, Depth: depth, FanOut: 2})
}

// toldDeep writes what a worker says to a server: bits and fan-ins by level, and its switch's level.
func toldDeep(s host.Server) (text string) {
	h := wire.Header{Bitmaps: s.Bitmaps, FanIns: s.FanIns, Upper: s.Upper}
	for k := range h.Levels() {
		text += fmt.Sprintf("%b/%d ", h.Bitmap(k), h.FanIn(k))
	}
	return text + fmt.Sprint("from ", h.Next())
}

// does writes what a switch does towards the servers of a job.
func does(j *job.Job, sw string) []string { return doesAs(j, sw, j.ID) }

// doesAs writes that of the set-up with an id.
func doesAs(j *job.Job, sw string, id uint8) (out []string) {
	at, _ := j.Plan.Switch(sw)
	jobs := j.Layout.Programs[at.Index][0].(engineConfig).Program.Jobs
	k := slices.IndexFunc(jobs, func(d program.Job) bool { return d.ID == id })
	if k < 0 {
		return nil
	}
	for _, s := range jobs[k].Servers {
		text := fmt.Sprint("by ", s.Ports)
		for k, l := range s.Parts() {
			for _, from := range l.Sources {
				text += fmt.Sprintf(" %d:%d=%s@%v%v", k, from.Bit, from.Name, from.Ports, from.Workers)
			}
		}
		out = append(out, text)
	}
	return out
}

// Racks on one core switch have three levels: the racks, the core, and the server's rack.
func TestThreeLevels(t *testing.T) {
	j := mustLay(t, System{Levels: AllLevels}, racks(t, 3), []int{0, 1, 3, 4, 6, 7}, []int{8})
	var got []string
	for _, c := range j.Layout.Cores {
		got = append(got, toldDeep(c.(host.Config).Servers[0]))
	}
	want := []string{
		"1/2 1/2 1/3 from 0", "10/2 1/2 1/3 from 0", "1/2 10/2 1/3 from 0", "10/2 10/2 1/3 from 0", "1/1 1/1 10/3 from 2", "1/1 1/1 100/3 from 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("workers say %q, want %q", got, want)
	}
	for sw, want := range map[string]string{
		"tor0": "by [3] 0:0=h0@[0][0] 0:1=h1@[1][1]", "tor1": "by [3] 0:0=h3@[0][2] 0:1=h4@[1][3]",
		"core": "by [2] 1:0=tor0@[0][0 1] 1:1=tor1@[1][2 3]",
		"tor2": "by [2] 2:0=core@[3][0 1 2 3] 2:1=h6@[0][4] 2:2=h7@[1][5]",
	} {
		if got := does(j, sw); len(got) != 1 || got[0] != want {
			t.Errorf("%s does %q, want %q", sw, got, want)
		}
	}
	s := j.Layout.Dedicated[0].(server.Config)
	if got := fmt.Sprint(s.Levels, s.Paths, s.Racks); got != "3 [[0 0 0] [0 0 1] [0 1 0] [0 1 1] [1] [2]] []" {
		t.Errorf("the server knows %s", got)
	}
	flow := j.Layout.Cores[0].(host.Config).Servers[0].Flow
	if flow.DstPort != wire.DeepPort || flow.SrcPort != wire.DeepPort || s.Flow.DstPort != wire.DeepPort || j.Layout.Port != wire.DeepPort || j.Layout.Packet != 300 {
		t.Errorf("packets of %d bytes go from %d to %d, and back to %d", j.Layout.Packet, flow.SrcPort, flow.DstPort, s.Flow.DstPort)
	}
	if notes := j.Layout.Notes; len(notes) == 0 || !strings.HasPrefix(notes[0], "frames of 314 bytes in place of 306: the header has 3 levels") {
		t.Errorf("notes %q", notes)
	}
	if got := fmt.Sprint(j.Layout.Engine("tor2").Below, j.Layout.Engine("core").Below); got != "map[0:core 1:core 2:core 3:core 4:h6 5:h7] map[0:tor0 1:tor0 2:tor1 3:tor1]" {
		t.Errorf("engines know of whom is below: %s", got)
	}
}

// Ways of unequal length end at the same level, that of the server; all servers of a job have as many.
func TestUnequalWays(t *testing.T) {
	j := mustLay(t, System{Levels: AllLevels, ServerCount: 2}, treeOf(t, 3, 8), []int{0, 2, 4}, []int{7, 1})
	var got []string
	for _, c := range j.Layout.Cores {
		for _, s := range c.(host.Config).Servers {
			got = append(got, toldDeep(s))
		}
	}
	want := []string{
		"1/1 1/2 1/1 1/2 1/1 from 0", "1/1 1/1 1/1 1/1 1/2 from 4", // h0 to h7 over five switches, and to h1 over one
		"1/1 10/2 1/1 1/2 1/1 from 0", "1/1 1/1 1/1 1/2 10/2 from 2",
		"1/1 1/1 1/1 10/2 1/1 from 2", "1/1 1/1 1/1 10/2 10/2 from 0",
	}
	if j.Layout.Packet != 316 || !slices.Equal(got, want) {
		t.Errorf("packets of %d bytes; workers say %q, want %q", j.Layout.Packet, got, want)
	}
}

// The worker on a server's host is at no level.
func TestDeepBesideServers(t *testing.T) {
	j := mustLay(t, System{Levels: AllLevels, Colocated: true}, racks(t, 3), []int{0, 1, 3, 6}, nil)
	c := j.Layout.Cores[0].(coreConfig)
	if got := toldDeep(c.Servers[0]); got != "1/1 1/1 1/1 from 2" {
		t.Errorf("h0 says %s", got)
	}
	if got := fmt.Sprint(c.Beside.Levels, c.Beside.Paths); got != "3 [[] [0] [1 0 0] [1 1 0]]" {
		t.Errorf("the server knows %s", got)
	}
	if got := does(j, "tor0"); len(got) != 1 || got[0] != "by [0] 2:0=h1@[1][1] 2:1=core@[3][2 3]" {
		t.Errorf("tor0 does %q", got)
	}
}

// With two levels at most the base header does.
func TestAllOfTwo(t *testing.T) {
	for _, p := range []*plan.Plan{jobtest.Plan(t, "rack", 6), jobtest.PlanOf(t, "dumbbell", gen.Params{Hosts: 6})} {
		all, two := mustLay(t, System{Levels: AllLevels}, p, []int{0, 1, 3, 4}, []int{5}), mustLay(t, System{}, p, []int{0, 1, 3, 4}, []int{5})
		if notes := all.Layout.Notes; len(notes) == 0 || !strings.HasPrefix(notes[0], "two levels: no packet has more") {
			t.Errorf("%s: notes %q", p.Name, notes)
		}
		all.Layout.Notes, two.Layout.Notes = nil, nil
		if a, b := fmt.Sprintf("%+v", all.Layout), fmt.Sprintf("%+v", two.Layout); a != b {
			t.Errorf("%s: %s\nwant %s", p.Name, a, b)
		}
	}
}

// What has no fixed ways, more than the header's levels or more than 32 at one is refused.
func TestDeepRefusals(t *testing.T) {
	upTo := func(n int) (out []int) {
		for i := range n {
			out = append(out, i)
		}
		return out
	}
	spines := jobtest.PlanOf(t, "leaf-spine", gen.Params{Hosts: 6, Leaves: 3, Spines: 2})
	chassis := jobtest.PlanOf(t, "chassis-spine", gen.Params{Hosts: 12, Leaves: 2, Spines: 1})
	many := jobtest.PlanOf(t, "multi-rack", gen.Params{Hosts: 34, Racks: 34})
	for want, tc := range map[string]struct {
		system      System
		plan        *plan.Plan
		on, servers []int
	}{
		"from leaf0 to leaf2 there are 2 of equal cost":           {System{}, spines, []int{0, 2}, []int{5}},
		"up to 7 switches from a server":                          {System{}, treeOf(t, 4, 8), []int{0, 1}, []int{7}},
		"33 switches and workers of the job are behind switch co": {System{}, many, upTo(33), []int{33}},
		"mx0 of topology chassis-spine is a chassis of":           {System{}, chassis, []int{0, 1}, []int{11}},
	} {
		tc.system.Levels = AllLevels
		if _, err := laid(t, tc.system, tc.plan, tc.on, tc.servers); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// two levels name at most 32 racks, three levels as many at each switch
	wide := jobtest.PlanOf(t, "tree", gen.Params{Hosts: 64, Depth: 3, FanOut: 8})
	on := make([]int, 40)
	for i := range on {
		on[i] = i
	}
	if _, err := laid(t, System{}, wide, on, []int{63}); err == nil || !strings.Contains(err.Error(), "are 40 together") {
		t.Errorf("40 racks: %v", err)
	}
	j := mustLay(t, System{Levels: AllLevels}, wide, on, []int{63})
	if n := len(j.Layout.Dedicated[0].(server.Config).Paths); n != 40 {
		t.Errorf("%d workers have ways", n)
	}
}

// A worker that comes up elsewhere has other bits, ways and switches in the next set-up. Where one set-up has more than
// two levels all have as many, so that ports and lengths stay.
func TestSetUpsOfMoreLevels(t *testing.T) {
	for name, tc := range map[string]struct {
		on        []int
		node, to  string
		told      []string // what worker 1 says by set-up
		paths     string
		core, tor string // what they do by set-up
	}{
		"moves": {
			[]int{0, 1, 3}, "h1", "h7", []string{"10/2 1/2 1/1 from 0", "1/1 1/1 10/2 from 2"},
			"[[0 0 0] [0 0 1] [0 1 0]] [[0 0 0] [1] [0 1 0]]",
			"by [2] 1:0=tor0@[0][0 1] 1:1=tor1@[1][2]; by [2] 1:0=tor0@[0][0] 1:1=tor1@[1][2]", "by [2] 2:0=core@[3][0 1 2]; by [2] 2:0=core@[3][0 2] 2:1=h7@[1][1]",
		},
		"one level, then three": {
			[]int{6, 7}, "h7", "h0", []string{"1/1 1/1 10/2 from 2", "1/1 1/1 10/2 from 0"}, "[[0] [1]] [[0] [1 0 0]]",
			"; by [2] 1:0=tor0@[0][1]", "by [2] 2:0=h6@[0][0] 2:1=h7@[1][1]; by [2] 2:0=h6@[0][0] 2:1=core@[3][1]",
		},
		"three, then one": {
			[]int{6, 0}, "h0", "h7", []string{"1/1 1/1 10/2 from 0", "1/1 1/1 10/2 from 2"}, "[[0] [1 0 0]] [[0] [1]]",
			"by [2] 1:0=tor0@[0][1]; ", "by [2] 2:0=h6@[0][0] 2:1=core@[3][1]; by [2] 2:0=h6@[0][0] 2:1=h7@[1][1]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := specOf(t, System{Levels: AllLevels}, racks(t, 3), tc.on, []int{8})
			s.Elements, s.Actions = 0, []job.Action{{At: 1, Verb: job.Kill, Node: tc.node}, {At: 2, Verb: job.Start, Node: tc.node, On: tc.to}}
			j, err := job.New(s)
			if err != nil {
				t.Fatal(err)
			}
			c := j.Layout.Cores[1].(host.Config)
			if got := []string{toldDeep(c.Servers[0]), toldDeep(c.Setups[0].Servers[0])}; !slices.Equal(got, tc.told) || c.Setups[0].Servers[0].Flow.DstPort != wire.DeepPort {
				t.Errorf("h1 says %q to port %d, want %q", got, c.Setups[0].Servers[0].Flow.DstPort, tc.told)
			}
			ps := j.Layout.Dedicated[0].(server.Config)
			if got := fmt.Sprint(ps.Paths, " ", ps.Setups[0].Paths); got != tc.paths || ps.Levels != 3 || len(ps.Racks)+len(ps.Setups[0].Racks) != 0 || j.Layout.Packet != 300 {
				t.Errorf("the server knows %s of %d levels, in packets of %d bytes, want %s", got, ps.Levels, j.Layout.Packet, tc.paths)
			}
			for sw, want := range map[string]string{"core": tc.core, "tor2": tc.tor} {
				if got := strings.Join(doesAs(j, sw, j.ID), " ") + "; " + strings.Join(doesAs(j, sw, j.ID+32), " "); got != want {
					t.Errorf("%s does %q, want %q", sw, got, want)
				}
			}
			if name == "moves" && j.Layout.Engine("tor2").Below[1] != "core or h7" {
				t.Errorf("packets of worker 1 come to tor2 from %q", j.Layout.Engine("tor2").Below[1])
			}
		})
	}
}

// A job with more levels than the chip has, in its first set-up or in a later one, runs on the reference program.
func TestDeepJobsLeaveTheChip(t *testing.T) {
	for name, tc := range map[string]struct {
		on    []int
		start string // where the first worker comes up again; empty: nobody ends
		chip  bool
	}{
		"three levels":             {[]int{0, 3}, "", false},
		"one level":                {[]int{6, 7}, "", true},
		"three after a start":      {[]int{6, 7}, "h0", false},
		"one level, after a start": {[]int{6, 7}, "h6", true},
	} {
		s := specOf(t, System{Levels: AllLevels, Pipe: Pipe{Pipeline: true}}, racks(t, 3), tc.on, []int{8})
		if tc.start != "" {
			node := fmt.Sprint("h", tc.on[0])
			s.Elements, s.Actions = 0, []job.Action{{At: 1, Verb: job.Kill, Node: node}, {At: 2, Verb: job.Start, Node: node, On: tc.start}}
		}
		j := jobtest.New(t, s)
		says := strings.Contains(strings.Join(j.Layout.Notes, " "), "not the pipeline: that has two levels, and packets of topology multi-rack pass 3")
		if want := map[bool]string{true: "pipeline", false: job.Reference}[tc.chip]; j.Switch != want || says == tc.chip {
			t.Errorf("%s: switches run %q, want %q: %q", name, j.Switch, want, j.Layout.Notes)
		}
	}
}

// A set-up that has no fixed ways is refused before the run.
func TestSetUpsOfMoreLevelsAreRefused(t *testing.T) {
	spines := jobtest.PlanOf(t, "leaf-spine", gen.Params{Hosts: 9, Leaves: 3, Spines: 2})
	for want, tc := range map[string]struct {
		system  System
		plan    *plan.Plan
		on      []int
		servers []int
		to      string
	}{
		"after the start of worker 0 on h0: atp.levels=all needs one way": {System{}, spines, []int{6, 7}, []int{8}, "h0"},
	} {
		tc.system.Levels = AllLevels
		s := specOf(t, tc.system, tc.plan, tc.on, tc.servers)
		node := fmt.Sprint("h", tc.on[0])
		s.Elements, s.Actions = 0, []job.Action{{At: 1, Verb: job.Kill, Node: node}, {At: 2, Verb: job.Start, Node: node, On: tc.to}}
		if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
