package sim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/topo"
)

// respawn is a training of four workers on hosts 0, 1, 3 and 4 of three racks, with servers, in which
// workers end and are started again. Hosts 2, 5 and 7 are spare.
func respawn(t *testing.T, link topo.LinkSpec, sys atp.System, iterations int, actions ...job.Action) (*job.Job, result.Cell) {
	t.Helper()
	return respawnOf(t, atpSpec(t, atpPlan(t, "multi-rack", 9, link), sys, []int{8, 6}[:sys.Servers(4)], 0, 1, 3, 4), iterations, actions...)
}

// respawnOf is a training of a job in which workers end and are started again.
func respawnOf(t *testing.T, s job.Spec, iterations int, actions ...job.Action) (*job.Job, result.Cell) {
	t.Helper()
	s.Iterations, s.Actions, s.Scale = iterations, actions, 8000
	j, err := job.New(s)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := sim.RunJobs(t.Context(), job.Alone(j), images(t), sim.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	return j, cells[0]
}

// after is an action at a time in quarters of a millisecond.
func after(quarters int, verb job.Verb, node string) job.Action {
	a := act(0, verb, node)
	a.At = units.Duration(quarters) * units.Millisecond / 4
	return a
}

// onHost is a start on another host.
func onHost(a job.Action, host string) job.Action {
	a.On = host
	return a
}

// wantWhole wants a job that ended when it was done, with all iterations of all workers but those that one
// was away for, and sums that were checked in all iterations but the one in which it came back.
func wantWhole(t *testing.T, j *job.Job, c result.Cell, away int) {
	t.Helper()
	if c.Ended != nil || c.Wrong != 0 {
		t.Fatalf("%d of %d sums are wrong, ended %+v: %q, %q", c.Wrong, c.Checked, c.Ended, c.Notes, c.Course)
	}
	all := len(j.Hosts()) * j.Iterations * j.Params
	if least := all - away*(len(j.Hosts())+1)*j.Params; int(c.Checked+c.Unchecked) > all || int(c.Checked) < least {
		t.Errorf("%d sums were checked and %d not, of %d", c.Checked, c.Unchecked, all)
	}
	for w := range j.Hosts() {
		if got := iterationsOf(c, w); !slices.IsSorted(got) || len(got) < j.Iterations-away {
			t.Errorf("worker %d has iterations %v", w, got)
		}
	}
}

// A worker that is killed is waited for. It comes back on its host, on another one of its rack, behind another
// rack that is in the job, or that of the server, and the job goes on where it stood (A.3).
func TestATPWorkerIsStartedAgain(t *testing.T) {
	sim.OneGoroutine(t)
	for _, host := range []string{"", "h2", "h5", "h7"} {
		t.Run("on "+host, func(t *testing.T) {
			sys := atp.System{Window: 2, Fixed: true, Unscaled: true} // of an iteration, packets take a half
			taken := uint64(0)
			for quarter := 14; quarter < 18; quarter++ {
				j, c := respawn(t, topo.LinkSpec{}, sys, 5, after(quarter, job.Kill, "h1"), onHost(after(80, job.Start, "h1"), host))
				wantWhole(t, j, c, 1)
				if got := counted(c, "h8", "atp-server-set-ups"); got != 1 {
					t.Errorf("%d set-ups at the server", got)
				}
				if n := counted(c, "h8", "atp-server-answered"); n != fragments(j) {
					t.Errorf("%d fragments answered, want %d, each once", n, fragments(j))
				}
				before := counted(c, "h", "atp-taken-over")
				if before >= fragments(j)/uint64(j.Iterations) {
					t.Errorf("%d fragments were aggregated before, of %d of an iteration", before, fragments(j)/uint64(j.Iterations))
				}
				taken += before
			}
			if taken == 0 {
				t.Error("nothing was aggregated before, whenever the worker ended")
			}
		})
	}
}

// drawCourse draws ends and starts of the workers on four hosts, and switches that forget.
func drawCourse(r *rand.Rand, workers, spare, switches []string) (out []job.Action, starts int) {
	on := slices.Clone(workers)
	spare = slices.Clone(spare)
	at := 1
	for range 1 + r.IntN(3) {
		at += r.IntN(40)
		var gone []int
		for _, w := range r.Perm(4)[:1+r.IntN(3)] {
			out = append(out, after(at, []job.Verb{job.Kill, job.Stop}[r.IntN(2)], on[w]))
			at += r.IntN(3) * r.IntN(10)
			gone = append(gone, w)
		}
		for _, w := range gone {
			at += 1 + r.IntN(20)
			a := after(at, job.Start, on[w])
			if r.IntN(2) == 0 {
				k := r.IntN(len(spare))
				a.On = spare[k]
				spare[k], on[w] = on[w], spare[k]
			}
			out = append(out, a)
			starts++
		}
		if r.IntN(2) == 0 {
			out = append(out, after(at+r.IntN(4), job.Forget, switches[r.IntN(len(switches))]))
		}
	}
	return out, starts
}

// Whatever is lost on links, however few aggregators there are, and whenever workers end, are started again
// and switches forget, every sum has every contribution once.
func TestATPRespawnsAreExact(t *testing.T) {
	sim.OneGoroutine(t)
	taken := uint64(0)
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		actions, starts := drawCourse(r, []string{"h0", "h1", "h3", "h4"}, []string{"h2", "h5", "h7"}, []string{"tor0", "tor2"})
		sys := atp.System{
			Aggregators: []int{atp.None, 3, 40, 0}[r.IntN(4)], Unscaled: true, Window: 8 + r.IntN(60), Span: 64, ExpectedOnly: r.IntN(3) == 0, Threads: 1 + r.IntN(2), ServerCount: 1 + r.IntN(2),
			Age: units.Duration(1+r.IntN(20)) * units.Millisecond, Resend: []host.Resend{host.Expected, host.Gaps, host.Passed}[r.IntN(3)],
		}
		if r.IntN(4) == 0 {
			sys.Pipe = atp.Pipe{Pipeline: true}
		}
		link := topo.LinkSpec{Loss: []float64{0, 0.001, 0.01}[r.IntN(3)]}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if starts > 7 {
				t.Skip("more set-ups than there are ids")
			}
			j, c := respawn(t, link, sys, 6, actions...)
			taken += counted(c, "h", "atp-taken-over")
			wantExact(t, j, c, starts)
		})
	}
	if taken == 0 {
		t.Error("no worker ever came into a generation of which a part was aggregated")
	}
}

