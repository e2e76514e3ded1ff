package job_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/harness/system/halving"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/stream"
	host "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis"
)

// What nodes are configured with crosses to their processes as JSON. The golden
// files show it for a person to review, of the switch and of the last worker.
func TestConfigurationsOfNodes(t *testing.T) {
	for _, tc := range []struct {
		name     string
		system   job.System
		topology string
	}{
		{"rack-switchml256", switchml.System{}, "rack"},
		{"rack-switchml180", switchml.System{Elements: 32}, "rack"},
		{"rack-switchml-rdma", switchml.System{Transport: switchml.RoCE, Slots: 32}, "rack"},
		{"rack-ring", ring.System{}, "rack"},
		{"rack-halving-roce", halving.System{Transport: stream.RoCE}, "rack"},
		{"rack-ps", ps.System{}, "rack"},
		{"rack-trioml", trioml.System{}, "rack"},
		{"mx480-trioml", trioml.System{}, "mx480"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := jobtest.Spec(t, tc.system, tc.topology, 3)
			s.Elements, s.Scale, s.Virtual = 0, 1000, true
			j := jobtest.New(t, s)
			sw := j.Switches(20 * units.Microsecond)[0]
			workers := j.Workers()
			last := workers[len(workers)-1]
			survives(t, sw)
			survives(t, last)
			sw.Switch.Ports, sw.Switch.Neighbors, sw.Switch.Chassis = nil, nil, nil // the plan has golden files of its own
			got, err := json.MarshalIndent(struct {
				Switch chassis.Config
				Worker worker.Config
			}{sw, last}, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden.Equal(t, tc.name+".json", string(got)+"\n")
		})
	}
}

// survives checks that a configuration is the same when it has crossed.
func survives[T any](t *testing.T, sent T) {
	t.Helper()
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	var arrived T
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&arrived); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(arrived)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(again), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("what arrives differs (-sent +arrived):\n%s", diff)
	}
}

// Windows and pools are divided by the scale, and what cannot be is noted.
func TestScaleOfWindows(t *testing.T) {
	for _, tc := range []struct {
		system job.System
		scale  int
		want   int
		noted  bool
	}{
		{trioml.System{}, 1, 4096, false},
		{trioml.System{}, 100, 41, false},
		{trioml.System{}, 512, 8, false},
		{trioml.System{}, 1000, 5, true},
		{trioml.System{Window: 10}, 100, 1, true},
		{switchml.System{}, 1, 512, false},
		{switchml.System{}, 8, 64, false},
		{switchml.System{}, 100, switchml.MinWindow, true},
		{switchml.System{Elements: 64, Unscaled: true}, 100, 512, true},
		{switchml.System{Slots: 16}, 100, 16, true},
		{ring.System{}, 100, 0, false},
	} {
		s := jobtest.Spec(t, tc.system, "rack", 4)
		s.Scale = tc.scale
		j := jobtest.New(t, s)
		if got := j.Layout.Window; got != tc.want || (len(j.Layout.Notes) > 0) != tc.noted {
			t.Errorf("%s at scale %d: window of %d, notes %q, want %d, noted %v", tc.system.Name(), tc.scale, got, j.Layout.Notes, tc.want, tc.noted)
		}
	}
}

// Retransmission timeouts are those of the public client live and of the paper
// in virtual time, unless the scenario says otherwise.
func TestRetransmissionTimeouts(t *testing.T) {
	s := jobtest.Spec(t, nil, "rack", 2)
	for _, tc := range []struct {
		virtual    bool
		said, want units.Duration
	}{
		{false, 0, 10 * units.Millisecond}, {true, 0, units.Millisecond}, {true, 3 * units.Millisecond, 3 * units.Millisecond},
	} {
		s.Virtual, s.System = tc.virtual, switchml.System{Timeout: tc.said}
		if got := jobtest.New(t, s).Layout.Cores[0].(host.Config); got.Timeout != tc.want || !got.NoRetransmit {
			t.Errorf("virtual %v, said %v: timeout %v, none %v", tc.virtual, tc.said, got.Timeout, got.NoRetransmit)
		}
	}
}

// The same workers suffer the same delays whatever the system.
func TestSystemsMeetOneSchedule(t *testing.T) {
	var first job.Spec
	var want *job.Job
	for _, system := range system.All() {
		s := jobtest.Staffed(t, system, "rack", 4)
		s.StraggleP, s.Iterations, s.Virtual = 0.3, 20, true
		j := jobtest.New(t, s)
		if want == nil {
			first, want = s, j
			continue
		}
		for w := range 4 {
			if !cmp.Equal(want.Schedule.Worker(w), j.Schedule.Worker(w)) {
				t.Errorf("worker %d meets other delays on %s than on %s", w, system.Name(), first.System.Name())
			}
		}
	}
}
