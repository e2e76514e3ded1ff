package trioml

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	host "github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// devices is 8 hosts on two chassis below two more.
func devices(t *testing.T) *plan.Plan {
	t.Helper()
	link := topo.LinkSpec{Rate: units.GbitPerSecond}
	return jobtest.PlanOf(t, "chassis-leaf-spine", gen.Params{Hosts: 8, Leaves: 2, Spines: 2, Link: link, Uplink: link, Fabric: link})
}

// on is a job on all hosts of a plan.
func on(t *testing.T, p *plan.Plan, sys System) (*job.Job, error) {
	t.Helper()
	s := jobtest.Spec(t, sys, "rack", 2)
	s.Plan = p
	return job.New(s)
}

// programOf returns the configuration of a PFE.
func programOf(j *job.Job, sw *plan.Switch, pfe int) program.Config {
	return j.Layout.Programs[sw.Index][pfe].(pfeConfig).Program
}

// A chassis sends its results to the router address of the next-level one as ordinary packets, whose
// src_id no other source there has; the one above sends to the group (Trio §4).
func TestDevicesAreSourcesOfTheNext(t *testing.T) {
	p := devices(t)
	j, err := on(t, p, System{})
	if err != nil {
		t.Fatal(err)
	}
	leaf, _ := p.Switch("mx1")
	spine, _ := p.Switch("spine0")
	top := programOf(j, leaf, leaf.Chassis.Top).Jobs[0]
	up := slices.IndexFunc(leaf.Ports, func(q plan.Port) bool { return q.PeerSwitch == spine.Index })
	if top.Out.Dst != spine.Router || top.Out.Src != leaf.Router || top.Out.DstPort != wire.Port || plan.MAC(top.Out.DstMAC) != leaf.Ports[up].PeerMAC ||
		!slices.Equal(top.To, []sansio.Port{sansio.Port(up)}) {
		t.Errorf("mx1 sends its results to %v by ports %v", top.Out, top.To)
	}
	if low := programOf(j, leaf, 0).Jobs[0]; !slices.Equal(low.Sources, []uint8{4, 5}) || !slices.Equal(low.To, []sansio.Port{dataplane.Fabric(leaf.Chassis.Top)}) {
		t.Errorf("PFE1 of mx1 has sources %v, and sends by %v", low.Sources, low.To)
	}
	root := programOf(j, spine, 0).Jobs[0]
	if !slices.Equal(root.Sources, []uint8{pfeSource, pfeSource + 1}) || top.OutSource != pfeSource+1 || root.Out.Dst != plan.Group(1) || len(root.To) != 2 {
		t.Errorf("the root has sources %v, and sends to %v by %v", root.Sources, root.Out.Dst, root.To)
	}
	if _, below := above(j); below[pfeSource+1] != "mx1/pfe4" || j.Layout.Top().Node != "spine0/pfe1" {
		t.Errorf("below %s are %v", j.Layout.Top().Node, below)
	}
	for i, want := range []units.Duration{1, 3, 9} {
		if got := []program.Job{programOf(j, leaf, 0).Jobs[0], top, root}[i].Timeout; got != want*program.DefaultTimeout {
			t.Errorf("level %d waits %v, want %v", i, got, want*program.DefaultTimeout)
		}
	}
	if c := j.Layout.Cores[7].(host.Config); c.Flow.Dst != leaf.Router || c.Results.Src != spine.Router || c.Results.Dst != plan.Group(1) {
		t.Errorf("worker 7 sends to %v, and takes results of %v to %v", c.Flow.Dst, c.Results.Src, c.Results.Dst)
	}
	idle, _ := p.Switch("spine1")
	if len(j.Layout.Programs[idle.Index]) != 0 {
		t.Error("the other spine has programs")
	}
}

// The switches below the root forward the group to the ports of workers, and hosts are its members.
func TestDevicesForwardTheGroup(t *testing.T) {
	p := devices(t)
	j, err := on(t, p, System{})
	if err != nil {
		t.Fatal(err)
	}
	for _, cfg := range job.Alone(j).Switches(0) {
		sw := &cfg.Switch
		if n := len(cfg.Groups); sw.Name == "spine1" != (n == 0) {
			t.Errorf("%s forwards %v", sw.Name, cfg.Groups)
		}
		if strings.HasPrefix(sw.Name, "mx") && (cfg.Groups[0].Addr != plan.Group(1) || len(cfg.Groups[0].Ports) != 4) {
			t.Errorf("%s forwards %v", sw.Name, cfg.Groups)
		}
	}
	for h := range p.Hosts {
		if got := j.GroupsOf(h); len(got) != 1 || got[0] != plan.Group(1) {
			t.Errorf("host %d is a member of %v", h, got)
		}
	}
}

// Any switches will do, with hosts at any level: what packets pass on the way to the root aggregates.
func TestDevicesOfAnyShape(t *testing.T) {
	link := topo.LinkSpec{Rate: units.GbitPerSecond}
	for shape, c := range map[string]struct {
		params gen.Params
		levels int
	}{
		"leaf-spine":         {gen.Params{Hosts: 6, Leaves: 3}, 2},
		"dumbbell":           {gen.Params{Hosts: 4}, 2},
		"tree":               {gen.Params{Hosts: 8, Depth: 3, FanOut: 2}, 3},
		"chassis-spine":      {gen.Params{Hosts: 10, Leaves: 2}, 3},
		"chassis-leaf-spine": {gen.Params{Hosts: 10, Leaves: 10}, 3}, // PFEs of the spine are two levels
	} {
		c.params.Link = link
		j, err := on(t, jobtest.PlanOf(t, shape, c.params), System{})
		if err != nil {
			t.Errorf("%s: %v", shape, err)
			continue
		}
		deepest := units.Duration(program.DefaultTimeout)
		for range c.levels - 1 {
			deepest *= topPatience
		}
		var got units.Duration
		for _, sw := range j.Layout.Programs {
			for _, p := range sw {
				for _, doc := range p.(pfeConfig).Program.Jobs {
					got = max(got, doc.Timeout)
				}
			}
		}
		if got != deepest {
			t.Errorf("%s: the root waits %v, want that of %d levels, %v", shape, got, c.levels, deepest)
		}
	}
}

// What cannot be over devices is refused by name.
func TestDevicesRefused(t *testing.T) {
	p := devices(t)
	if _, err := on(t, p, System{Timeout: 20 * units.Second}); err == nil || !strings.Contains(err.Error(), "lower trio.timeout") {
		t.Errorf("a timeout of 20s at the lowest of three levels: %v", err)
	}
}

// Jobs of several devices have roots in turn, and a PFE ages the blocks of each by its own timeout.
func TestJobsShareDevices(t *testing.T) {
	p := devices(t)
	s, err := job.NewSet(jobtest.Tenant(t, p, 1, System{}, 0, 4), jobtest.Tenant(t, p, 2, System{Timeout: 5 * units.Millisecond}, 1, 5))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := s.Jobs[0].Layout.Top().Node, s.Jobs[1].Layout.Top().Node; a != "spine0/pfe1" || b != "spine1/pfe1" {
		t.Errorf("roots %s and %s", a, b)
	}
	leaf := configs(t, s)[0]
	if len(leaf.Jobs) != 2 || leaf.Jobs[0].Timeout != program.DefaultTimeout || leaf.Jobs[1].Timeout != 5*units.Millisecond {
		t.Errorf("PFE1 of mx0 has %+v", leaf.Jobs)
	}
}
