package live

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// act is an action at a time in milliseconds.
func act(ms int, verb job.Verb, node string) job.Action {
	return job.Action{At: units.Duration(ms) * units.Millisecond, Verb: verb, Node: node}
}

// direct runs a job through a course on real packets, and wants no wrong sum.
func direct(t *testing.T, s scene, on []int, actions ...job.Action) result.Cell {
	t.Helper()
	opt := options(t)
	s.change = func(s *job.Spec) { s.Actions, s.On = actions, on }
	cell, err := RunJob(t.Context(), mustJob(t, s), opt)
	if err != nil {
		t.Fatal(err)
	}
	if cell.Wrong != 0 || cell.Checked == 0 {
		t.Errorf("%d of %d values are wrong: %q", cell.Wrong, cell.Checked, cell.Notes)
	}
	return cell
}

// iterationsOf returns the iterations of which a worker has a sample.
func iterationsOf(c result.Cell, w int) (out []int) {
	for _, s := range c.Samples {
		if s.Worker == w {
			out = append(out, s.Iteration)
		}
	}
	slices.Sort(out)
	return out
}

// A worker that is killed is missed by the sums, and takes part again when it is started, on
// its host or a spare one. How long its process takes to start decides from when on.
func TestWorkerComesBackLive(t *testing.T) {
	heavy(t)
	for _, host := range []string{"", "h6"} {
		t.Run("on "+host, func(t *testing.T) {
			start := act(900, job.Start, "h1")
			start.On = host
			const iterations = 200
			s := scene{system: trioml.System{Timeout: 10 * units.Millisecond}, topology: "rack", hosts: 7, iterations: iterations}
			c := direct(t, s, []int{0, 1, 2, 3}, act(500, job.Kill, "h1"), start)
			others, got := iterationsOf(c, 0), iterationsOf(c, 1)
			if c.Ended != nil || len(others) != iterations {
				t.Fatalf("worker 0 has %d of %d iterations; ended %+v", len(others), iterations, c.Ended)
			}
			from := c.Away[0].From
			k := slices.IndexFunc(got, func(i int) bool { return i >= from })
			if k < 0 || got[len(got)-1] != iterations-1 || len(got)-k != iterations-got[k] {
				t.Errorf("worker 1, away from %d on, has iterations %v: %q", from, got, c.Course)
			}
		})
	}
}

// Where a system does not go on, the job ends with the reason.
func TestNamedEndsLive(t *testing.T) {
	heavy(t)
	for name, tc := range map[string]struct {
		system   job.System
		topology string
		action   job.Action
		want     string
	}{
		"worker of SwitchML": {switchml.System{}, "rack", act(1000, job.Kill, "h1"), "switchml256 waits for the gradients of all workers"},
		"worker of a ring":   {ring.System{}, "rack", act(1000, job.Kill, "h1"), "ring waits for the gradients of all workers"},
		"server":             {ps.System{Dedicated: true}, "rack", act(1000, job.Stop, "h7"), "server h7 was stopped: the sums that it held are lost"},
		"switch of Trio-ML":  {trioml.System{}, "mx480", act(1000, job.Kill, "mx480"), "switch mx480 was killed: the blocks that it held are lost, and Trio-ML sends nothing again"},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene{system: tc.system, topology: tc.topology, iterations: 10_000}
			c := direct(t, s, nil, tc.action, act(1300, job.Start, tc.action.Node))
			if c.Ended == nil || !strings.Contains(c.Ended.Reason, tc.want) {
				t.Errorf("%+v, want %q", c.Ended, tc.want)
			}
		})
	}
}

// A switch that comes back has lost frames and no more: kernel TCP sends them again.
func TestSwitchComesBackLive(t *testing.T) {
	c := direct(t, scene{system: ring.System{}, topology: "rack", iterations: 20}, nil, act(300, job.Kill, "tor"), act(400, job.Start, "tor"))
	if c.Ended != nil || len(c.Samples) != 20*6 {
		t.Errorf("ended %+v, %d samples", c.Ended, len(c.Samples))
	}
	if len(c.Links) == 0 || c.Links[0].Since == 0 {
		t.Errorf("%d links, the first since %v", len(c.Links), c.Links)
	}
}

// The worker whose model was promised ends too, before or after it has left it: another one
// hands over its own.
func TestPeersOfNewcomersEndLive(t *testing.T) {
	heavy(t)
	const iterations = 80
	s := scene{system: trioml.System{Timeout: 10 * units.Millisecond}, topology: "rack", hosts: 6, iterations: iterations}
	c := direct(t, s, []int{0, 1, 2, 3}, act(500, job.Kill, "h1"), act(900, job.Start, "h1"), act(901, job.Kill, "h0"), act(902, job.Kill, "h2"))
	got := iterationsOf(c, 1)
	if c.Ended != nil || len(got) == 0 || slices.Max(got) != iterations-1 || len(iterationsOf(c, 3)) != iterations {
		t.Errorf("ended %+v, worker 1 has iterations %v: %q", c.Ended, got, c.Course)
	}
}
