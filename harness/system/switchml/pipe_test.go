package switchml

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	nodes "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

func TestPipeKnobs(t *testing.T) {
	for _, tc := range []struct {
		say  words
		want Pipe
	}{
		{nil, Pipe{Pipeline: true}},
		{words{"switchml.pipe": "pipeline", "switchml.timing": "none"}, Pipe{Pipeline: true}},
		{words{"switchml.pipe": "reference"}, Pipe{}},
		{words{"switchml.pipe": "pipeline", "switchml.timing": "tofino"}, Pipe{Pipeline: true, Timed: true}},
		{words{"switchml.pipe": "pipeline", "switchml.timing": "tofino", "switchml.ecn-threshold": "64"}, Pipe{Pipeline: true, Timed: true, Mark: 64}},
	} {
		var p Pipe
		if p.configure(tc.say); p != tc.want {
			t.Errorf("%v: %+v, want %+v", tc.say, p, tc.want)
		}
	}
}

// Every switch gets what the job can run on; where that is not what was asked for, a
// note says why.
func TestWhatAggregatesSwitchML(t *testing.T) {
	rack := func(hosts int) func() *plan.Plan {
		return func() *plan.Plan { return jobtest.PlanOf(t, "rack", gen.Params{Hosts: hosts}) }
	}
	for _, tc := range []struct {
		name     string
		plan     func() *plan.Plan
		pipe     Pipe
		lengths  bool
		pipeline bool
		note     string
	}{
		{"rack", rack(4), Pipe{Pipeline: true}, false, true, ""},
		{"as many as ports", rack(pipeline.MaxPorts), Pipe{Pipeline: true}, false, true, ""},
		{"levels", func() *plan.Plan { return jobtest.LeafSpine(t) }, Pipe{Pipeline: true}, false, true, ""},
		{"asked for", rack(4), Pipe{}, true, false, ""},
		{"lengths", rack(4), Pipe{Pipeline: true}, true, true, ""},
		{"many ports", rack(pipeline.MaxPorts + 1), Pipe{Pipeline: true}, false, false, "tor uses port 16, and the 16 ports of one pipe serve workers"},
		{"many workers", rack(pipeline.MaxWorkers + 1), Pipe{Pipeline: true}, false, false, "tor aggregates for 33, and a slot's bitmap has 32 bits"},
		{"chassis", func() *plan.Plan { return jobtest.PlanOf(t, "mx480", gen.Params{Hosts: 6}) }, Pipe{Pipeline: true}, false, false, "is one of several forwarding engines of a chassis"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := tc.plan()
			s := jobtest.Spec(t, System{Pipe: tc.pipe}, "rack", 2)
			s.Plan = p
			if tc.lengths {
				s.Elements, s.Virtual, s.Replay, s.Sample = 0, true, true, gradient.Sampling{Every: 4}
			}
			j := jobtest.New(t, s)
			noted := slices.ContainsFunc(j.Layout.Notes, func(n string) bool { return strings.Contains(n, "reference program") && strings.Contains(n, tc.note) })
			if noted != (tc.note != "") {
				t.Errorf("notes %q, want %q", j.Layout.Notes, tc.note)
			}
			for _, sw := range j.Switches(0) {
				for _, text := range sw.Programs {
					if len(text) == 0 {
						continue
					}
					e, err := System{}.NewEngine(text, nil)
					if err != nil {
						t.Fatal(err)
					}
					if _, pipeline := e.(*pipeline.Engine); pipeline != tc.pipeline {
						t.Errorf("%s is a %T", sw.Switch.Name, e)
					}
				}
			}
		})
	}
}

// Passes take time under the virtual clock alone, and then a round trip is that much
// longer; the links of the lab stay what they are.
func TestTimedPipe(t *testing.T) {
	s := jobtest.Spec(t, System{Slots: 1, Unscaled: true, Pipe: Pipe{Pipeline: true, Timed: true}}, "rack", 3)
	live := jobtest.New(t, s)
	s.Virtual = true
	timed := jobtest.New(t, s)
	s.System = System{Slots: 1, Unscaled: true}
	instant := jobtest.New(t, s)
	if live.Layout.Programs[0][0].(switchmlConfig).Pipe.Timed {
		t.Error("a live switch is to take modelled time")
	}
	if !timed.Layout.Programs[0][0].(switchmlConfig).Pipe.Timed {
		t.Error("a virtual switch takes no time")
	}
	blocks := (timed.Params + 255) / 256
	const pass = 10*tofino.PassTime + tofino.IngressTime + tofino.EgressTime
	if got, want := timed.Layout.Time-instant.Layout.Time, pass*units.Duration(blocks+1); got != want {
		t.Errorf("passes take %v of the time, want %v", got, want)
	}
}

// Jobs that share a switch share what it is: where one needs the reference program all
// have it.
func TestMergeOfPipes(t *testing.T) {
	p := jobtest.PlanOf(t, "rack", gen.Params{Hosts: 4})
	one, two := jobtest.Tenant(t, p, 1, System{Pipe: Pipe{Pipeline: true}}, 0, 1), jobtest.Tenant(t, p, 2, System{Pipe: Pipe{Pipeline: true}}, 2, 3)
	other := jobtest.Tenant(t, p, 2, System{}, 2, 3)
	for reference, with := range map[bool]*job.Job{false: two, true: other} {
		s, err := job.NewSet(one, with)
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := job.Decode[switchmlConfig](s.Switches(0)[0].Programs[0])
		if err != nil || cfg.Pipe.Pipeline == reference || len(cfg.Program.Jobs) != 2 {
			t.Errorf("%+v, %v", cfg, err)
		}
	}
}

