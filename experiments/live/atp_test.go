package live

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	program "github.com/inalab/inalab/switchd/program/atp"
)

// Packets at a server, and windows, on real packets: what is counted does not depend on how busy the
// machine is.
func TestATPCountsOnPackets(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	lab := newTestLab(t)
	racks, err := runATPRacks(t.Context(), lab)
	if err != nil {
		t.Fatal(err)
	}
	if got := racks.Measured["atp.s5.2.2.ps-traffic"].String(); got != "other_fragments 0, ratio 3" {
		t.Errorf("traffic of the server: %s", got)
	}
	windows, err := runATPWindows(t.Context(), lab)
	if err != nil {
		t.Fatal(err)
	}
	if got := windows.Measured["atp.s3.7.synchronised-windows"].String(); got != "0" {
		t.Errorf("windows differ by %s", got)
	}
}

// A packet that is of no whole rack, or of none of the fragments, is found.
func TestServersTrafficIsJudged(t *testing.T) {
	two, racks := atServer{fragments: 10, packets: 10, whole: 10}, atServer{fragments: 10, packets: 30, partial: 30}
	for name, tc := range map[string]struct {
		change func()
		want   string
	}{
		"as it is":          {func() {}, "other_fragments 0, ratio 3"},
		"a worker's":        {func() { racks.each, racks.partial = 1, 29 }, "other_fragments 2, ratio 3"},
		"one more at both":  {func() { two.packets, racks.packets = 11, 33 }, "other_fragments 4, ratio 3"},
		"fragments missing": {func() { two.packets, two.whole, racks.packets, racks.partial = 9, 9, 27, 27 }, "other_fragments 4, ratio 3"},
	} {
		a, b := two, racks
		tc.change()
		if got := psTraffic(two, racks).String(); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
		two, racks = a, b
	}
}

// told is events in order.
func told(sink trace.Sink, events ...trace.Event) {
	for i := range events {
		sink.Event(&events[i])
	}
}

// A fragment is rescued if its first packet collided, a later one had an aggregator, and workers sent it
// again before they had it.
func TestRescuesAreSplitFragments(t *testing.T) {
	s := newStalled()
	collided, opened, again, in := trace.Collided, trace.BlockOpened, trace.Retransmit, trace.ResultIn
	for block, kinds := range [][]trace.Kind{
		{collided, opened, again, in, in}, // the one
		{opened, again, in},               // lost, perhaps
		{collided, again, in},             // all at the server
		{opened, collided, again, in},     // what collided came behind
		{collided, opened, in, again},     // it needed no resend
		{collided, opened, again},         // it never came
	} {
		for _, kind := range kinds {
			told(s, trace.Event{Kind: kind, Job: 1, Block: uint32(block)})
		}
	}
	told(s, trace.Event{Kind: again, Job: 2, Block: 5}, trace.Event{Kind: in, Job: 2, Block: 5})
	if len(s.rescued) != 1 || !s.rescued[fragment{1, 0}] || s.results != 7 {
		t.Errorf("%v are rescued, %d results", s.rescued, s.results)
	}
}

// Runs go on until a fragment stalled or a sum is missing, and no longer than there are tries. Without either the
// claim is undetermined and nothing else: a sum that did not come fails it.
func TestRescuesGoOnUntilOneStalled(t *testing.T) {
	claim, err := experimenttest.Ledger(t).Lookup("atp.s3.5.stalled-rescue")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n       rescues
		goOn    bool
		verdict claims.Verdict
	}{
		{rescues{runs: 0}, true, claims.Undetermined},
		{rescues{runs: rescueTries - 1, want: 9, results: 9}, true, claims.Undetermined},
		{rescues{runs: rescueTries, want: 9, results: 9}, false, claims.Undetermined},
		{rescues{runs: 1, want: 9, results: 9, rescued: 1}, false, claims.Reproduced},
		{rescues{runs: 1, want: 9, results: 8}, false, claims.NotReproduced},
		{rescues{runs: 2, want: 9, results: 8, rescued: 1}, false, claims.NotReproduced},
	} {
		if got := c.n.goOn(); got != c.goOn {
			t.Errorf("%+v: goes on %v", c.n, got)
		}
		if j := claim.Judge(c.n.measured()); j.Verdict != c.verdict || j.Expected != (c.verdict != claims.NotReproduced) {
			t.Errorf("%+v: %s, expected %v: %s", c.n, j.Verdict, j.Expected, j.Reason)
		}
	}
}

