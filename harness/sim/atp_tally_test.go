package sim_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// tally returns a number that ATP made of its counters.
func tally(t *testing.T, c *result.Cell, key string) float64 {
	t.Helper()
	for _, n := range c.Tallies {
		if n.Key == key {
			return n.Value
		}
	}
	t.Fatalf("no tally %q in %+v", key, c.Tallies)
	return 0
}

// Each contribution of each job came to a server once, in a sum of a switch or alone, whatever
// was lost, forgotten or collided; and jobs of one switch have numbers of their own.
func TestATPTalliesAddUp(t *testing.T) {
	long(t)
	rack, racks := atpPlan(t, "rack", 9, topo.LinkSpec{}), atpPlan(t, "multi-rack", 9, topo.LinkSpec{})
	lossy := atpPlan(t, "rack", 9, topo.LinkSpec{Loss: 0.005})
	few, none := atp.System{Aggregators: 100, Span: 200, Unscaled: true}, atp.System{Aggregators: atp.None, Span: 200, Unscaled: true}
	one := func(s job.Spec) []job.Spec { return []job.Spec{s} }
	forgetful := atpSpec(t, racks, atp.System{}, []int{8}, 0, 1, 3, 4, 6, 7)
	forgetful.Actions = forgets("tor0", "tor2")
	two := func(sys atp.System) []job.Spec {
		a, b := atpSpec(t, rack, sys, []int{3}, 0, 1, 2), atpSpec(t, rack, sys, []int{6}, 4, 5)
		a.ID, b.ID, b.Iterations = 1, 2, 2
		return []job.Spec{a, b}
	}
	for name, tc := range map[string]struct {
		specs       []job.Spec
		least, most float64 // share of switches, in per cent
		some, no    string  // keys that are not 0, and that are
	}{
		"all in switches": {one(atpSpec(t, rack, atp.System{}, []int{4}, 0, 1, 2, 3)), 100, 100, "window_mean window_least window_most", "collisions resends marks rehashes floats aged held"},
		"racks":           {one(atpSpec(t, racks, atp.System{}, []int{8}, 0, 1, 3, 4, 6, 7)), 100, 100, "window_mean", "collisions resends held"},
		"none":            {two(none), 0, 0, "collisions", "rehashes held"},
		"too few for two": {two(atp.System{Aggregators: 250, Span: 200, Unscaled: true}), 1, 99.9, "collisions rehashes", "marks"},
		"loss":            {one(atpSpec(t, lossy, few, []int{4}, 0, 1, 2, 3)), 1, 99, "resends collisions", "marks"},
		"forgetful":       {one(forgetful), 1, 100, "resends", "marks floats"},
	} {
		t.Run(name, func(t *testing.T) {
			jobs, cells := runATP(t, tc.specs...)
			for i, j := range jobs {
				c := &cells[i]
				all, in, at := tally(t, c, "fragments"), tally(t, c, "in_switches"), tally(t, c, "at_servers")
				if all != float64(fragments(j)) || in+at != all*float64(len(j.Hosts())) {
					t.Errorf("job %d: %v fragments, %v contributions in switches and %v at servers, want %d fragments of %d workers", j.ID, all, in, at, fragments(j), len(j.Hosts()))
				}
				if share := tally(t, c, "switch_share"); share < tc.least || share > tc.most || share != 100*(in/(in+at)) {
					t.Errorf("job %d: share of switches %v%%, want %v to %v", j.ID, share, tc.least, tc.most)
				}
				for _, key := range strings.Fields(tc.some) {
					if tally(t, c, key) == 0 {
						t.Errorf("job %d: %s is 0", j.ID, key)
					}
				}
				for _, key := range strings.Fields(tc.no) {
					if n := tally(t, c, key); n != 0 {
						t.Errorf("job %d: %s is %v", j.ID, key, n)
					}
				}
			}
		})
	}
}

// What tallies say of hosts and switches is what these counted, of the job alone: the collisions of
// all jobs are those of the switch.
func TestATPTalliesAreOfAJob(t *testing.T) {
	p := atpPlan(t, "rack", 9, topo.LinkSpec{Loss: 0.002, Queue: 64 * units.KiB, Marking: topo.Marking{Min: 8 * units.KiB, Max: 8 * units.KiB}})
	sys := atp.System{Aggregators: 230, Span: 200, Unscaled: true}
	a, b := atpSpec(t, p, sys, []int{3}, 0, 1, 2), atpSpec(t, p, sys, []int{6}, 4, 5)
	a.ID, b.ID = 1, 2
	_, cells := runATP(t, a, b)
	sum := func(key string) (out uint64) {
		for i := range cells {
			out += uint64(tally(t, &cells[i], key))
		}
		return out
	}
	hosts := func(name string) uint64 { return counted(cells[0], "h", name) + counted(cells[1], "h", name) }
	for key, want := range map[string]uint64{
		"collisions": counted(cells[0], "tor", "/atp/1/atp-collisions") + counted(cells[0], "tor", "/atp/2/atp-collisions"),
		"resends":    hosts(sansio.CountResentPackets),
		"marks":      hosts("atp-marks"),
		"rehashes":   hosts("atp-server-rehashed"),
	} {
		if got := sum(key); got != want || want == 0 {
			t.Errorf("%s of both jobs: %d, counted %d", key, got, want)
		}
	}
	for i := range cells {
		c := &cells[i]
		least, mean, most := tally(t, c, "window_least"), tally(t, c, "window_mean"), tally(t, c, "window_most")
		if !(0 < least && least <= mean && mean <= most && least < most && most <= 200) {
			t.Errorf("windows of job %d: %v, %v, %v", i, least, mean, most)
		}
	}
}

// By interval servers were given what they were given in all, at the times at which the job was on.
func TestATPAggregationsByTime(t *testing.T) {
	p := atpPlan(t, "rack", 9, topo.LinkSpec{})
	sys := atp.System{Aggregators: 60, Span: 200, Unscaled: true}
	a, b := atpSpec(t, p, sys, []int{3}, 0, 1, 2), atpSpec(t, p, sys, []int{6}, 4, 5)
	a.ID, b.ID, b.Times.Start = 1, 2, 5*units.Millisecond
	_, cells := runATP(t, a, b)
	for i := range cells {
		c := &cells[i]
		if len(c.Aggregations) != 2 || c.Aggregations[0].Kind != result.KindSwitch || c.Aggregations[1].Kind != result.KindServer {
			t.Fatalf("job %d has %+v", i, c.Aggregations)
		}
		for k, key := range []string{"in_switches", "at_servers"} {
			got := &c.Aggregations[k]
			if want := tally(t, c, key); want == 0 || float64(got.Sum()) != want {
				t.Errorf("job %d: %d %s by time, and %v in all", i, got.Sum(), key, want)
			}
			if got.Interval != c.Throughput[0].Interval || len(got.Bytes) != len(c.Throughput[0].Bytes) {
				t.Errorf("job %d: %d intervals of %v, and of throughput %d of %v", i, len(got.Bytes), got.Interval, len(c.Throughput[0].Bytes), c.Throughput[0].Interval)
			}
			for at, n := range got.Bytes {
				if i == 1 && n > 0 && got.Start(at+1) < units.Time(b.Times.Start) {
					t.Errorf("job b has %d contributions at %v, before it began", n, got.Start(at))
				}
			}
		}
	}
}
