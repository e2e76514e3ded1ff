package sim_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// fabric is 8 hosts on devices with links of 1 Gbit/s.
func fabric(t *testing.T, shape string, params gen.Params) *plan.Plan {
	t.Helper()
	link := topo.LinkSpec{Rate: units.GbitPerSecond, Delay: units.Microsecond}
	params.Link, params.Uplink, params.Fabric = link, link, link
	if params.Hosts = 8; params.HostsPerLeaf > 0 {
		params.Hosts = 0
	}
	return chassistest.Plan(t, shape, params)
}

// overDevices is a training over devices.
func overDevices(t *testing.T, p *plan.Plan, sys job.System, change func(*job.Spec)) *job.Job {
	t.Helper()
	s := tenantSpec(t, p, sys)
	if change != nil {
		change(&s)
	}
	j, err := job.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// Sums over devices are right: results go up as packets to the next device, and down by multicast. A link
// between devices carries one packet for each block, however many workers are below it.
func TestTrioOverDevices(t *testing.T) {
	sim.OneGoroutine(t)
	timing := trio.DefaultTiming()
	for name, c := range map[string]struct {
		shape  string
		params gen.Params
		sys    trioml.System
	}{
		"chassis":            {"chassis-leaf-spine", gen.Params{Leaves: 2, Spines: 1}, trioml.System{}},
		"chassis, reference": {"chassis-leaf-spine", gen.Params{Leaves: 4, Spines: 2}, trioml.System{PFE: trioml.PFE{Reference: true}}},
		"chassis and spine":  {"chassis-spine", gen.Params{Leaves: 2, Spines: 2}, trioml.System{}},
		"PFEs with time":     {"chassis-leaf-spine", gen.Params{Leaves: 2, Spines: 1}, trioml.System{PFE: trioml.PFE{Timing: &timing}}},
		"leaf-spine":         {"leaf-spine", gen.Params{Leaves: 4, Spines: 2}, trioml.System{}},
		"dumbbell":           {"dumbbell", gen.Params{}, trioml.System{}},
		"tree":               {"tree", gen.Params{Depth: 3, FanOut: 2}, trioml.System{}},
	} {
		t.Run(name, func(t *testing.T) {
			c.sys.Grads, c.sys.Window = 256, 16_000
			j := overDevices(t, fabric(t, c.shape, c.params), c.sys, func(s *job.Spec) { s.Iterations = 3 })
			got := run(t, j, images(t))
			wantRight(t, j, got)
			if n := degraded(got); n != 0 {
				t.Errorf("%d results lack a worker", n)
			}
			if ms, want := meanMs(got), got.Expected.Milliseconds(); c.sys.PFE.Timing == nil && (ms < 0.9*want || ms > 1.2*want) {
				t.Errorf("an iteration takes %.4f ms, expected %.4f", ms, want)
			}
			blocks := uint64((j.Params + 255) / 256 * j.Iterations)
			top := j.Layout.Top()
			for _, below := range j.Layout.Below(top) {
				sw, pfe, chassis := strings.Cut(below, "/")
				name := "trioml-results"
				if chassis {
					name = pfe + "/" + name
				}
				if n := counted(got, sw, name); n != blocks {
					t.Errorf("%s sends %d results to %s, want %d", below, n, top.Node, blocks)
				}
			}
		})
	}
}

// degraded counts the results that workers got without all of them.
func degraded(c result.Cell) uint64 { return counted(c, "h", "trioml-results-degraded") }

// A worker that is away is left out of the sums of its device, and of those above, which have the others
// all the same: src_cnt says how many. Where nobody of a device is there, the next level goes without it.
func TestTrioOverDevicesWithStragglers(t *testing.T) {
	sim.OneGoroutine(t)
	for name, away := range map[string][]int{"one worker": {5}, "a PFE": {4, 5}, "a device": {4, 5, 6, 7}} {
		for _, reference := range []bool{false, true} {
			sys := trioml.System{Grads: 256, Window: 16_000, Timeout: 2 * units.Millisecond, Age: program.AgeAbsent, PFE: trioml.PFE{Reference: reference}}
			j := overDevices(t, fabric(t, "chassis-leaf-spine", gen.Params{Leaves: 2, Spines: 1}), sys, func(s *job.Spec) {
				s.Iterations = 12
				for _, w := range away {
					s.Outages = append(s.Outages, fault.Outage{Worker: w, Iteration: 4, For: 100 * units.Millisecond})
				}
			})
			c := run(t, j, images(t))
			if c.Wrong != 0 || c.Checked == 0 || degraded(c) == 0 {
				t.Errorf("%s is away (reference: %v): %d of %d elements are wrong, %d results lack somebody: %v", name, reference, c.Wrong, c.Checked, degraded(c), c.Notes)
			}
		}
	}
}

// Two jobs with timeouts of their own share PFEs. The one without stragglers loses nobody; the other's blocks
// age by its own timeout.
func TestJobsWithTimeoutsShareAPFE(t *testing.T) {
	p := sharedPlan(t, "mx480", 8)
	spec := func(id uint8, timeout units.Duration, on ...int) *job.Job {
		return overDevices(t, p, trioml.System{Grads: 256, Window: 16_000, Timeout: timeout}, func(s *job.Spec) {
			s.ID, s.On = id, on
			if id == 2 {
				s.Outages = []fault.Outage{{Worker: 1, Iteration: 2, For: 60 * units.Millisecond}}
			}
		})
	}
	patient, hasty := spec(1, 20*units.Millisecond, 0, 2, 5), spec(2, 4*units.Millisecond, 1, 3, 4)
	cells, _ := together(t, patient, hasty)
	for i, c := range cells {
		if late := degraded(c) > 0; c.Wrong != 0 || c.Checked == 0 || late != (i == 1) {
			t.Errorf("job %d: %d of %d elements are wrong, %d results lack somebody", i+1, c.Wrong, c.Checked, degraded(c))
		}
	}
}
