package job_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/topo"
)

func end(node, port string) topo.End { return topo.End{Node: node, Port: port} }

// changeSpec is a training on a leaf and spine of six hosts whose links change.
func changeSpec(t *testing.T, changes ...job.LinkChange) job.Spec {
	t.Helper()
	s := jobtest.Spec(t, ring.System{}, "rack", 2)
	s.Plan, s.Elements, s.Scale, s.Changes = jobtest.LeafSpine(t), 0, 2000, changes
	return s
}

// A change goes to the switch that models the direction: of a host's link its switch, of one
// between switches that which sends.
func TestChangesGoToTheSwitchOfTheLink(t *testing.T) {
	spec := topo.LinkSpec{Rate: mbit}
	p := jobtest.LeafSpine(t)
	leaf, h := &p.Switches[0], &p.Hosts[1]
	host, port := end(h.Name, "eth0"), end(leaf.Name, leaf.Ports[h.SwitchPort].Name)
	up := 0
	for leaf.Ports[up].PeerSwitch < 0 || !leaf.Ports[up].Wired {
		up++
	}
	spine, atSpine := leaf.Ports[up].PeerSwitch, leaf.Ports[up].PeerPort
	here, there := end(leaf.Name, leaf.Ports[up].Name), leaf.Ports[up].Peer
	j := jobtest.New(t, changeSpec(t,
		job.LinkChange{At: 4, From: host, To: port, Spec: spec}, job.LinkChange{At: 1, From: port, To: host, Spec: spec},
		job.LinkChange{At: 2, From: here, To: there, Spec: spec}, job.LinkChange{At: 3, From: there, To: here, Spec: spec},
	))
	set := job.Alone(j)
	for i, cfg := range set.Switches(0) {
		var want []chassis.Change
		switch i {
		case leaf.Index:
			want = []chassis.Change{{At: 4, Port: h.SwitchPort, Inbound: true, Spec: spec}, {At: 1, Port: h.SwitchPort, Spec: spec}, {At: 2, Port: up, Spec: spec}}
		case spine:
			want = []chassis.Change{{At: 3, Port: atSpine, Spec: spec}}
		}
		if diff := cmp.Diff(want, cfg.Changes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", cfg.Switch.Name, diff)
		}
		if _, err := j.NewSwitch(cfg, nil); err != nil {
			t.Error(err)
		}
	}
	if set.Settled() != 4 || set.Steady() {
		t.Errorf("settled at %v, steady: %v", set.Settled(), set.Steady())
	}
	if s := job.Alone(jobtest.New(t, changeSpec(t))); s.Settled() != 0 || !s.Steady() {
		t.Errorf("without changes settled at %v, steady: %v", s.Settled(), s.Steady())
	}
}

func TestJobRefusesChanges(t *testing.T) {
	good := job.LinkChange{At: units.Time(ms), From: end("h0", "eth0"), To: end("leaf0", "p0")}
	for want, change := range map[string]func(*job.Spec){
		"link h0:eth0->leaf9:p0 at 1ms: topology leaf-spine has no such link: name both of its ends": func(s *job.Spec) { s.Changes[0].To.Node = "leaf9" },
		"link h0:eth0->leaf0:p0 at -1ps: it must change at the start of the run or later":            func(s *job.Spec) { s.Changes[0].At = -1 },
		"link h0:eth0->leaf0:p0 at 1ms: marking needs a rate":                                        func(s *job.Spec) { s.Changes[0].Spec.Marking = topo.Marking{Min: 1, Max: 1} },
		"those of a benchmark stay as they are":                                                      func(s *job.Spec) { s.Elements = 4096 },
	} {
		s := changeSpec(t, good)
		change(&s)
		if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Changes are of the lab: the first of its jobs has them.
func TestSecondJobHasNoChanges(t *testing.T) {
	p := jobtest.Plan(t, "rack", 4)
	var jobs []*job.Job
	for id := range uint8(2) {
		s := jobtest.Spec(t, switchml.System{Elements: 256}, "rack", 2)
		s.Plan, s.ID, s.On, s.Elements, s.Scale = p, id+1, []int{int(2 * id), int(2*id + 1)}, 0, 2000
		s.Changes = []job.LinkChange{{From: end("h0", "eth0"), To: end("tor", "p0")}}
		jobs = append(jobs, jobtest.New(t, s))
	}
	if _, err := job.NewSet(jobs...); err == nil || !strings.Contains(err.Error(), "job 2 has programs, flows or changes beside it: give them to the first job") {
		t.Errorf("error %v", err)
	}
}
