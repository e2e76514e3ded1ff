package job

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis"
)

// What nodes are configured with crosses to their processes as JSON. The golden
// files show it for a person to review, of the switch and of the last worker.
func TestConfigurationsOfNodes(t *testing.T) {
	for _, tc := range []struct {
		name     string
		system   System
		topology string
	}{
		{"rack-switchml256", SwitchML{}, "rack"},
		{"rack-switchml-rdma", SwitchMLRDMA{Slots: 32}, "rack"},
		{"rack-ring", Ring{}, "rack"},
		{"rack-halving-roce", Halving{Transport: stream.RoCE}, "rack"},
		{"rack-ps", PS{}, "rack"},
		{"rack-trioml", TrioML{}, "rack"},
		{"mx480-trioml", TrioML{}, "mx480"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := spec(t, tc.system, tc.topology, 3)
			s.Elements, s.Scale, s.Virtual = 0, 1000, true
			j := mustNew(t, s)
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
		system System
		scale  int
		want   int
		noted  bool
	}{
		{TrioML{}, 1, 4096, false},
		{TrioML{}, 100, 41, false},
		{TrioML{}, 512, 8, false},
		{TrioML{}, 1000, 5, true},
		{TrioML{Window: 10}, 100, 1, true},
		{SwitchML{}, 1, 512, false},
		{SwitchML{}, 8, 64, false},
		{SwitchML{}, 100, MinWindow, true},
		{SwitchML{Elements: 64, Unscaled: true}, 100, 512, true},
		{SwitchML{Slots: 16}, 100, 16, true},
		{Ring{}, 100, 0, false},
	} {
		s := spec(t, tc.system, "rack", 4)
		s.Scale = tc.scale
		j := mustNew(t, s)
		if got := j.Layout.Window; got != tc.want || (len(j.Layout.Notes) > 0) != tc.noted {
			t.Errorf("%s at scale %d: window of %d, notes %q, want %d, noted %v", tc.system.Name(), tc.scale, got, j.Layout.Notes, tc.want, tc.noted)
		}
	}
}

// Retransmission timeouts are those of the public client live and of the paper
// in virtual time, unless the scenario says otherwise.
func TestRetransmissionTimeouts(t *testing.T) {
	s := spec(t, nil, "rack", 2)
	for _, tc := range []struct {
		virtual    bool
		said, want units.Duration
	}{
		{false, 0, 10 * units.Millisecond}, {true, 0, units.Millisecond}, {true, 3 * units.Millisecond, 3 * units.Millisecond},
	} {
		s.Virtual, s.System = tc.virtual, SwitchML{Timeout: tc.said}
		if got := mustNew(t, s).Layout.Cores[0].(switchml.Config); got.Timeout != tc.want || !got.NoRetransmit {
			t.Errorf("virtual %v, said %v: timeout %v, none %v", tc.virtual, tc.said, got.Timeout, got.NoRetransmit)
		}
	}
}

// The same workers suffer the same delays whatever the system.
func TestSystemsMeetOneSchedule(t *testing.T) {
	var first Spec
	var want *Job
	for _, system := range Systems() {
		s := spec(t, system, "rack", 4)
		s.StraggleP, s.Iterations, s.Virtual = 0.3, 20, true
		j := mustNew(t, s)
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
