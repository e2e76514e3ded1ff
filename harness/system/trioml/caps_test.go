package trioml

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
)

// capped lays Trio-ML over a rack at full scale.
func capped(t *testing.T, sys System) (*job.Job, error) {
	t.Helper()
	s := jobtest.Spec(t, sys, "rack", 6)
	s.Scale = 1
	return job.New(s)
}

// A job without a cap has room for as many blocks as the window has packets, at every
// PFE, and the PFEs take it. One with a cap keeps it.
func TestCapsFollowTheWindow(t *testing.T) {
	for _, c := range []struct {
		sys  System
		want int
	}{
		{System{}, program.DefaultBlockMax},
		{System{Window: 8}, program.DefaultBlockMax},
		{System{Window: 4097}, 4097},
		{System{Window: maxWindow}, maxWindow},
		{System{Window: 8, BlockMax: 100}, 100},
		{System{Window: 5000, BlockMax: 100}, 100},
	} {
		j, err := capped(t, c.sys)
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := j.Layout.Programs[0][0].(pfeConfig).Program.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.Jobs[0].BlockMax; got != c.want {
			t.Errorf("window %d, cap %d: block_cnt_max is %d, want %d", c.sys.Window, c.sys.BlockMax, got, c.want)
		}
		if _, err := microcode.New(cfg, microcode.Options{}); err != nil {
			t.Error(err)
		}
	}
}

// What a cap makes of every packet is refused, and of some is noted.
func TestCapsAndPackets(t *testing.T) {
	if _, err := capped(t, System{Grads: 1024, GradMax: 1023}); err == nil || !strings.Contains(err.Error(), "trio.block-grad-max") {
		t.Errorf("packets that every PFE drops are taken: %v", err)
	}
	for _, c := range []struct {
		sys   System
		notes bool
	}{
		{System{Grads: 1024, GradMax: 1024, Window: 64}, false},
		{System{Grads: 8, Window: 64, BlockMax: 64}, false},
		{System{Grads: 8, Window: 64, BlockMax: 63}, true},
		{System{Grads: 1024, Window: maxWindow, BlockMax: maxWindow - 1}, false}, // there are fewer blocks
	} {
		j, err := capped(t, c.sys)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(j.Layout.Notes, "\n"), "block_cnt_max"); got != c.notes {
			t.Errorf("%+v: notes %q", c.sys, j.Layout.Notes)
		}
	}
}

// Jobs that may have more blocks than a PFE has records are refused before anything
// runs; the reference program has no table.
func TestJobsHaveRoomTogether(t *testing.T) {
	p := jobtest.Plan(t, "rack", 6)
	set := func(one, two System) error {
		_, err := job.NewSet(jobtest.Tenant(t, p, 1, one, 0, 2, 4), jobtest.Tenant(t, p, 7, two, 5, 1))
		return err
	}
	half, reference := System{BlockMax: 32768}, PFE{Reference: true}
	for _, err := range []error{
		set(System{}, System{}), set(half, System{BlockMax: half.BlockMax - 2}), set(System{BlockMax: 32768, PFE: reference}, System{BlockMax: 32768, PFE: reference}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	for _, err := range []error{set(half, half), set(System{}, System{BlockMax: 65535})} {
		if err == nil || !strings.Contains(err.Error(), "block_cnt_max") {
			t.Errorf("more than 65536 records of two jobs: %v", err)
		}
	}
}
