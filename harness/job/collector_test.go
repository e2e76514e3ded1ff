package job_test

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Reports have the names of hosts and switches, most bytes first.
func TestCollectorRecord(t *testing.T) {
	p := jobtest.LeafSpine(t)
	h0, h5, leaf := p.Hosts[0].Addr.Addr(), p.Hosts[5].Addr.Addr(), p.Switches[0]
	c := job.Collector{Program: "telemetry", Host: "h1"}
	got := c.Record(p, []traffic.Observed{
		{By: leaf.Router, Reports: 2, Report: dataplane.Report{Src: h0, Dst: leaf.Router, Packets: 3, Bytes: 300}},
		{By: h5, Reports: 1, Report: dataplane.Report{Src: h5, Dst: netip.MustParseAddr("192.0.2.1"), Packets: 4, Bytes: 400}},
	})
	want := []result.Report{
		{Program: "telemetry", Switch: "h5", Collector: "h1", From: "h5", To: "192.0.2.1", Reports: 1, Packets: 4, Bytes: 400},
		{Program: "telemetry", Switch: leaf.Name, Collector: "h1", From: "h0", To: leaf.Name, Reports: 2, Packets: 3, Bytes: 300},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

// What a program counted on the PFEs of a switch is added up; counters of others are left.
func TestTransitCounts(t *testing.T) {
	s := flowSpec(t)
	s.Transit = [][]chassis.Program{{{System: "filter", Config: json.RawMessage("null")}}}
	at := s.Plan.Switches[0].Name
	got := job.Alone(jobtest.New(t, s)).TransitCounts([]result.Counter{
		{Node: at, Name: "pfe2/filter/pfe-packets", N: 5}, {Node: at, Name: "pfe1/filter/drops", N: 1}, {Node: at, Name: "pfe1/filter/pfe-packets", N: 7},
		{Node: at, Name: "link/filter", N: 9}, {Node: at, Name: "pfe1/police/drops", N: 9}, {Node: "h0", Name: "pfe1/filter/drops", N: 9},
	})
	want := []result.TransitCount{{Switch: at, Program: "filter", Counter: "drops", N: 1}, {Switch: at, Program: "filter", Counter: "pfe-packets", N: 12}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestBadCollectors(t *testing.T) {
	for want, c := range map[string]job.Collector{
		`has no host "h99"`:                    {Program: "telemetry", Host: "h99"},
		`program "filter" sends no reports`:    {Program: "filter", Host: "h1"},
		`program "telemetri" sends no reports`: {Program: "telemetri", Host: "h1"},
	} {
		s := flowSpec(t)
		s.Collectors = []job.Collector{c}
		if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %s", c, err, want)
		}
	}
}
