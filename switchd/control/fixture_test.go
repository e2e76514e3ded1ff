package control

import (
	"encoding/binary"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// rig is a switch whose PFEs run Trio-ML without any job, and its clock.
type rig struct {
	t    rapid.TB
	plan *plan.Plan
	*chassis.Chassis
	now units.Time
}

// newRig puts a program of Trio-ML on every PFE but those named without.
func newRig(t rapid.TB, topology string, hosts int, without ...int) *rig {
	t.Helper()
	return newRigOf(t, topology, hosts, chassistest.TrioML, func(_ *plan.Switch, node string) any { return trioml.Config{Node: node} }, without...)
}

// newRigOf puts an engine on every PFE but those named without.
func newRigOf(t rapid.TB, topology string, hosts int, newEngine chassis.NewEngine, config func(sw *plan.Switch, node string) any, without ...int) *rig {
	t.Helper()
	r := &rig{t: t, plan: chassistest.Plan(t, topology, gen.Params{Hosts: hosts})}
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
	if r.Chassis, err = chassis.New(cfg, newEngine, nil); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) ask(q Request) Response {
	q.Version = Version
	return Dispatch(r.now, r.Chassis, q)
}

// must asks and wants no error.
func (r *rig) must(q Request) Response {
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
	for _, e := range r.must(Request{Op: OpShow, View: v}).Tables {
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

func wantFault(t *testing.T, out Response, fault Fault, reason dataplane.Reason) {
	t.Helper()
	if out.Error == "" || out.Fault != fault || out.Reason != reason || out.Added != nil || out.Removed != nil || out.Tables != nil {
		t.Errorf("answer %+v, want fault %q, reason %q", out, fault, reason)
	}
}
