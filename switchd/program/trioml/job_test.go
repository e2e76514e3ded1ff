package trioml

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
)

func goodJob() Document {
	return Document{ID: 3, Sources: []int{0, 1, 255}, To: []sansio.Port{4}, OutSrc: 200, Out: inet.Flow{Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("239.255.0.3")}}
}

// Every limit of a job record refuses by its name, with the number and a fix.
func TestJobsAreRefusedByName(t *testing.T) {
	many := make([]int, 256)
	for i := range many {
		many[i] = i
	}
	for name, tc := range map[string]struct {
		change func(*Document)
		reason dataplane.Reason
		says   string
	}{
		"id":             {func(j *Document) { j.ID = 256 }, dataplane.RefusedID, "256"},
		"negative id":    {func(j *Document) { j.ID = -1 }, dataplane.RefusedID, "-1"},
		"no sources":     {func(j *Document) { j.Sources = nil }, dataplane.RefusedNoSources, "job 3"},
		"256 sources":    {func(j *Document) { j.Sources = many }, dataplane.RefusedManySources, "256 sources"},
		"wide source":    {func(j *Document) { j.Sources = []int{300} }, dataplane.RefusedSource, "300"},
		"source twice":   {func(j *Document) { j.Sources = []int{5, 5} }, dataplane.RefusedSource, "source 5 twice"},
		"block cap":      {func(j *Document) { j.BlockMax = 65536 }, RefusedBlockCap, "65536"},
		"negative block": {func(j *Document) { j.BlockMax = -1 }, RefusedBlockCap, "-1"},
		"grad cap":       {func(j *Document) { j.GradMax = 4096 }, RefusedGradCap, "4096"},
		"address":        {func(j *Document) { j.Out.Dst = netip.MustParseAddr("ff02::1") }, dataplane.RefusedResult, "ff02::1"},
		"no address":     {func(j *Document) { j.Out.Src = netip.Addr{} }, dataplane.RefusedResult, "invalid IP"},
		"no ports":       {func(j *Document) { j.To = nil }, dataplane.RefusedPorts, "no port"},
		"out source":     {func(j *Document) { j.OutSrc = 256 }, dataplane.RefusedSource, "256"},
	} {
		j := goodJob()
		tc.change(&j)
		_, err := JobOf(&j)
		var r *dataplane.Refusal
		if !errors.As(err, &r) || r.Reason != tc.reason || !strings.Contains(err.Error(), tc.says) || r.Fix == "" {
			t.Errorf("%s: %v, want %s that says %q", name, err, tc.reason, tc.says)
		}
	}
}

// other is the document of a protocol that is not Trio-ML.
type other struct{}

func (other) Protocol() string { return "Other" }

// A document of another protocol is refused as such.
func TestOtherProtocol(t *testing.T) {
	_, err := JobOf(other{})
	var r *dataplane.Refusal
	if !errors.As(err, &r) || r.Reason != dataplane.RefusedProtocol || !strings.Contains(r.What, "a job of Other is for another program: this one speaks Trio-ML") || r.Fix == "" {
		t.Errorf("%v", err)
	}
}

func TestDefaultsOfADocument(t *testing.T) {
	doc := goodJob()
	j, err := JobOf(&doc)
	if err != nil || j.BlockMax != DefaultBlockMax || j.GradMax != MaxJobGrads || len(j.Sources) != 3 {
		t.Errorf("%+v, %v: defaults are missing", j, err)
	}
}
