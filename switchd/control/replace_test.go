package control_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/transit"
	"github.com/inalab/inalab/switchd/program/user"
	"github.com/inalab/inalab/topo/gen"
)

// passing is a program that counts what it lets pass by one name or another.
const passing = "counter NAME;\npacket entry start;\nstart: begin CounterIncPhys(NAME, 1); end\nbegin Forward(0); exit; end"

// A control plane replaces a program on all PFEs that have it, or on one. Faults of the source
// come back with file and line, and the old program stays.
func TestReplaceProgram(t *testing.T) {
	r := &rig{t: t, plan: chassistest.Plan(t, "mx480", gen.Params{})}
	config, err := json.Marshal(user.Config{Name: "pass", File: "old.mc", Text: strings.ReplaceAll(passing, "NAME", "old"), Hops: []user.Hop{{Routing: true}}})
	if err != nil {
		t.Fatal(err)
	}
	cfg := chassis.Config{Switch: r.plan.Switches[0], NoLinks: true}
	for pfe := range 2 {
		cfg.Transit = append(cfg.Transit, chassis.Program{PFE: pfe, System: user.System, Name: "pass", Config: config})
	}
	if r.Chassis, err = chassis.New(cfg, transit.Maker("", nil), nil); err != nil {
		t.Fatal(err)
	}
	ask := func(pfe, program, text string) control.Response {
		return r.ask(control.Request{Op: control.OpReplace, PFE: pfe, Source: &control.Source{Program: program, File: "new.mc", Text: text}})
	}
	next := strings.ReplaceAll(passing, "NAME", "new")
	got := ask("", "pass", next)
	if diff := cmp.Diff([]dataplane.Replaced{{PFE: "pfe1", Program: "pass"}, {PFE: "pfe2", Program: "pass"}}, got.Replaced); diff != "" || got.Error != "" {
		t.Errorf("%s; replaced (-want +got):\n%s", got.Error, diff)
	}
	if got := ask("pfe2", "pass", next); len(got.Replaced) != 1 || got.Replaced[0].PFE != "pfe2" {
		t.Errorf("%+v, want one on pfe2", got)
	}
	for want, got := range map[string]control.Response{
		`unknown-program: there is no program "pas" on mx480: there are ["pass"]`: ask("", "pas", next),
		`unknown-program: there is no program "pass" on mx480/pfe3: no program`:   ask("pfe3", "pass", next),
		`bad-program: loading program "pass": new.mc:1:9: expected a name`:        ask("", "pass", "nonsense"),
	} {
		if !strings.HasPrefix(got.Error, want) || got.Fault != control.FaultRefused {
			t.Errorf("%s: %q, want a refusal that begins with %q", got.Fault, got.Error, want)
		}
	}
	if got := r.ask(control.Request{Op: control.OpReplace}); got.Fault != control.FaultRequest || !strings.Contains(got.Error, "lacks its source") {
		t.Errorf("%+v", got)
	}
}