// wantExact wants no sum wrong in a job whose workers were started so often, and that it ended when it was done
// unless none of them was left.
func wantExact(t *testing.T, j *job.Job, c result.Cell, starts int) {
	t.Helper()
	if c.Wrong != 0 {
		t.Errorf("%d of %d sums are wrong: %q, %q", c.Wrong, c.Checked, c.Notes, c.Course)
	}
	if c.Ended != nil && !strings.Contains(c.Ended.Reason, "no worker is left") {
		t.Errorf("ended %+v: %q", c.Ended, c.Course)
	}
	if c.Ended == nil {
		wantWhole(t, j, c, starts)
	}
}

// Sequence numbers come round several times in a job whose workers come and go, on links that lose frames, with
// few aggregators and switches that forget: every sum has every contribution once.
func TestATPNumbersComeRound(t *testing.T) {
	sim.OneGoroutine(t)
	swept := uint64(0)
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 2))
		actions, starts := drawCourse(r, []string{"h0", "h1", "h3", "h4"}, []string{"h2", "h5", "h7"}, []string{"tor0", "tor2"})
		threads := 1 + r.IntN(2)
		sys := atp.System{
			SequenceBits: 7 + threads, Aggregators: []int{atp.None, 3, 30}[r.IntN(3)], Unscaled: true, Window: 8 + r.IntN(20), Span: 16, Threads: threads,
			Age: units.Duration(1+r.IntN(5)) * units.Millisecond, Resend: []host.Resend{host.Expected, host.Gaps, host.Passed}[r.IntN(3)], Timeout: 2 * units.Millisecond,
			Pipe: atp.Pipe{Pipeline: seed == 0},
		}
		link := topo.LinkSpec{Loss: []float64{0, 0.001, 0.01}[r.IntN(3)]}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if starts > 7 {
				t.Skip("more set-ups than there are ids")
			}
			j, c := respawn(t, link, sys, 20, actions...)
			swept += counted(c, "h", "atp-swept")
			if n := fragments(j) / uint64(threads) / 254; n < 2 {
				t.Errorf("numbers come round %d times", n)
			}
			wantExact(t, j, c, starts)
		})
	}
	if swept == 0 {
		t.Error("no half of the numbers was ever swept")
	}
}
