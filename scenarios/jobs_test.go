package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/nodes/trioml"
)

func TestJobs(t *testing.T) {
	s := load(t)
	for _, virtual := range []bool{false, true} {
		jobs, err := s.Jobs(virtual)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, j := range jobs {
			got = append(got, fmt.Sprintf("%v %s %s %d", j.StraggleP, j.System.Name(), j.Plan.Name, len(j.Plan.Hosts)))
			if j.Virtual != virtual || j.Seed != 1 || j.Iterations != 40 || j.Scale != 200 || j.Plan.MTU != 9000 {
				t.Errorf("%s is laid out as %+v", got[len(got)-1], j.Spec)
			}
		}
		want := []string{
			"0 ring rack 6", "0 switchml256 rack 6", "0 trioml mx480 6",
			"0.04 ring rack 6", "0.04 switchml256 rack 6", "0.04 trioml mx480 6",
			"0.08 ring rack 6", "0.08 switchml256 rack 6", "0.08 trioml mx480 6",
			"0.16 ring rack 6", "0.16 switchml256 rack 6", "0.16 trioml mx480 6",
		}
		if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
			t.Errorf("virtual %v: got\n%s\nwant\n%s", virtual, g, w)
		}
	}
}

// Rate, size, window and queue are divided by the scale; times, packets and a
// pool that hides the round-trip time are not.
func TestScaling(t *testing.T) {
	jobs, err := load(t).Jobs(false)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		for i := range j.Plan.Switches[0].Ports {
			p := &j.Plan.Switches[0].Ports[i]
			if p.Wired && (p.In.Rate != 500*units.MbitPerSecond || p.Out.Rate != 500*units.MbitPerSecond || p.In.Delay != units.Microsecond || p.In.Queue != 8*units.MiB) {
				t.Errorf("%s on %s: port %d is %+v", j.System.Name(), j.Plan.Name, i, p)
			}
		}
		if full := int(j.Model.Size()) / 4; j.Params < full/205 || j.Params > full/195 {
			t.Errorf("%s: %d parameters are not about a two-hundredth of %d", j.System.Name(), j.Params, full)
		}
		switch core := j.Layout.Cores[0].(type) {
		case trioml.Config:
			if core.Window != 21 || core.Grads != 1024 {
				t.Errorf("window of %d packets, %d gradients each: want 21 and 1024", core.Window, core.Grads)
			}
			if fabric := j.Plan.Switches[0].Chassis.Fabric; fabric.Rate != 2*units.GbitPerSecond {
				t.Errorf("fabric %+v", fabric)
			}
		case switchml.Config:
			if core.Slots != 64 || core.Elements != 256 || len(j.Layout.Notes) != 1 {
				t.Errorf("pool of %d slots, %d elements each, notes %q: want 64, 256 and one note", core.Slots, core.Elements, j.Layout.Notes)
			}
		}
	}
}

// Streams stand in for the kernel's TCP under the virtual clock, and the
// retransmission timeout is four times what a full pool takes there, above the paper's.
func TestClocksDiffer(t *testing.T) {
	s := load(t, "stragglers.p=[0%]", "switchml.retransmit=true")
	for _, c := range []struct {
		virtual bool
		timeout units.Duration
	}{{false, 10 * units.Millisecond}, {true, 4584 * units.Microsecond}} {
		jobs, err := s.Jobs(c.virtual)
		if err != nil {
			t.Fatal(err)
		}
		if stream := jobs[0].Workers()[0].Stream; (stream != nil) != c.virtual {
			t.Errorf("virtual %v: ring runs over %+v", c.virtual, stream)
		}
		if got := jobs[1].Layout.Cores[0].(switchml.Config); got.Timeout != c.timeout || got.NoRetransmit {
			t.Errorf("virtual %v: timeout %v, no retransmission %v", c.virtual, got.Timeout, got.NoRetransmit)
		}
	}
}

func TestEverySystemOnEveryTopology(t *testing.T) {
	refused := map[string]string{
		"switchml-rdma leaf-spine": `aggregates in one switch or chassis, but topology leaf-spine has 4 switches: use rack or mx480`,
		"switchml-rdma mx480":      `aggregates in a switch with one forwarding engine, but topology mx480 has a chassis of 6: use rack`,
	}
	// A further system says in tests of its own where it runs.
	for _, system := range []string{"ring", "halving", "ps", "switchml64", "switchml256", "switchml-rdma", "trioml"} {
		for _, topology := range []string{"rack", "mx480", "leaf-spine"} {
			s := load(t, "hosts=4", fmt.Sprintf("systems=[{system: %s, topology: %s}]", system, topology))
			_, err := s.Jobs(true)
			why := refused[system+" "+topology]
			if why == "" {
				if err != nil {
					t.Errorf("%s on %s: %v", system, topology, err)
				}
				continue
			}
			want := fmt.Sprintf("scenario straggler, %s on %s: %s %s", system, topology, system, why)
			if err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		}
	}
}

func TestJobsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want string
	}{
		{
			[]string{"hosts=25", "systems=[{system: trioml, topology: mx480}]"},
			"scenario straggler, trioml on mx480: mx480: 25 hosts: must be 1..20, for it has 24 ports and the 4 of the top-level pfe4 stay free",
		},
		{
			[]string{"hosts=5", "systems=[{system: ring, topology: leaf-spine}]"},
			"scenario straggler, ring on leaf-spine: leaf-spine: 5 hosts do not divide evenly over 2 leaves: give a multiple, or hosts per leaf",
		},
		{
			[]string{"hosts=6", "systems=[{system: atp, topology: dumbbell}]"},
			"scenario straggler, atp on dumbbell: dumbbell: 7 hosts do not divide evenly over 2 switches: give a multiple (hosts: 6 for workers and 1 for servers)",
		},
		{
			[]string{"hosts=201", "systems=[{system: ring, topology: rack}]"},
			"scenario straggler, ring on rack: topology rack has 201 hosts: a job takes 2 to 200 workers",
		},
	} {
		if _, err := load(t, c.set...).Jobs(false); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}
