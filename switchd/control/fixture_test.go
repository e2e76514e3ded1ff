package control

import (
	"encoding/binary"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/chassis"
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

func planned(t rapid.TB, topology string, hosts int) *plan.Plan {
	t.Helper()
	g, err := gen.ByName(topology, gen.Params{Hosts: hosts})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newRig puts a program on every PFE but those named without.
func newRig(t rapid.TB, topology string, hosts int, without ...int) *rig {
	t.Helper()
	r := &rig{t: t, plan: planned(t, topology, hosts)}
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
		program, err := json.Marshal(trioml.Config{Node: node})
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

func newEngine(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	var cfg trioml.Config
	if err := json.Unmarshal(config, &cfg); err != nil {
		return nil, err
	}
	cfg.Trace = sink
	return trioml.New(cfg)
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
	b := make([]byte, wire.HeaderLen, wire.HeaderLen+4)
	wire.Header{Job: uint8(job), Block: block, Source: uint8(host), SrcCnt: 1, Grads: 1}.Put(b)
	b = binary.BigEndian.AppendUint32(b, uint32(1+host))
	h := &r.plan.Hosts[host]
	header := inet.UDPHeader(inet.Flow{SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MAC(h.GatewayMAC), Src: h.Addr.Addr(), Dst: h.Gateway, SrcPort: 1, DstPort: wire.Port})
	inet.SetUDPBody(header, len(b))
	var eff sansio.Effects
	r.now++
	r.Handle(r.now, []sansio.Arrival{{Port: sansio.Port(h.SwitchPort), Train: sansio.Train{Header: header, Body: b}}}, &eff)
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
