package trioml

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// lab is the switches of a plan with Trio-ML on every PFE and without a job, and the wires between them.
type lab struct {
	t        *testing.T
	plan     *plan.Plan
	switches []*chassis.Chassis
	heard    map[string][]wire.Header // results, by host
}

func newLab(t *testing.T, p *plan.Plan) *lab {
	t.Helper()
	l := &lab{t: t, plan: p, heard: map[string][]wire.Header{}}
	for _, sw := range p.Switches {
		cfg := chassis.Config{Switch: sw, NoLinks: true, System: "trioml"}
		for _, pfe := range sw.Chassis.PFEs {
			text, err := json.Marshal(pfeConfig{Program: program.Config{Node: sw.Name + "/" + pfe.Name}, PFE: PFE{Reference: true}})
			if err != nil {
				t.Fatal(err)
			}
			cfg.Programs = append(cfg.Programs, text)
		}
		c, err := chassis.New(cfg, func(_ string, config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
			return System{}.NewEngine(config, sink)
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.switches = append(l.switches, c)
	}
	return l
}

// add asks a switch for a job.
func (l *lab) add(name string, pfe int, request string) error {
	sw, _ := l.plan.Switch(name)
	layout, err := System{}.LayOut(sw, pfe, json.RawMessage(request))
	if err != nil {
		return err
	}
	at := l.switches[sw.Index]
	for _, part := range layout.Parts {
		if _, err := at.AddJob(0, part.PFE, part.Document); err != nil {
			return err
		}
	}
	return at.SetGroups(uint8(layout.ID), layout.Groups)
}

// deliver takes frames to a switch, and what it sends to where its wires lead.
func (l *lab) deliver(sw int, in sansio.Arrival) {
	var eff sansio.Effects
	l.switches[sw].Handle(0, []sansio.Arrival{in}, &eff)
	for _, s := range eff.Sends {
		for _, to := range s.To {
			port := &l.plan.Switches[sw].Ports[to]
			if port.PeerHost == plan.None {
				l.deliver(port.PeerSwitch, sansio.Arrival{Port: sansio.Port(port.PeerPort), Train: s.Train})
				continue
			}
			name := l.plan.Hosts[port.PeerHost].Name
			h, _ := wire.Parse(s.Train.Payload(0))
			l.heard[name] = append(l.heard[name], h)
		}
	}
}

// send has a worker send its part of a block of one gradient to its router.
func (l *lab) send(job uint8, host int, value uint32) {
	h := &l.plan.Hosts[host]
	sw, _ := l.plan.Switch(h.Switch)
	body := make([]byte, wire.HeaderLen)
	wire.Header{Job: job, Source: uint8(host), SrcCnt: 1, Grads: 1}.Put(body)
	body = binary.BigEndian.AppendUint32(body, value)
	header := inet.UDPHeader(inet.Flow{SrcMAC: inet.MAC(h.MAC), DstMAC: inet.MAC(h.GatewayMAC), Src: h.Addr.Addr(), Dst: h.Gateway, SrcPort: wire.Port, DstPort: wire.Port})
	inet.SetUDPBody(header, len(body))
	l.deliver(sw.Index, sansio.Arrival{Port: sansio.Port(h.SwitchPort), Train: sansio.Train{Header: header, Body: body}})
}

// A job over devices by hand: the chassis send to the next one, which has them as sources and sends to the
// group; they forward it to the ports of their workers.
func TestJobsOverDevicesByHand(t *testing.T) {
	p := devices(t)
	l := newLab(t, p)
	spine, _ := p.Switch("spine0")
	for i, name := range []string{"mx0", "mx1"} {
		if err := l.add(name, -1, fmt.Sprintf(`{"id": 7, "sources": [%d, %d], "next": "%v", "out_src_id": %d}`, 4*i, 4*i+3, spine.Router, 200+i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.add("spine0", 0, `{"id": 7, "sources": [200, 201], "ports": ["et-0-0-0", "et-0-0-1"], "block_exp": "90ms"}`); err != nil {
		t.Fatal(err)
	}
	for i, h := range []int{0, 3, 4, 7} {
		if len(l.heard) != 0 {
			t.Fatalf("after %d of 4 workers there is a result: %v", i, l.heard)
		}
		l.send(7, h, 1)
	}
	for _, h := range []string{"h0", "h3", "h4", "h7"} {
		if got := l.heard[h]; len(got) != 1 || got[0].SrcCnt != 4 || got[0].Degraded {
			t.Errorf("%s hears %+v", h, got)
		}
	}
	if len(l.heard) != 4 {
		t.Errorf("others hear of it: %v", l.heard)
	}
}

func TestNextSwitchesThatCannotBe(t *testing.T) {
	l := newLab(t, devices(t))
	for _, c := range []struct {
		pfe           int
		request, want string
		reason        dataplane.Reason
	}{
		{-1, `{"id": 7, "sources": [0], "next": "10.255.0.1"}`, "has to tell its sources apart", dataplane.RefusedSource},
		{-1, `{"id": 7, "sources": [0], "next": "192.0.2.1", "out_src_id": 200}`, "mx0 has no route to 192.0.2.1", dataplane.RefusedResult},
		{-1, `{"id": 7, "sources": [0], "next": "10.1.255.254", "out_src_id": 200}`, "mx0 has no route to 10.1.255.254", dataplane.RefusedResult},
		{-1, `{"id": 7, "sources": [0], "next": "10.255.0.1", "out_src_id": 256}`, "out_src_id 256 does not fit", dataplane.RefusedSource},
		{-1, `{"id": 7, "sources": [0], "out_src_id": 200}`, "belongs to one PFE", dataplane.RefusedSource},
		{0, `{"id": 7, "sources": [0], "next": "10.255.0.1", "out_src_id": 200, "ports": ["pfe2"]}`, "cannot be forwarded to a PFE", dataplane.RefusedPorts},
	} {
		err := l.add("mx0", c.pfe, c.request)
		var refusal *dataplane.Refusal
		if !errors.As(err, &refusal) || refusal.Reason != c.reason || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.request, err, c.want)
		}
	}
}