// A switch without a job is a switch that takes one.
func TestServingSwitch(t *testing.T) {
	p := jobtest.PlanOf(t, "rack", gen.Params{Hosts: pipeline.MaxPorts + 1})
	serving := func(p *plan.Plan, pipe Pipe) (job.Serving, error) {
		return Service{System: System{Pipe: pipe}}.Serving(&p.Switches[0], 1)
	}
	if _, err := serving(p, Pipe{Pipeline: true}); err == nil || !strings.Contains(err.Error(), "take fewer hosts, or the reference program") {
		t.Errorf("error %v", err)
	}
	for _, pipe := range []Pipe{{Pipeline: true}, {}} {
		s, err := serving(jobtest.PlanOf(t, "rack", gen.Params{Hosts: 2}), pipe)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s.Program)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (System{}).NewEngine(text, nil); err != nil {
			t.Error(err)
		}
	}
}

// What cannot be together is refused, and the error names the knob that mends it.
func TestPipesThatAreRefused(t *testing.T) {
	const elements = 1 << 12
	half := func(p Pipe, elements int) System {
		return System{Elements: elements, Pipe: p, Host: Host{Values: nodes.Half}}
	}
	timed := Pipe{Pipeline: true, Timed: true}
	for _, tc := range []struct {
		says   string
		system System
		plan   *plan.Plan
		change func(*job.Spec)
	}{
		{"", half(Pipe{Pipeline: true}, 64), jobtest.PlanOf(t, "rack", gen.Params{Hosts: pipeline.MaxPorts}), nil},
		{"set switchml.pipe: pipeline", half(Pipe{}, 64), nil, nil},
		{"use system switchml64", half(Pipe{Pipeline: true}, 256), nil, nil},
		{"topology rack", half(Pipe{Pipeline: true}, 64), jobtest.LeafSpine(t), nil},
		{"the pipeline cannot be had: tor uses port 16", half(Pipe{Pipeline: true}, 64), jobtest.PlanOf(t, "rack", gen.Params{Hosts: pipeline.MaxPorts + 1}), nil},
		{"packets carry lengths in place of values", half(Pipe{Pipeline: true}, 64), nil, func(s *job.Spec) { s.Replay, s.Sample = true, gradient.Sampling{Every: 4} }},
		{"sends them as they are", half(Pipe{Pipeline: true}, 64), nil, func(s *job.Spec) { s.Elements = elements }},
		{"", System{Pipe: Pipe{Pipeline: true, Timed: true, Mark: 64}}, nil, nil},
		{"set switchml.pipe: pipeline and switchml.timing: tofino", System{Pipe: Pipe{Pipeline: true, Mark: 64}}, nil, nil},
		{"set switchml.pipe: pipeline and switchml.timing: tofino", System{Pipe: Pipe{Timed: true, Mark: 64}}, nil, nil},
	} {
		s := jobtest.Spec(t, tc.system, "rack", 2)
		s.Elements, s.Virtual, s.Scale = 0, true, 2000
		if tc.plan != nil {
			s.Plan = tc.plan
		}
		if tc.change != nil {
			tc.change(&s)
		}
		if _, err := job.New(s); (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%+v: error %v, want %q", tc.system, err, tc.says)
		}
	}
	s := jobtest.Spec(t, System{Pipe: Pipe{Pipeline: true, Timed: true, Mark: 64}}, "rack", 2)
	j := jobtest.New(t, s) // live
	if got := j.Layout.Programs[0][0].(switchmlConfig).Pipe; got != (Pipe{Pipeline: true}) || !slices.ContainsFunc(j.Layout.Notes, func(n string) bool { return strings.Contains(n, "nothing is marked") }) {
		t.Errorf("live: %+v, notes %q", got, j.Layout.Notes)
	}
	slow := timed
	slow.Times = PassTimes{Once: units.Microsecond, Further: 2 * units.Microsecond}
	if got := slow.takes(256); got != 21*units.Microsecond {
		t.Errorf("passes of 2us take %v", got)
	}
	if got := *slow.options(4, 1).Timing; got.Ingress+got.Egress != units.Microsecond || got.Pass != 2*units.Microsecond {
		t.Errorf("the chip has %+v", got)
	}
	if got := timed.takes(64); got != tofino.IngressTime+tofino.EgressTime+tofino.PassTime {
		t.Errorf("64 values take %v", got)
	}
	if timed.Half = true; timed.takes(64) != tofino.IngressTime+tofino.EgressTime+10*tofino.PassTime {
		t.Errorf("64 floats take %v", timed.takes(64))
	}
}

// Jobs that share a switch have one kind of values.
func TestMergeOfValues(t *testing.T) {
	p := jobtest.PlanOf(t, "rack", gen.Params{Hosts: 4})
	of := func(id uint8, v nodes.Values, hosts ...int) *job.Job {
		s := jobtest.Spec(t, System{Elements: 64, Slots: 64, Pipe: Pipe{Pipeline: true}, Host: Host{Values: v}}, "rack", 2)
		s.Plan, s.ID, s.On, s.Elements, s.Scale = p, id, hosts, 0, 2000
		return jobtest.New(t, s)
	}
	if _, err := job.NewSet(of(1, nodes.Half, 0, 1), of(2, nodes.Half, 2, 3)); err != nil {
		t.Error(err)
	}
	if _, err := job.NewSet(of(1, nodes.Half, 0, 1), of(2, "", 2, 3)); err == nil || !strings.Contains(err.Error(), "give them the same switchml.values") {
		t.Errorf("error %v", err)
	}
}
