package control_test

import (
	"encoding/binary"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	triosystem "github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/transit"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// rig is a switch whose PFEs run Trio-ML without any job, and its clock.
type rig struct {
	t    rapid.TB
	plan *plan.Plan
	*chassis.Chassis
	now  units.Time
	jobs control.Layouter
}

// newRig puts a program of Trio-ML on every PFE but those named without.
func newRig(t rapid.TB, topology string, hosts int, without ...int) *rig {
	t.Helper()
	return newRigOf(t, triosystem.System{}, topology, hosts, chassistest.TrioML, func(_ *plan.Switch, node string) any { return trioml.Config{Node: node} }, without...)
}

// newRigOf puts an engine on every PFE but those named without.
func newRigOf(t rapid.TB, jobs control.Layouter, topology string, hosts int, newEngine transit.NewEngine, config func(sw *plan.Switch, node string) any, without ...int) *rig {
	t.Helper()
	r := &rig{t: t, jobs: jobs, plan: chassistest.Plan(t, topology, gen.Params{Hosts: hosts})}
	cfg := chassis.Config{Switch: r.plan.Switches[0], NoLinks: true}
	pfes := 1
	if c := cfg.Switch.Chassis; c != nil {
		pfes = len(c.PFEs)
	}
	for i := range pfes {
		node := cfg.Switch.Name
		if pfes > 1 {
			node += "/" + cfg.Switch.Chassis.PFEs[i].Name
		}
		program, err := json.Marshal(config(&cfg.Switch, node))
		if err != nil {
			t.Fatal(err)
		}
		cfg.Programs = append(cfg.Programs, program)
	}
	for _, i := range without {
		cfg.Programs[i] = nil
	}
	var err error
	if r.Chassis, err = chassis.New(cfg, transit.Maker(cfg.System, newEngine), nil); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) ask(q control.Request) control.Response {
	q.Version = control.Version
	return control.Dispatch(r.now, r.Chassis, r.jobs, q)
}

// must asks and wants no error.
func (r *rig) must(q control.Request) control.Response {
	r.t.Helper()
	out := r.ask(q)
	if out.Error != "" {
		r.t.Fatalf("%+v: %s", q, out.Error)
	}
	return out
}

// send has a host send a gradient of a block, and returns how many copies of a
// result leave, and its sum.
func (r *rig) send(job, host int, block uint32) (copies int, sum uint32) {
	h := &r.plan.Hosts[host]
	train := chassistest.Contribution(h, wire.Header{Job: uint8(job), Block: block}, int32(1+host))
	var eff sansio.Effects
	r.now++
	r.Handle(r.now, []sansio.Arrival{{Port: sansio.Port(h.SwitchPort), Train: train}}, &eff)
	for _, s := range eff.Sends {
		copies += len(s.To)
		sum = binary.BigEndian.Uint32(s.Train.Body[wire.HeaderLen:])
	}
	return copies, sum
}

// rows returns a view as words, behind the name of each PFE.
func (r *rig) rows(v dataplane.View) (out [][]string) {
	r.t.Helper()
	for _, e := range r.must(control.Request{Op: control.OpShow, View: v}).Tables {
		for _, row := range e.Table.Rows {
			words := []string{e.PFE}
			for _, value := range row {
				words = append(words, value.String())
			}
			out = append(out, words)
		}
	}
	return out
}

func number(n int) *int { return &n }

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

func wantFault(t *testing.T, out control.Response, fault control.Fault, reason dataplane.Reason) {
	t.Helper()
	if out.Error == "" || out.Fault != fault || out.Reason != reason || out.Added != nil || out.Removed != nil || out.Tables != nil {
		t.Errorf("answer %+v, want fault %q, reason %q", out, fault, reason)
	}
}

// Job is a job of Trio-ML that a switch is asked for.
type Job = triosystem.Request

// asked is a job as it crosses to the switch.
func asked(job any) json.RawMessage {
	text, err := json.Marshal(job)
	if err != nil {
		panic(err)
	}
	return text
}
