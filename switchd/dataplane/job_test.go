package dataplane

import (
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

func goodJob() Job {
	return Job{ID: 3, Sources: []int{0, 1, 255}, To: []sansio.Port{4}, OutSrc: 200, Out: inet.Flow{Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("239.255.0.3")}}
}

// Every limit of a job record refuses by its name, with the number and a fix.
func TestJobsAreRefusedByName(t *testing.T) {
	many := make([]int, 256)
	for i := range many {
		many[i] = i
	}
	for name, tc := range map[string]struct {
		change func(*Job)
		reason Reason
		says   string
	}{
		"id":             {func(j *Job) { j.ID = 256 }, RefusedID, "256"},
		"negative id":    {func(j *Job) { j.ID = -1 }, RefusedID, "-1"},
		"no sources":     {func(j *Job) { j.Sources = nil }, RefusedNoSources, "job 3"},
		"256 sources":    {func(j *Job) { j.Sources = many }, RefusedManySources, "256 sources"},
		"wide source":    {func(j *Job) { j.Sources = []int{300} }, RefusedSource, "300"},
		"source twice":   {func(j *Job) { j.Sources = []int{5, 5} }, RefusedSource, "source 5 twice"},
		"block cap":      {func(j *Job) { j.BlockMax = 65536 }, RefusedBlockCap, "65536"},
		"negative block": {func(j *Job) { j.BlockMax = -1 }, RefusedBlockCap, "-1"},
		"grad cap":       {func(j *Job) { j.GradMax = 4096 }, RefusedGradCap, "4096"},
		"address":        {func(j *Job) { j.Out.Dst = netip.MustParseAddr("ff02::1") }, RefusedResult, "ff02::1"},
		"no address":     {func(j *Job) { j.Out.Src = netip.Addr{} }, RefusedResult, "invalid IP"},
		"no ports":       {func(j *Job) { j.To = nil }, RefusedPorts, "no port"},
		"out source":     {func(j *Job) { j.OutSrc = 256 }, RefusedSource, "256"},
	} {
		j := goodJob()
		tc.change(&j)
		text, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		_, err = DecodeJob(text)
		var r *Refusal
		if !errors.As(err, &r) || r.Reason != tc.reason || !strings.Contains(err.Error(), tc.says) || r.Fix == "" {
			t.Errorf("%s: %v, want %s that says %q", name, err, tc.reason, tc.says)
		}
	}
}

// A document of another protocol is refused as such, not by the first of its keys.
func TestOtherProtocol(t *testing.T) {
	j := goodJob()
	for protocol, reason := range map[Protocol]Reason{"": "", TrioML: "", SwitchML: RefusedProtocol} {
		j.Protocol = protocol
		text, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		_, err = DecodeJob(text)
		var r *Refusal
		if (err == nil) != (reason == "") || err != nil && (!errors.As(err, &r) || r.Reason != reason || !strings.Contains(r.Fix, "--sources")) {
			t.Errorf("a job that says it is of %q: %v, want %q", protocol, err, reason)
		}
	}
	if _, err := DecodeJob(json.RawMessage(`{"protocol":"SwitchML","slots":3}`)); err == nil || !strings.Contains(err.Error(), string(RefusedProtocol)) {
		t.Errorf("keys of another protocol: %v", err)
	}
}

func TestDocumentIsStrict(t *testing.T) {
	good, err := json.Marshal(goodJob())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{``, `[]`, `{"idd":1}`, `{"id":"one"}`, string(good) + `{}`, `{"id":1.5}`} {
		var r *Refusal
		if _, err := DecodeJob(json.RawMessage(text)); !errors.As(err, &r) || r.Reason != RefusedDocument {
			t.Errorf("%q: %v", text, err)
		}
	}
	j, err := DecodeJob(good)
	if err != nil || j.BlockMax != DefaultJobBlocks || j.GradMax != MaxJobGrads || len(j.Sources) != 3 {
		t.Errorf("%+v, %v: defaults are missing", j, err)
	}
}
