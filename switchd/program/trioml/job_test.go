package trioml

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
)

func goodJob() Job {
	return Job{ID: 3, Sources: []uint8{0, 1, 255}, To: []sansio.Port{4}, OutSource: 200, Out: inet.Flow{Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("239.255.0.3")}}
}

// Every limit of a job record refuses by its name, with the number and a fix: a job that
// is added as one of a configuration.
func TestJobsAreRefusedByName(t *testing.T) {
	many := make([]uint8, 256)
	for i := range many {
		many[i] = uint8(i)
	}
	for name, tc := range map[string]struct {
		change func(*Job)
		reason dataplane.Reason
		says   string
	}{
		"no sources":     {func(j *Job) { j.Sources = nil }, dataplane.RefusedNoSources, "job 3"},
		"256 sources":    {func(j *Job) { j.Sources = many }, dataplane.RefusedManySources, "256 sources"},
		"source twice":   {func(j *Job) { j.Sources = []uint8{5, 5} }, dataplane.RefusedSource, "source 5 twice"},
		"block cap":      {func(j *Job) { j.BlockMax = 65536 }, RefusedBlockCap, "65536"},
		"negative block": {func(j *Job) { j.BlockMax = -1 }, RefusedBlockCap, "-1"},
		"grad cap":       {func(j *Job) { j.GradMax = 4096 }, RefusedGradCap, "4096"},
		"negative grads": {func(j *Job) { j.GradMax = -1 }, RefusedGradCap, "-1"},
		"address":        {func(j *Job) { j.Out.Dst = netip.MustParseAddr("ff02::1") }, dataplane.RefusedResult, "ff02::1"},
		"no address":     {func(j *Job) { j.Out.Src = netip.Addr{} }, dataplane.RefusedResult, "invalid IP"},
		"no ports":       {func(j *Job) { j.To = nil }, dataplane.RefusedPorts, "no port"},
	} {
		j := goodJob()
		tc.change(&j)
		var jobs Table
		_, added := jobs.Admit(&j)
		_, configured := Config{Jobs: []Job{j}}.Resolved()
		for _, err := range []error{added, configured} {
			var r *dataplane.Refusal
			if !errors.As(err, &r) || r.Reason != tc.reason || !strings.Contains(err.Error(), tc.says) || r.Fix == "" {
				t.Errorf("%s: %v, want %s that says %q", name, err, tc.reason, tc.says)
			}
		}
	}
}

// other is the document of a protocol that is not Trio-ML.
type other struct{}

func (other) Protocol() string { return "Other" }

// A document of another protocol is refused as such.
func TestOtherProtocol(t *testing.T) {
	var jobs Table
	_, err := jobs.Admit(other{})
	var r *dataplane.Refusal
	if !errors.As(err, &r) || r.Reason != dataplane.RefusedProtocol || !strings.Contains(r.What, "a job of Other is for another program: this one speaks Trio-ML") || r.Fix == "" {
		t.Errorf("%v", err)
	}
}

// A job that is admitted has its defaults, and shares nothing with its document.
func TestDefaultsOfAJob(t *testing.T) {
	var jobs Table
	doc := goodJob()
	j, err := jobs.Admit(&doc)
	if err != nil || j.BlockMax != DefaultBlockMax || j.GradMax != wire.MaxGrads || len(j.Sources) != 3 {
		t.Errorf("%+v, %v: defaults are missing", j, err)
	}
	doc.Sources[0], doc.To[0] = 9, 9
	if j.Sources[0] != 0 || j.To[0] != 4 || doc.BlockMax != 0 {
		t.Errorf("%+v changes with its document %+v", j, doc)
	}
}

// Jobs come and go by id; counters are those of the job alone.
func TestTable(t *testing.T) {
	jobs := Table{Node: "pfe"}
	j := goodJob()
	for round := range 2 {
		jobs.Count(3).Add(1) // of a packet of no job
		jobs.Add(j)
		jobs.Count(3).Add(2)
		_, err := jobs.Admit(&j)
		var r *dataplane.Refusal
		if !errors.As(err, &r) || r.Reason != dataplane.RefusedIDTaken || jobs.Len() != 1 || !jobs.Has(3) || jobs.Has(4) {
			t.Errorf("round %d: %v, %d jobs", round, err, jobs.Len())
		}
		for e := range jobs.All() {
			if e.ID != 3 || e.Mask.Len() != 3 || !e.Mask.Has(255) {
				t.Errorf("round %d: %+v", round, e)
			}
		}
		removed, err := jobs.Remove(3)
		if err != nil || removed.Counters[0].N != 1 || jobs.Len() != 0 {
			t.Errorf("round %d: removed %+v, %v; %d jobs are left", round, removed, err, jobs.Len())
		}
		if _, err := jobs.Remove(3); !errors.As(err, &r) || r.Reason != dataplane.RefusedUnknownJob || !strings.Contains(r.What, "no job 3 on pfe") {
			t.Errorf("round %d: %v", round, err)
		}
	}
}
