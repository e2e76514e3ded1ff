package job_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/halving"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo/plan"
)

// Hosts of a part of the plan have streams to the hosts of their own job alone, in the order
// that the job says.
func TestStreamsOnAPartOfTheHosts(t *testing.T) {
	p := jobtest.Plan(t, "rack", 9)
	for _, c := range []struct {
		system      job.System
		on, servers []int
		want        string
	}{
		{ring.System{}, []int{7, 2, 5}, nil, "h2:5,7 h5:7,2 h7:2,5"},
		{halving.System{}, []int{8, 1, 3, 0}, nil, "h0:3,1 h1:8,0 h3:0,8 h8:1,3"},
		{ps.System{}, []int{4, 2}, nil, "h2:4,4 h4:2,2"},
		{ps.System{Dedicated: true}, []int{6, 0}, []int{3, 8}, "h0:3,8 h3:6,0 h6:3,8 h8:6,0"},
		{ps.System{Dedicated: true, Count: 1}, []int{6, 0, 2}, []int{3}, "h0:3 h2:3 h3:6,0,2 h6:3"},
		{ps.System{Count: 1}, []int{4, 2, 7}, nil, "h2:4 h4:2,7 h7:4"},
	} {
		s := jobtest.Spec(t, c.system, "rack", 2)
		s.Plan, s.On, s.ServersOn, s.Servers, s.Virtual = p, c.on, c.servers, len(c.servers), true
		j := jobtest.New(t, s)
		var got []string
		for h, peers := range j.Layout.Peers {
			var to []string
			for _, peer := range peers {
				to = append(to, fmt.Sprint(peer.Host))
			}
			if len(to) > 0 {
				got = append(got, fmt.Sprintf("h%d:%s", h, strings.Join(to, ",")))
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s on %v and %v has streams %s, want %s", c.system.Name(), c.on, c.servers, text, c.want)
		}
		for i, cfg := range j.ServerConfigs() {
			if want := p.Hosts[c.servers[i]].Name; cfg.Name != want || len(cfg.Stream.Connections) != len(c.on) {
				t.Errorf("server %d is on %s with %d streams, want %s with %d", i, cfg.Name, len(cfg.Stream.Connections), want, len(c.on))
			}
		}
	}
}

// Every stream has its other end, by the addresses that both say.
func TestStreamsOfAPartMeet(t *testing.T) {
	p := jobtest.LeafSpine(t)
	s := jobtest.Spec(t, ps.System{Dedicated: true}, "rack", 2)
	s.Plan, s.On, s.ServersOn, s.Servers, s.Virtual = p, []int{5, 0}, []int{2, 4}, 2, true
	j := jobtest.New(t, s)
	ends, streams := map[string]int{}, 0
	for _, w := range j.Workers() {
		for _, c := range w.Stream.Connections {
			ends[fmt.Sprintf("%v:%d %v:%d", c.Flow.Src, c.Flow.SrcPort, c.Flow.Dst, c.Flow.DstPort)]++
			streams++
		}
	}
	for _, cfg := range j.ServerConfigs() {
		for _, c := range cfg.Stream.Connections {
			ends[fmt.Sprintf("%v:%d %v:%d", c.Flow.Dst, c.Flow.DstPort, c.Flow.Src, c.Flow.SrcPort)]++
		}
	}
	if streams != 4 || len(ends) != 4 {
		t.Errorf("%d streams have %d ends that do not meet: %v", streams, len(ends), ends)
	}
}

// Hosts that cannot be are refused.
func TestBadHostsOfAJob(t *testing.T) {
	rack := jobtest.Plan(t, "rack", 6)
	dedicated := ps.System{Dedicated: true}
	for _, c := range []struct {
		plan        *plan.Plan
		system      job.System
		on, servers []int
		n           int
		want        string
	}{
		{rack, dedicated, []int{0, 1}, []int{2, 6}, 2, "server 1 is on host 6, but topology rack has hosts 0 to 5"},
		{rack, dedicated, []int{0, 1}, []int{2, 1}, 2, "a worker and a server are on h1: a host takes one"},
		{rack, dedicated, []int{0, 1}, []int{2, 2}, 2, "two servers are on h2: a host takes one"},
		{rack, dedicated, []int{0, 1}, nil, 0, "ps needs 2 hosts for servers beside 2 workers, but those that are named are 0"},
		{rack, dedicated, []int{0, 1}, nil, 2, "0 hosts are named for 2 servers: each server has one of its own"},
		{rack, dedicated, nil, []int{4, 5}, 2, "hosts of servers are named, and those of workers are not"},
		{rack, ring.System{}, []int{0, 1}, []int{4}, 1, "ring is laid out for 0 servers on hosts of their own, but the job has 1"},
	} {
		s := jobtest.Spec(t, c.system, "rack", 2)
		s.Plan, s.On, s.ServersOn, s.Servers = c.plan, c.on, c.servers, c.n
		if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s on %v and %v: %v, want %q", c.system.Name(), c.on, c.servers, err, c.want)
		}
	}
}

