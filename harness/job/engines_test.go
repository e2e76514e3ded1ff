package job_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/topo/plan"
)

// What a layout says of its engines is what these say of themselves: each source
// has a name, and from the engine that sends results every worker is found once.
func TestEnginesAreNamed(t *testing.T) {
	for _, tc := range []struct {
		system job.System
		plan   *plan.Plan
		top    string
		depth  int
	}{
		{switchml.System{}, jobtest.Plan(t, "rack", 4), "tor", 1},
		{switchml.System{Pipe: switchml.Pipe{Pipeline: true}}, jobtest.Plan(t, "rack", 4), "tor", 1},
		{switchml.System{Transport: switchml.RoCE}, jobtest.Plan(t, "rack", 4), "tor", 1},
		{trioml.System{}, jobtest.Plan(t, "rack", 4), "tor", 1},
		{switchml.System{}, jobtest.Plan(t, "mx480", 6), "mx480/pfe4", 2},
		{trioml.System{}, jobtest.Plan(t, "mx480", 6), "mx480/pfe4", 2},
		{switchml.System{}, jobtest.LeafSpine(t), "spine0", 2},
		{switchml.System{Pipe: switchml.Pipe{Pipeline: true}}, jobtest.LeafSpine(t), "spine0", 2},
	} {
		t.Run(fmt.Sprintf("%s on %s", tc.system.Name(), tc.plan.Name), func(t *testing.T) {
			j := jobtest.Tenant(t, tc.plan, 0, tc.system)
			if top := j.Layout.Top(); top == nil || top.Node != tc.top {
				t.Fatalf("results come from %+v, want %s", top, tc.top)
			}
			if got, depth := below(&j.Layout, tc.top); !slices.Equal(slices.Sorted(slices.Values(got)), names(j.Hosts())) || depth != tc.depth {
				t.Errorf("%v are behind %s on %d levels", got, tc.top, depth)
			}
			have := map[string]trace.Mask{}
			for _, cfg := range j.Switches(0) {
				sw, err := j.NewSwitch(cfg, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range sw.Snapshot(nil).Engines {
					if e.Sources != (trace.Mask{}) {
						have[e.Node] = e.Sources
					}
				}
			}
			said := map[string]trace.Mask{}
			for _, e := range j.Layout.Engines {
				var m trace.Mask
				for s := range e.Sources {
					m.Set(s)
				}
				said[e.Node] = m
			}
			if !maps.Equal(have, said) {
				t.Errorf("engines have sources %v, the layout says %v", have, said)
			}
		})
	}
}

// below returns the workers behind an engine, and how many levels there are.
func below(l *job.Layout, node string) (workers []string, depth int) {
	for s, name := range l.Engine(node).Sources {
		if l.Who(node, s) != name {
			return []string{"source of another name than " + name}, 0
		}
		if l.Engine(name) == nil {
			workers, depth = append(workers, name), max(depth, 1)
			continue
		}
		more, deep := below(l, name)
		workers, depth = append(workers, more...), max(depth, deep+1)
	}
	return workers, depth
}

func names(hosts []plan.Host) (out []string) {
	for _, h := range hosts {
		out = append(out, h.Name)
	}
	return slices.Sorted(slices.Values(out))
}

func TestUnknownSourcesHaveTheirNumber(t *testing.T) {
	j := jobtest.Tenant(t, jobtest.LeafSpine(t), 0, switchml.System{})
	for node, source := range map[string]uint8{"leaf0": 2, "leaf1": 0, "spine0": 0, "spine1": 1} {
		if got, want := j.Layout.Who(node, source), fmt.Sprintf("source %d", source); got != want {
			t.Errorf("source %d of %s is %q, want %q", source, node, got, want)
		}
	}
	if got := j.Layout.Who("leaf1", 2); got != "h2" {
		t.Errorf("source 2 of leaf1 is %s", got)
	}
}