func TestLeaksAreOfOneJob(t *testing.T) {
	k := leaks{job: 1, held: map[uint32]bool{}}
	told(&k, trace.Event{Kind: trace.BlockOpened, Job: 1, Block: 4}, trace.Event{Kind: trace.BlockOpened, Job: 1, Block: 5}, trace.Event{Kind: trace.BlockOpened, Job: 1, Block: 6},
		trace.Event{Kind: trace.BlockOpened, Job: 2, Block: 7}, trace.Event{Kind: trace.Freed, Job: 2, Block: 7, Note: program.ByAge},
		trace.Event{Kind: trace.Freed, Job: 1, Block: 4, Note: program.ByParameter}, trace.Event{Kind: trace.Freed, Job: 1, Block: 5, Note: program.ByAge})
	if k.reclaimed != 1 || len(k.held) != 1 || !k.held[6] {
		t.Errorf("%+v: one is reclaimed, and one leaked", k)
	}
}

func TestDivergenceIsBetweenWorkersAtOnePacket(t *testing.T) {
	logs := []*trace.Log{trace.NewLog(1), trace.NewLog(1)}
	result := func(w int, gen, block uint32, note string) {
		logs[w].Event(&trace.Event{At: units.Time(block), Kind: trace.ResultIn, Node: []string{"h0", "h1"}[w], Gen: gen, Block: block, Note: note})
	}
	for w := range 2 {
		result(w, 0, 1, "window 10")
		result(w, 0, 2, "window 15")
	}
	if most, packets, err := divergence(logs, 2); most != 0 || packets != 2 || err != nil {
		t.Errorf("%d at %d packets, %v: they are alike", most, packets, err)
	}
	result(0, 0, 3, "window 20")
	result(1, 1, 3, "window 90") // another round of numbers
	result(1, 0, 3, "window 17")
	if most, packets, err := divergence(logs, 2); most != 3 || packets != 3 || err != nil {
		t.Errorf("%d at %d packets, %v: want 3 at 3", most, packets, err)
	}
	result(1, 1, 4, "")
	if _, _, err := divergence(logs, 2); err == nil {
		t.Error("a worker that says nothing of its window is believed")
	}
}

// Workers can be started again where they are to be; this takes no privileges.
func TestATPRespawnsAreLaidOut(t *testing.T) {
	lab := newTestLab(t)
	for _, on := range respawnHosts {
		r := atpRespawnRun(lab.env, on)
		j, err := r.job(lab.env)
		if err != nil {
			t.Fatal(err)
		}
		if steps, err := job.Alone(j).Course(); err != nil || len(steps) != 2 || len(j.Layout.Again) != 1 {
			t.Errorf("%s: %v, %v, %d workers are started again", r.name, steps, err, len(j.Layout.Again))
		}
	}
}

// Jobs that share a lab can be laid out; this takes no privileges.
func TestATPLabsAreLaidOut(t *testing.T) {
	lab := newTestLab(t)
	for name, lay := range map[string]func(*experiment.Env) (*job.Set, error){"racks": lossyRacks, "crowd": crowdedRack, "come and go": comeAndGo, "leaving": leaving} {
		for _, quick := range []bool{true, false} {
			lab.env.Quick = quick
			set, err := lay(lab.env)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if _, err := set.Course(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
