package control_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/transit"
	"github.com/inalab/inalab/topo/gen"
)

// newPolicer is a chassis whose first two PFEs police, and whose third filters.
func newPolicer(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, plan: chassistest.Plan(t, "mx480", gen.Params{Hosts: 6})}
	cfg := chassis.Config{Switch: r.plan.Switches[0], NoLinks: true, Transit: []chassis.Program{
		{PFE: 0, System: "police", Config: json.RawMessage(`{"Rate":"1Gbit/s"}`)}, {PFE: 1, System: "police"}, {PFE: 2, System: "filter"},
	}}
	var err error
	if r.Chassis, err = chassis.New(cfg, transit.Maker("", nil), nil); err != nil {
		t.Fatal(err)
	}
	return r
}

func setting(name, value string) control.Request {
	return control.Request{Op: control.OpSet, Set: &dataplane.Write{Name: name, Value: value}}
}

// Every program of the switch that has a name is written, or the one that is meant, and shows
// what was written.
func TestSetByName(t *testing.T) {
	r := newPolicer(t)
	out := r.must(setting("template.limit", "7"))
	if len(out.Written) != 2 || out.Written[0].PFE != "pfe1" || out.Written[1].PFE != "pfe2" || out.Written[0].Was != "1000" || out.Written[0].Is != "7" || out.Written[1].Program != "police" {
		t.Errorf("written: %+v", out.Written)
	}
	one := setting("sources[10.1.0.2].violations", "7")
	one.Set.Create, one.PFE = true, "pfe2"
	if out := r.must(one); len(out.Written) != 1 || !out.Written[0].Created {
		t.Errorf("written: %+v", out.Written)
	}
	shown := r.must(control.Request{Op: control.OpShow, View: dataplane.ViewRecords, Name: "sources"}).Tables
	if len(shown) != 2 || shown[0].PFE != "pfe1/police" || len(shown[0].Table.Rows) != 0 || len(shown[1].Table.Rows) != 1 || shown[1].Table.Rows[0][0].String() != "sources[10.1.0.2]" {
		t.Errorf("shown: %+v", shown)
	}
	// where it is: on one of two
	if out := r.must(setting("sources[10.1.0.2].limit", "9")); len(out.Written) != 1 || out.Written[0].PFE != "pfe2" {
		t.Errorf("written: %+v", out.Written)
	}
	if tables := r.must(control.Request{Op: control.OpShow, View: dataplane.ViewSymbols, Program: "filter"}).Tables; len(tables) != 1 || tables[0].PFE != "pfe3/filter" {
		t.Errorf("symbols of the filter: %+v", tables)
	}
}

// Who asks for what is not there is told by name.
func TestSetIsRefused(t *testing.T) {
	r := newPolicer(t)
	for _, c := range []struct {
		request control.Request
		fault   control.Fault
		reason  dataplane.Reason
		want    string
	}{
		{setting("templat.limit", "1"), control.FaultRefused, dataplane.RefusedName, `did you mean "template"?`},
		{setting("template.limt", "1"), control.FaultRefused, dataplane.RefusedName, `did you mean "limit"?`},
		{setting("template.limit", "4294967296"), control.FaultRefused, dataplane.RefusedValue, "does not fit 32 bits"},
		{setting("sources[10.1.0.2].limit", "1"), control.FaultRefused, dataplane.RefusedRecord, "there is no record sources[10.1.0.2].limit"},
		{setting("reason", "1"), control.FaultRefused, dataplane.RefusedFixed, "each thread has one of its own"},
		{control.Request{Op: control.OpSet, Program: "polic", Set: &dataplane.Write{Name: "x"}}, control.FaultRequest, "", `runs no program "polic": there are police, filter; did you mean "police"?`},
		{control.Request{Op: control.OpSet}, control.FaultRequest, "", "lacks its set"},
		{control.Request{Op: control.OpForget, Program: "police"}, control.FaultRequest, "", "takes no program"},
		{control.Request{Op: control.OpShow, View: dataplane.ViewStats, Name: "x"}, control.FaultRequest, "", `view "stats" is not of names`},
		{control.Request{Op: control.OpShow, View: dataplane.ViewCounters, Name: "sourcs"}, control.FaultRefused, dataplane.RefusedName, `did you mean "sources"?`},
	} {
		out := r.ask(c.request)
		wantFault(t, out, c.fault, c.reason)
		if !strings.Contains(out.Error, c.want) {
			t.Errorf("error %q, want %q", out.Error, c.want)
		}
	}
	bare := newRig(t, "rack", 2)
	if out := bare.ask(setting("x", "1")); out.Reason != dataplane.RefusedFixed || !strings.Contains(out.Error, "has names") {
		t.Errorf("a reference program: %+v", out)
	}
}
