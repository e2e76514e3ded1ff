package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/halving"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// baseline returns a job that reduces 8 MiB on a rack at 100 Gbit/s, twice.
func baseline(t *testing.T, sys job.System, workers int, change func(*job.Spec)) *job.Job {
	t.Helper()
	servers := job.Servers(sys, workers)
	link := topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: 500 * units.Nanosecond, Queue: 64 * units.MiB}
	g, err := gen.ByName("rack", gen.Params{Hosts: workers + servers, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	spec := job.Spec{
		System: sys, Plan: p, Servers: servers, Model: profiles.Profile{Name: "tensor", SizeMiB: 8},
		Scale: 1, Iterations: 2, Seed: 1, Virtual: true, Replay: true,
	}
	change(&spec)
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// second runs the job and returns how long its second round took: in the first,
// TCP connections open and start slowly.
func second(t *testing.T, j *job.Job) (result.Cell, units.Duration) {
	t.Helper()
	cell, err := RunJob(context.Background(), j, worker.Images{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if cell.Wrong > 0 || cell.Checked != uint64(2*len(j.Hosts())*j.Held()) {
		t.Fatalf("%d sums were checked and %d are wrong, want %d and 0", cell.Checked, cell.Wrong, 2*len(j.Hosts())*j.Held())
	}
	var took units.Duration
	for _, s := range cell.Samples {
		if s.Iteration == 1 {
			took = max(took, s.End.Sub(s.Start))
		}
	}
	return cell, took
}

// Simulated rounds take the analytic time, a share for acknowledgements on the
// same lines, and the delays of steps that follow one another. TCP takes longer
// where connections that are still opening their windows share a line.
func TestBaselinesTakeTheirTime(t *testing.T) {
	OneGoroutine(t)
	over := func(transport stream.Transport, workers int, most float64) {
		for _, sys := range []job.System{
			ring.System{Transport: transport}, halving.System{Transport: transport},
			ps.System{Transport: transport}, ps.System{Transport: transport, Cross: true}, ps.System{Transport: transport, Dedicated: true},
		} {
			t.Run(fmt.Sprintf("%s %+v, %d workers", sys.Name(), sys, workers), func(t *testing.T) {
				j := baseline(t, sys, workers, func(s *job.Spec) { s.Sample = gradient.Sampling{Every: 64} })
				want, bound := j.Expect()
				_, got := second(t, j)
				if ratio := got.Seconds() / want.Seconds(); bound || ratio < 1 || ratio > most {
					t.Errorf("a round takes %v, %.3f of the analytic %v", got, ratio, want)
				}
			})
		}
	}
	over(stream.RoCE, 3, 1.15)
	over(stream.RoCE, 8, 1.15)
	over(stream.TCP, 4, 1.6)
}

// A server alone is bound by its line, which all workers share. Acknowledgements wait there behind
// gradients, and on the way back behind sums, so that a window's round trip takes up to twice as long.
func TestOneServerTakesItsTime(t *testing.T) {
	for _, transport := range []stream.Transport{stream.RoCE, stream.TCP} {
		for _, dedicated := range []bool{false, true} {
			sys := ps.System{Transport: transport, Dedicated: dedicated, Count: 1}
			j := baseline(t, sys, 4, func(s *job.Spec) { s.Sample = gradient.Sampling{Every: 64} })
			many := sys
			many.Count = 0
			_, shared := second(t, baseline(t, many, 4, func(s *job.Spec) { s.Sample = gradient.Sampling{Every: 64} }))
			want, _ := j.Expect()
			_, got := second(t, j)
			if ratio := got.Seconds() / want.Seconds(); ratio < 1 || ratio > 2 || got < 3*shared/2 {
				t.Errorf("%+v: a round takes %v, %.3f of the analytic %v, and with as many servers as workers %v", sys, got, ratio, want, shared)
			}
		}
	}
}

// What is unstored takes the same time as what is stored.
func TestLengthsOnly(t *testing.T) {
	OneGoroutine(t)
	chip := switchml.Pipe{Pipeline: true, Timed: true}
	for _, sys := range []job.System{
		switchml.System{Pipe: chip}, switchml.System{Elements: 64, Pipe: chip}, switchml.System{Transport: switchml.RoCE, Pipe: chip},
		ring.System{Transport: stream.RoCE}, halving.System{Transport: stream.RoCE}, ps.System{Transport: stream.RoCE}, ps.System{Transport: stream.RoCE, Dedicated: true},
	} {
		t.Run(fmt.Sprintf("%+v", sys), func(t *testing.T) {
			_, whole := second(t, baseline(t, sys, 4, func(*job.Spec) {}))
			j := baseline(t, sys, 4, func(s *job.Spec) { s.Sample = gradient.Sampling{Every: 64} })
			_, lengths := second(t, j)
			if whole != lengths {
				t.Errorf("with values %v, with unstored values %v", whole, lengths)
			}
			if held, least := j.Held(), j.Params/64; held < least || held > least+8 {
				t.Errorf("%d of %d elements are held, want one of 64", held, j.Params)
			}
		})
	}
}

// The cost of hosts is that of servers, too.
func TestServersHaveHosts(t *testing.T) {
	OneGoroutine(t)
	slow := func(s *job.Spec) { s.Host = hostmodel.Model{Kind: "tcp", Rate: 50 * units.GbitPerSecond} }
	j := baseline(t, ps.System{Transport: stream.RoCE, Dedicated: true}, 2, slow)
	_, took := second(t, j)
	if least := 2 * j.Layout.Time; took < least*9/10 { // half of the line's rate
		t.Errorf("a round takes %v behind hosts of half the line's rate, want about %v", took, least)
	}
	cell, _ := second(t, j)
	var counted []string
	for _, c := range cell.Counters {
		if c.Name == "ps-sums-sent" {
			counted = append(counted, c.Node)
		}
	}
	if got := strings.Join(counted, " "); got != "h2 h3" {
		t.Errorf("sums were sent by %q, want the hosts behind the workers", got)
	}
}
