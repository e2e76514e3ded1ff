package control_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/transit"
	"github.com/inalab/inalab/switchd/program/user"
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

// noting counts the events that it is told of.
const noting = "counter notes;\nregister event_work_t told @ WORK_REGISTER;\npacket entry start;\nevent note entry note;\n" +
	"start: begin Forward(0); exit; end\nnote: begin CounterIncPhys(notes, told.value); exit; end"

// An event is raised in all programs that have it, or in the one that is meant; its thread starts
// at once. What no program has is refused by name.
func TestRaise(t *testing.T) {
	r := &rig{t: t, plan: chassistest.Plan(t, "mx480", gen.Params{})}
	cfg := chassis.Config{Switch: r.plan.Switches[0], NoLinks: true}
	for pfe := range 2 {
		config, err := json.Marshal(user.Config{Name: "noting", File: "noting.mc", Text: noting, Hops: []user.Hop{{Routing: true}}})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Transit = append(cfg.Transit, chassis.Program{PFE: pfe, System: user.System, Name: "noting", Config: config})
	}
	cfg.Transit = append(cfg.Transit, chassis.Program{PFE: 2, System: "filter"})
	var err error
	if r.Chassis, err = chassis.New(cfg, transit.Maker("", nil), nil); err != nil {
		t.Fatal(err)
	}
	if got := r.must(control.RaiseOf("note", 7, "")).Raised; len(got) != 2 || got[1].PFE != "pfe2" || got[0].Program != "noting" || got[0].Value != 7 {
		t.Errorf("raised %+v", got)
	}
	one := control.RaiseOf("note", 8, "noting")
	one.PFE = "pfe2"
	if got := r.must(one).Raised; len(got) != 1 {
		t.Errorf("raised %+v", got)
	}
	if next := r.NextDeadline(); next > r.now {
		t.Errorf("it is due at %v, want %v", next, r.now)
	}
	var eff sansio.Effects
	r.Expire(r.now, &eff)
	for pfe, want := range []string{"notes 0x2 1 7", "notes 0x2 2 15"} {
		var words []string
		for _, v := range r.must(control.Request{Op: control.OpShow, View: dataplane.ViewCounters, Name: "notes"}).Tables[pfe].Table.Rows[0] {
			words = append(words, v.String())
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("PFE %d: %s, want %s", pfe, got, want)
		}
	}
	for _, c := range []struct {
		request control.Request
		fault   control.Fault
		want    string
	}{
		{control.RaiseOf("noet", 0, ""), control.FaultRefused, `program noting.mc has no entry for event noet; did you mean "note"?: raise one of note`},
		{control.RaiseOf("note", 0, "filter"), control.FaultRefused, "has no entry for event note: declare one"},
		{control.RaiseOf("note", 0, "nothing"), control.FaultRequest, `runs no program "nothing": there are noting, filter`},
		{control.Request{Op: control.OpRaise}, control.FaultRequest, "lacks its raise"},
	} {
		if out := r.ask(c.request); out.Fault != c.fault || !strings.Contains(out.Error, c.want) {
			t.Errorf("%s: %q, want %q", out.Fault, out.Error, c.want)
		}
	}
	bare := newRig(t, "rack", 2)
	if out := bare.ask(control.RaiseOf("note", 0, "")); out.Reason != dataplane.RefusedEvent || !strings.Contains(out.Error, "has events") {
		t.Errorf("a reference program: %+v", out)
	}
}
