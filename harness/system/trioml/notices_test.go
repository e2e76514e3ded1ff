package trioml

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// notifying is Trio-ML that notifies the workers.
func notifying() System {
	return System{Age: program.AgeAbsent, PFE: PFE{Stragglers: &program.Stragglers{PermanentAfter: 3}}}
}

// With notices the PFE runs the program that sends them, and workers heed them and
// divide shares; without, none of the three.
func TestNoticesAreLaidOut(t *testing.T) {
	for _, sys := range []System{{}, notifying()} {
		s := jobtest.Spec(t, sys, "rack", 4)
		s.Virtual, s.Elements = true, 0
		s.Scale = 1000
		j := jobtest.New(t, s)
		want := 0
		if sys.notifies() {
			want = 4
		}
		if got := j.Layout.Cores[2].(host.Config).Workers; got != want {
			t.Errorf("workers heed notices about %d workers, want %d", got, want)
		}
		if got := j.Workers()[1].Loop.Reshard; got != want {
			t.Errorf("shares are divided among %d workers, want %d", got, want)
		}
		pfe, err := job.Decode[pfeConfig](j.Switches(0)[0].Programs[0])
		if err != nil || !reflect.DeepEqual(pfe.PFE, sys.PFE) {
			t.Errorf("the PFE is %+v (%v), want %+v", pfe.PFE, err, sys.PFE)
		}
		engine, err := sys.NewEngine(j.Switches(0)[0].Programs[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		if timed := engine.NextDeadline() != units.Never; timed != sys.notifies() {
			t.Errorf("a PFE at rest has something to look at: %v, notifies %v", timed, sys.notifies())
		}
	}
}

// Where nothing ages there are no notices.
func TestNoticesThatCannotBe(t *testing.T) {
	s, sys := jobtest.Spec(t, nil, "rack", 4), notifying()
	sys.NoAging = true
	s.System = sys
	if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), "set trio.aging to true") {
		t.Errorf("without ageing: %v", err)
	}
}

// In two levels workers know who is below the PFEs that notices may be about; in one
// there is nobody. Both programs can send notices.
func TestNoticesOverLevels(t *testing.T) {
	for _, reference := range []bool{false, true} {
		sys := notifying()
		sys.PFE.Reference = reference
		two := jobtest.Spec(t, sys, "mx480", 6)
		one := two
		one.On = []int{0, 1, 2} // one PFE of the chassis
		for want, s := range map[string]job.Spec{"map[200:[0 1 2] 201:[3 4 5]]": two, "map[]": one} {
			j := jobtest.New(t, s)
			for _, c := range j.Layout.Cores {
				if got := fmt.Sprint(c.(host.Config).Behind); got != want {
					t.Errorf("behind PFEs are %s, want %s", got, want)
				}
			}
			for _, p := range j.Switches(0)[0].Programs {
				engine, err := sys.NewEngine(p, nil)
				if err != nil {
					t.Fatal(err)
				}
				if engine.NextDeadline() == units.Never {
					t.Error("a PFE never looks at stragglers")
				}
			}
		}
	}
}

// A worker with an outage keeps the results of all that it sleeps through, and the
// bound on the iteration time has room for the larger shares of the others.
func TestOutagesAreExpected(t *testing.T) {
	s := jobtest.Spec(t, notifying(), "rack", 4)
	s.Model.Compute, s.Iterations = 30*units.Millisecond, 100
	s.Outages = []fault.Outage{{Worker: 1, Iteration: 10, For: units.Second}}
	j := jobtest.New(t, s)
	if got := j.Layout.Cores[0].(host.Config).Ahead; got != 100 {
		t.Errorf("results of %d generations are kept", got)
	}
	if got, bound := j.Expect(); !bound || got < 40*units.Millisecond || got > 45*units.Millisecond {
		t.Errorf("expected %v (bound: %v), want some more than 40ms", got, bound)
	}
	if j.Schedule.At(1, 10, 0) != units.Second {
		t.Error("the outage is not in the schedule")
	}
}

// Over several switches each PFE and each switch below has a src_id that no other source of the
// job has, workers know who is below it, and PFEs relay what comes by ports of other switches.
func TestNoticesOverDevices(t *testing.T) {
	p := devices(t)
	j, err := on(t, p, notifying())
	if err != nil {
		t.Fatal(err)
	}
	want := "map[200:[0 1 2 3] 201:[4 5 6 7] 202:[0 1] 203:[2 3] 204:[4 5] 205:[6 7]]"
	for _, c := range j.Layout.Cores {
		if got := fmt.Sprint(c.(host.Config).Behind); got != want {
			t.Errorf("behind PFEs are %s, want %s", got, want)
		}
	}
	for _, sw := range j.Layout.Programs {
		for _, p := range sw {
			c := p.(pfeConfig).Program
			for _, at := range c.Peers {
				if c.Node[:2] == "mx" && at < 4 {
					t.Errorf("%s relays notices of port %d, where a host is", c.Node, at)
				}
			}
			if c.Node == "spine0/pfe1" && len(c.Peers) != 2 {
				t.Errorf("%s relays notices of ports %v, want those of two switches", c.Node, c.Peers)
			}
		}
	}
}

// Notices tell 255 workers, PFEs and switches apart, and no more.
func TestNoticesOfTooMany(t *testing.T) {
	p := jobtest.PlanOf(t, "leaf-spine", gen.Params{Hosts: 200, Leaves: 100, Link: topo.LinkSpec{Rate: units.GbitPerSecond}})
	if _, err := on(t, p, notifying()); err == nil || !strings.Contains(err.Error(), "trio.stragglers=notify: notices tell 255 sources apart") {
		t.Errorf("error %v", err)
	}
	if _, err := on(t, p, System{}); err != nil {
		t.Errorf("without notices: %v", err)
	}
}
