package control_test

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/topo/gen"
)

// newPipeline is a rack whose switch runs SwitchML on a pipeline, without a job.
func newPipeline(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, plan: chassistest.Plan(t, "rack", gen.Params{Hosts: 3})}
	cfg := chassis.Config{Switch: r.plan.Switches[0], NoLinks: true, Programs: []json.RawMessage{json.RawMessage("{}")}}
	var err error
	r.Chassis, err = chassis.New(cfg, func(string, json.RawMessage, trace.Sink) (dataplane.Engine, error) {
		return pipeline.New(switchml.Config{Node: "tor", Router: netip.MustParseAddr("10.1.255.254"), MAC: inet.MAC{2}}, pipeline.Options{Ports: 3})
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is to be lost is set by port and direction, listed in their order, and ended
// one by one or all at once.
func TestDropSimulator(t *testing.T) {
	r := newPipeline(t)
	seed := uint64(7)
	set := func(port string, d control.Direction, p float64) []control.Dropping {
		return r.must(control.Request{Op: control.OpDrop, Drop: &control.Drop{Port: port, Direction: d, Probability: p, Seed: &seed}}).Drops
	}
	if got := r.must(control.Request{Op: control.OpDrop}).Drops; got != nil {
		t.Errorf("at first %v", got)
	}
	set("p2", control.In, 0.5)
	set("p0", control.Out, 1)
	set("p0", control.In, 0.001)
	want := []control.Dropping{{"engine", "p0", control.In, 0.001}, {"engine", "p0", control.Out, 1}, {"engine", "p2", control.In, 0.5}}
	if diff := cmp.Diff(want, r.must(control.Request{Op: control.OpDrop}).Drops); diff != "" {
		t.Errorf("set (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[1:], set("p0", control.In, 0)); diff != "" {
		t.Errorf("one ended (-want +got):\n%s", diff)
	}
	if got := r.must(control.Request{Op: control.OpClearDrop}).Drops; got != nil {
		t.Errorf("cleared %v", got)
	}
}

func TestDropRefusals(t *testing.T) {
	r := newPipeline(t)
	for want, d := range map[string]control.Drop{
		`tor has no port "p9" with a link: there are p0, p1, p2; did you mean "p0"?`: {Port: "p9", Direction: control.In},
		`direction "up": allowed are in, out`:                                        {Port: "p0", Direction: "up"},
		`bad-drop: losing packets at port 0 of tor with probability 2: use 0 to 1`:   {Port: "p0", Direction: control.In, Probability: 2},
	} {
		if got := r.ask(control.Request{Op: control.OpDrop, Drop: &d}); !strings.HasPrefix(got.Error, want) || got.Drops != nil {
			t.Errorf("%+v:\n got %s\nwant %s", d, got.Error, want)
		}
	}
	if got := r.ask(control.Request{Op: control.OpClearDrop, Drop: &control.Drop{}}); got.Fault != control.FaultRequest {
		t.Errorf("a drop that is cleared: %+v", got)
	}
	wantFault(t, newRig(t, "rack", 2).ask(control.Request{Op: control.OpDrop}), control.FaultRefused, dataplane.RefusedNoDrops)
}

// A switch of any program, or of none, shows its ports, and what came and went.
func TestPortsOfEverySwitch(t *testing.T) {
	bare := newRig(t, "rack", 3, 0).rows(dataplane.ViewPorts)
	if want := []string{"engine", "p1", "h1:eth0", "0", "0", "0", "0", "0", "0"}; len(bare) != 3 || !slices.Equal(bare[1], want) {
		t.Errorf("a switch that only forwards: %v, want %v", bare, want)
	}
	r := newRig(t, "mx480", 6)
	r.send(9, 0, 0)
	rows := r.rows(dataplane.ViewPorts)
	if len(rows) != 6 || rows[0][0] != "pfe1" || rows[0][3] != "1" || rows[0][4] == "0" || rows[5][0] != "pfe2" || rows[5][3] != "0" {
		t.Errorf("a chassis: %v", rows)
	}
	one := r.must(control.Request{Op: control.OpShow, View: dataplane.ViewPorts, PFE: "pfe2", Limit: 1})
	if len(one.Tables) != 1 || len(one.Tables[0].Table.Rows) != 1 || one.Tables[0].Table.Total != 3 {
		t.Errorf("one port of a PFE: %+v", one.Tables)
	}
	if got := r.ask(control.Request{Op: control.OpShow, View: dataplane.ViewPorts, Program: "nobody"}); got.Fault != control.FaultRequest {
		t.Errorf("ports of a program that is not there: %+v", got)
	}
}

// The pipeline shows its ports as they are numbered on the chassis.
func TestPortsOfAPipeline(t *testing.T) {
	rows := newPipeline(t).rows(dataplane.ViewPorts)
	if len(rows) < 3 || rows[0][2] != "0" || rows[2][2] != "2" {
		t.Errorf("ports %v", rows)
	}
}