// A set is named by what it runs, and its records by the lab where that is several systems.
func TestNameOfASet(t *testing.T) {
	p := jobtest.Plan(t, "rack", 8)
	sml, rings := jobtest.Tenant(t, p, 1, switchml.System{}, 0, 1), jobtest.Tenant(t, p, 2, ring.System{}, 2, 3)
	more := jobtest.Tenant(t, p, 3, switchml.System{}, 4, 5)
	for _, c := range []struct {
		jobs      []*job.Job
		name, lab string
	}{
		{[]*job.Job{sml}, "switchml256", ""},
		{[]*job.Job{sml, more}, "switchml256", ""},
		{[]*job.Job{sml, rings}, "switchml256 + ring", "switchml256 + ring"},
		{[]*job.Job{rings, sml, more}, "ring + 2 switchml256", "ring + 2 switchml256"},
	} {
		s, err := job.NewSet(c.jobs...)
		if err != nil {
			t.Fatal(err)
		}
		cells := s.Cells()
		if s.Name() != c.name || s.Lab() != c.lab || len(cells) != len(c.jobs) || cells[0].Lab != c.lab || cells[0].System != c.jobs[0].System.Name() {
			t.Errorf("a set is called %q, its lab %q, want %q and %q; records %+v", s.Name(), s.Lab(), c.name, c.lab, cells)
		}
	}
}

// What is wrong with a job that shares a switch names the job. Jobs that share none may be of
// any system and speed.
func TestWhoSharesASwitch(t *testing.T) {
	rack, leaves := jobtest.Plan(t, "rack", 6), jobtest.LeafSpine(t)
	of := func(p *plan.Plan, id uint8, sys job.System, on ...int) *job.Job {
		s := jobtest.Spec(t, sys, "rack", 2)
		s.Plan, s.ID, s.On, s.Virtual = p, id, on, true
		return jobtest.New(t, s)
	}
	slow := trioml.System{AddRate: units.GbitPerSecond}
	for name, c := range map[string]struct {
		jobs []*job.Job
		bad  int // of the jobs; -1: none
		want string
	}{
		"speeds of one switch": {[]*job.Job{of(rack, 1, trioml.System{}, 0, 1), of(rack, 2, ring.System{}, 2, 3), of(rack, 3, slow, 4, 5)}, 2, "job 1 and job 3 have PFEs of different speed on switch tor"},
		"speeds of two":        {[]*job.Job{of(leaves, 1, trioml.System{}, 0, 1), of(leaves, 2, slow, 2, 3)}, -1, ""},
		"single, of two":       {[]*job.Job{of(leaves, 1, single{trioml.System{}}, 0, 1), of(leaves, 2, single{trioml.System{}}, 2, 3)}, -1, ""},
		"single, of one":       {[]*job.Job{of(rack, 1, single{trioml.System{}}, 0, 1), of(rack, 2, single{trioml.System{}}, 2, 3)}, 1, "the switch program of trioml serves one job, and switch tor is to serve 2"},
		"a spine":              {[]*job.Job{of(leaves, 1, switchml.System{}, 0, 2), of(leaves, 2, trioml.System{}, 3, 2)}, 1, "job 1 and job 2 both have h2"},
		"a leaf on the way":    {[]*job.Job{of(leaves, 1, switchml.System{}, 0, 2), of(leaves, 2, trioml.System{}, 4, 5), of(leaves, 3, switchml.System{Elements: 64}, 1, 3)}, 2, "job 1 needs the program of switchml256 on switch leaf0, and job 3 that of switchml64"},
	} {
		set, err := job.NewSet(c.jobs...)
		var misfit *job.Misfit
		switch {
		case c.bad < 0 && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.bad >= 0 && (!errors.As(err, &misfit) || misfit.Job != c.jobs[c.bad] || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q of job %d", name, err, c.want, c.bad+1)
		}
		if name == "speeds of two" {
			for i, cfg := range set.Switches(0) {
				if want := cfg.Switch.Name == "leaf1"; (len(cfg.Servers) > 0) != want {
					t.Errorf("switch %d, %s, has %d PFEs that take time", i, cfg.Switch.Name, len(cfg.Servers))
				}
			}
		}
	}
}
