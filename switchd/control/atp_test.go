package control_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	atpsystem "github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/topo/plan"
)

// newATP is a rack of five hosts whose switch runs ATP without any job.
func newATP(t *testing.T) *rig {
	t.Helper()
	system := atpsystem.System{}
	return newRigOf(t, system, "rack", 5, system.NewEngine, func(_ *plan.Switch, node string) any {
		return struct{ Program atp.Config }{atp.Config{Node: node, Aggregators: 8}}
	})
}

func askATP(id int, sources, servers []int) control.Request {
	return control.Request{Op: control.OpAddJob, Protocol: atp.Protocol, Job: asked(atpsystem.Request{ID: id, Sources: sources, ATP: &atpsystem.RequestedServers{Servers: servers}})}
}

// copies returns the ports by which a packet of a host to a group leaves.
func copies(r *rig, host int, group uint16) (out []sansio.Port) {
	h := &r.plan.Hosts[host]
	var eff, sent sansio.Effects
	eff.Emit([]sansio.Port{0}, inet.UDPHeader(job.FromHost(h, plan.Group(group), 9)), make([]byte, 8))
	r.now++
	r.Handle(r.now, []sansio.Arrival{{Port: sansio.Port(h.SwitchPort), Train: eff.Sends[0].Train}}, &sent)
	for _, s := range sent.Sends {
		out = append(out, s.To...)
	}
	return out
}

// Parameters of a server go to the workers of its job while the job is there, and to those of no
// other job.
func TestATPJobHasGroups(t *testing.T) {
	r := newATP(t)
	if got := copies(r, 4, 0x102); got != nil {
		t.Errorf("before there is a job, parameters go to %v", got)
	}
	out := r.must(askATP(2, []int{2, 0}, []int{3, 4}))
	rows := out.Added.Tables[0].Table.Rows
	if len(rows) != 4 || rows[1][1].String() != "h0" || rows[1][2].String() != "1" || rows[3][4].String() != "239.255.1.2" {
		t.Errorf("added %v", rows)
	}
	r.must(askATP(3, []int{1}, []int{0}))
	for group, want := range map[uint16][]sansio.Port{0x002: {2, 0}, 0x102: {2, 0}, 0x003: {1}, 0x103: nil} {
		if got := copies(r, 4, group); !slices.Equal(got, want) {
			t.Errorf("parameters to %v go to %v, want %v", plan.Group(group), got, want)
		}
	}
	r.must(control.Request{Op: control.OpRemoveJob, ID: number(2)})
	if got := append(copies(r, 4, 0x002), copies(r, 4, 0x003)...); !slices.Equal(got, []sansio.Port{1}) {
		t.Errorf("once job 2 is removed, parameters of both go to %v", got)
	}
	r.must(askATP(2, []int{1, 3}, []int{4}))
	if got := copies(r, 4, 0x002); !slices.Equal(got, []sansio.Port{1, 3}) {
		t.Errorf("the next job of the id has parameters go to %v", got)
	}
}

// What cannot be is refused by name, and nothing of it is left.
func TestRefusedATPJobs(t *testing.T) {
	r := newATP(t)
	r.must(askATP(2, []int{0, 1}, []int{4}))
	for name, tc := range map[string]struct {
		q      control.Request
		reason dataplane.Reason
		says   string
	}{
		"id":          {askATP(2, []int{2}, []int{3}), dataplane.RefusedIDTaken, "there is a job 2"},
		"large id":    {askATP(256, []int{2}, []int{3}), dataplane.RefusedID, "256"},
		"no worker":   {askATP(3, nil, []int{3}), dataplane.RefusedNoSources, "no workers"},
		"no server":   {askATP(3, []int{2}, nil), dataplane.RefusedServer, "0 parameter servers"},
		"33":          {askATP(3, upTo(33), []int{3}), dataplane.RefusedManySources, "33 workers"},
		"twice":       {askATP(3, []int{2, 2}, []int{3}), dataplane.RefusedSource, "host 2 twice"},
		"both":        {askATP(3, []int{2}, []int{2}), dataplane.RefusedServer, "host 2 twice"},
		"far worker":  {askATP(3, []int{2, 7}, []int{3}), dataplane.RefusedSource, "source 7 is no host of tor"},
		"far server":  {askATP(3, []int{2}, []int{7}), dataplane.RefusedServer, "server 7 is no host of tor"},
		"of no kind":  {control.Request{Op: control.OpAddJob, Job: json.RawMessage(`{"id":3,"sources":[1]}`)}, dataplane.RefusedProtocol, "give --servers"},
		"unknown key": {control.Request{Op: control.OpAddJob, Job: json.RawMessage(`{"id":3,"slots":1}`)}, dataplane.RefusedDocument, "slots"},
	} {
		out := r.ask(tc.q)
		wantFault(t, out, control.FaultRefused, tc.reason)
		if !strings.Contains(out.Error, tc.says) {
			t.Errorf("%s: %q lacks %q", name, out.Error, tc.says)
		}
	}
	if got := copies(r, 4, 0x002); !slices.Equal(got, []sansio.Port{0, 1}) {
		t.Errorf("parameters of the job that is there go to %v", got)
	}
	if got := copies(r, 4, 0x003); got != nil {
		t.Errorf("those of a job that was refused go to %v", got)
	}
}

// oneGroup lays jobs out as if all had one group.
type oneGroup struct{ atpsystem.System }

func (o oneGroup) LayOut(sw *plan.Switch, pfe int, text json.RawMessage) (control.Layout, error) {
	l, err := o.System.LayOut(sw, pfe, text)
	for i := range l.Groups {
		l.Groups[i].Addr = plan.Group(9)
	}
	return l, err
}

// A job whose group is another's is not there, and that of the other stays.
func TestJobWithoutItsGroup(t *testing.T) {
	r := newATP(t)
	r.jobs = oneGroup{}
	r.must(askATP(2, []int{0, 1}, []int{4}))
	wantFault(t, r.ask(askATP(3, []int{2}, []int{3})), control.FaultRefused, dataplane.RefusedResult)
	if rows := r.rows(dataplane.ViewJobs); len(rows) != 1 || rows[0][1] != "2" {
		t.Errorf("jobs %v", rows)
	}
	if got := copies(r, 4, 9); !slices.Equal(got, []sansio.Port{0, 1}) {
		t.Errorf("parameters go to %v", got)
	}
}
