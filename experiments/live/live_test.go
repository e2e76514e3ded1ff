package live

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/node"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// The processes of live runs are this binary.
func TestMain(m *testing.M) {
	if code, ok := node.Main(os.Args, system.All()); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// newTestLab returns a lab of a quick run in directories of its own, which are
// empty or gone when the test ends.
func newTestLab(t *testing.T) *lab {
	t.Helper()
	state, tmp := t.TempDir(), t.TempDir()
	t.Setenv(journal.EnvRoot, state)
	t.Setenv("TMPDIR", tmp)
	t.Cleanup(func() {
		for _, dir := range []string{state, tmp} {
			if left, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) || len(left) > 0 {
				t.Errorf("left behind in %s: %v, %v", dir, left, err)
			}
		}
	})
	return &lab{env: experimenttest.NewEnv(t), lenient: true}
}

// Volumes of both systems, and packets in flight, on real packets: what is counted
// does not depend on how busy the machine is.
func TestLiveCountsOnPackets(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	lab := newTestLab(t)
	volume, err := runVolume(t.Context(), lab)
	if err != nil {
		t.Fatal(err)
	}
	want := "n16 1.875, n2 1, n4 1.5, n8 1.75"
	if got := volume.Measured["switchml.s3.volume"]; got.String() != want || !strings.HasPrefix(got.Model, "live, scaled 1/10000; ") {
		t.Errorf("volumes %v of %q, want %s", got, got.Model, want)
	}
	clocking, err := runClocking(t.Context(), lab)
	if err != nil {
		t.Fatal(err)
	}
	if most, _ := clocking.Measured["switchml.s4.4.self-clocking"].Part("in_flight_over_pool"); most.String() != "1" {
		t.Errorf("%v of the pool in flight, want all of it and no more", most)
	}
	experimenttest.Show(t, &volume)
	experimenttest.Show(t, &clocking)
}

// Every run of a live experiment can be laid out; this takes no privileges.
func TestLiveRunsAreLaidOut(t *testing.T) {
	lab := newTestLab(t)
	for _, quick := range []bool{true, false} {
		lab.env.Quick = quick
		for _, r := range runsOf(t, lab.env) {
			j, err := r.job(lab.env)
			if err != nil {
				t.Errorf("%s: %v", r.name, err)
				continue
			}
			if want := r.rate / units.Rate(r.scale) / units.Rate(max(1, r.slow)); j.Rate() != want || len(j.Hosts()) != r.hosts || j.Virtual {
				t.Errorf("%s: %d hosts, slowest link %v, virtual %v; want %d, %v, live", r.name, len(j.Hosts()), j.Rate(), j.Virtual, r.hosts, want)
			}
		}
	}
}

// runsOf returns the runs of all live experiments.
func runsOf(t *testing.T, e *experiment.Env) []liveRun {
	t.Helper()
	runs := append(append(levels(), racks(e)...), clockingRun(e))
	for _, n := range volumeWorkers {
		runs = append(runs, volumeRuns(n, 1<<16)...)
	}
	runs = append(append(runs, newRates(e).runs...), newLatency(e).runs...)
	runs = append(runs, newPSRates(e).runs...)
	runs = append(runs, retransmitRuns(e)...)
	runs = append(runs, exactRuns(e)...)
	runs = append(runs, stragglerRuns(e)...)
	runs = append(append(append(runs, atpRackRuns(e)...), atpZeroRuns(e)...), windowsRun(e))
	for _, r := range newLossRuns(e) {
		runs = append(append(runs, r.sml.runs...), r.ring.runs...)
	}
	models, _ := newModels(e)
	return append(runs, models.runs...)
}

func TestLagIsBetweenWorkersOnOneSlot(t *testing.T) {
	logs := []*trace.Log{trace.NewLog(1), trace.NewLog(1)}
	at := units.Time(0)
	send := func(worker int, slot, phase uint32) {
		at++
		logs[worker].Event(&trace.Event{At: at, Kind: trace.Sent, Node: []string{"h0", "h1"}[worker], Block: slot, Gen: phase})
	}
	for _, step := range []struct {
		worker      int
		slot, phase uint32
		want        int
	}{
		{0, 0, 1, 1}, {1, 0, 1, 1}, {0, 1, 1, 1}, {0, 0, 2, 1}, // the slots go on apart
		{1, 0, 2, 1}, {1, 0, 3, 1}, {1, 0, 4, 2},
		{0, 1, 3, 3}, // h1 has sent nothing on slot 1
	} {
		send(step.worker, step.slot, step.phase)
		if got := lagOf(logs, 2); got != step.want {
			t.Errorf("h%d sends packet %d of slot %d: lag %d, want %d", step.worker, step.phase, step.slot, got, step.want)
		}
	}
}

func TestPaceCountsWhatIsInFlight(t *testing.T) {
	log := trace.NewLog(1)
	for i, kind := range []trace.Kind{trace.Sent, trace.Sent, trace.Retransmit, trace.ResultIn, trace.Sent, trace.Sent, trace.ResultIn, trace.ResultIn, trace.ResultIn} {
		log.Event(&trace.Event{At: units.Time(units.Second) * units.Time(1+i), Kind: kind, Node: "h1"})
		log.Event(&trace.Event{At: units.Time(units.Second) * units.Time(1+i), Kind: trace.Sent, Node: "h2"})
	}
	p := paceOf([]*trace.Log{log}, "h1")
	if p.sent != 4 || p.results != 4 || p.most != 3 || p.rate() != 0.5 {
		t.Errorf("%+v, %v a second; want 4 sent, 4 results, at most 3 in flight, 0.5 a second", p, p.rate())
	}
}

// Counters go by their whole name, behind that of a part or alone.
func TestCountedGoesByName(t *testing.T) {
	c := &result.Cell{Counters: []result.Counter{
		{Node: "h0", Name: "sent", N: 1}, {Node: "h1", Name: "sent", N: 2}, {Node: "h1", Name: "unsent", N: 4},
		{Node: "tor", Name: "pfe1/sent", N: 8}, {Node: "tor", Name: "sent/again", N: 16},
	}}
	if all, one := counted(c, "sent", nil), counted(c, "sent", at("h1")); all != 11 || one != 2 {
		t.Errorf("%d at all nodes and %d at h1, want 11 and 2", all, one)
	}
}
