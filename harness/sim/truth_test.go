package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/scenarios"
)

// fabric8 is a scenario of 8 workers on two leaves, at 25 Gbit/s.
const fabric8 = `
apiVersion: inalab/v1
kind: Scenario
name: fabric8
hosts: 8
iterations: 4
topology: leaf-spine
link: {rate: 25Gbit/s, delay: 1us}
systems: [{system: switchml256}]
switchml: {retransmit: true}
`

// fabricOf8 lays fabric8 out as a replay in which packets carry lengths.
func fabricOf8(t *testing.T, set ...string) (*job.Job, error) {
	t.Helper()
	s, err := scenarios.Load(scenarios.Source{Name: "fabric8", Text: []byte(fabric8), Set: set}, system.All())
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Jobs(true)
	if err != nil {
		return nil, err
	}
	spec := list[0].Spec
	spec.Replay, spec.Sample = true, gradient.Sampling{Every: 64}
	return job.New(spec)
}

// Without loss SwitchML takes what is expected of it at every scale, and what is expected is what it takes
// at full rate: neither timers nor the pool make the scale visible.
func TestSwitchMLIsAsExpectedAtEveryScale(t *testing.T) {
	sim.OneGoroutine(t)
	for _, scale := range []int{10, 20, 50, 100, 200, 400} {
		j, err := fabricOf8(t, fmt.Sprintf("scale=%d", scale))
		if err != nil {
			t.Fatal(err)
		}
		c, err := sim.RunJob(t.Context(), j, worker.Images{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("scale %d: pool of %d, %.3f ms, expected %v, %d sent again, %s", scale, j.Layout.Window, meanMs(c), c.Expected, c.Resent.Packets, c.Fidelity.Verdict)
		if got, want := meanMs(c), c.Expected.Milliseconds(); got > 1.05*want || got < 0.95*want {
			t.Errorf("scale %d: an iteration takes %.3f ms, expected %.3f", scale, got, want)
		}
		if full := 150 + 4*25.557*8/25*1100/1024; c.Expected.Milliseconds() > 1.05*full || c.Expected.Milliseconds() < 0.95*full {
			t.Errorf("scale %d: expected %v, and at full rate %.1f ms", scale, c.Expected, full)
		}
		if c.Fidelity.Verdict != result.Exact || c.Resent.Packets != 0 {
			t.Errorf("scale %d: %s, %d sent again: %q", scale, c.Fidelity.Verdict, c.Resent.Packets, c.Fidelity.Cautions)
		}
	}
}

// A timeout that cannot work is refused before the run.
func TestTimeoutBelowTheRoundTripIsRefused(t *testing.T) {
	_, err := fabricOf8(t, "scale=50", "switchml.timeout=1ms")
	if err == nil || !strings.Contains(err.Error(), "switchml.timeout=1ms is below the ") {
		t.Errorf("error %v", err)
	}
}

// Timers that go off in vain show: a run whose workers send everything again is not called exact, and
// says why.
func TestRunThatSendsAgainInVainHasACaution(t *testing.T) {
	j, err := fabricOf8(t, "scale=2000", "iterations=1")
	if err != nil {
		t.Fatal(err)
	}
	spec := j.Spec
	spec.System = hasty{spec.System}
	if j, err = job.New(spec); err != nil {
		t.Fatal(err)
	}
	c, err := sim.RunJob(t.Context(), j, worker.Images{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(c.Fidelity.Cautions, "\n")
	t.Log(text)
	if c.Fidelity.Verdict != result.Caution || !strings.Contains(text, "frames found a queue full though nobody else sends: answers came later than the timeout of 5ms") {
		t.Errorf("%s: %q", c.Fidelity.Verdict, text)
	}
}

// Stragglers that keep the others waiting for longer than the timeout have them send again. Nothing was lost, so the
// run is not called exact; its caution names the stragglers.
func TestStragglersAreTheCauseOfWhatIsSentAgain(t *testing.T) {
	j, err := fabricOf8(t, "scale=400", "iterations=2")
	if err != nil {
		t.Fatal(err)
	}
	spec := j.Spec
	spec.StraggleP = 0.5
	if j, err = job.New(spec); err != nil {
		t.Fatal(err)
	}
	c, err := sim.RunJob(t.Context(), j, worker.Images{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(c.Fidelity.Cautions, "\n")
	t.Log(text)
	if c.Fidelity.Verdict != result.Caution || !strings.Contains(text, "was sent again though none was lost: most likely workers waited for the stragglers, which were asked for, for longer than ") {
		t.Errorf("%s: %q", c.Fidelity.Verdict, text)
	}
}

// hasty is SwitchML whose timers are shorter than its layout says.
type hasty struct{ job.System }

const hastyTimeout = 5 * units.Millisecond

func (h hasty) Layout(j *job.Job) (job.Layout, error) {
	l, err := h.System.Layout(j)
	for i, c := range l.Cores {
		cfg := c.(switchml.Config)
		cfg.Timeout = hastyTimeout
		l.Cores[i] = cfg
	}
	l.Timeout = hastyTimeout
	return l, err
}
