package live

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/xagg"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// xaggReallocate is workers of one parent that start and end one after the other (XAgg §IV-C).
func xaggReallocate() experiment.Experiment {
	const id = "xagg.s4c.reallocate"
	return experiment.Experiment{
		ID: id, Title: "what workers of one parent that start and end one after the other use of its link, on real packets",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{id},
		Live:   true, Quick: "gradients of a half, 3 of 5 runs",
		Run: onLab(runXAggReallocate),
	}
}

const (
	reallocateLag    = 300 * units.Millisecond // from one worker to the next
	reallocateWindow = 100 * units.Millisecond // by which what they send is counted
	reallocateRate   = 60 * units.GbitPerSecond
)

// reallocateRun is three workers on the parameter server.
func reallocateRun(e *experiment.Env) liveRun {
	return liveRun{
		name: "XAgg, workers that start one after the other", sys: xagg.System{Mode: conductor.Star}, topology: "rack", hosts: 3, mtu: testbed.MTU,
		rate: reallocateRate, scale: slowScale, model: sized(experiment.Cut(e, 6000, 3000)), batch: 1, iterations: 1, traced: true,
		change: func(s *job.Spec) { s.Paces = []job.Pace{1: {Lag: reallocateLag}, 2: {Lag: 2 * reallocateLag}} },
	}
}

// window is what workers sent in a window of time.
type window struct {
	begin   units.Time
	used    float64        // of the parent's link
	workers map[string]int // packets of each
}

// windows counts what workers send, from the first packet to the last; the last window, which is not full, is left out.
func windows(logs []*trace.Log, line units.Rate, length units.Duration) (out []window) {
	for e := range packetsOf(logs) {
		if out == nil || e.At >= out[len(out)-1].begin.Add(length) {
			begin := e.At
			if out != nil {
				last := out[len(out)-1].begin
				for begin = last.Add(length); begin.Add(length) <= e.At; begin = begin.Add(length) {
					out = append(out, window{begin: begin, workers: map[string]int{}})
				}
			}
			out = append(out, window{begin: begin, workers: map[string]int{}})
		}
		w := &out[len(out)-1]
		w.workers[e.Node]++
		w.used += line.TimeToSend(xaggFrame).Seconds() / length.Seconds()
	}
	return out[:max(0, len(out)-1)]
}

func runXAggReallocate(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	x := &rounds{runs: []liveRun{reallocateRun(l.env)}, n: experiment.Cut(l.env, 5, 3)}
	if err = x.carryOut(ctx, l); err != nil {
		return f, err
	}
	r := &x.runs[0]
	of := func(round int) []window {
		return windows(x.got[0][round].logs, r.rate/units.Rate(r.scale), reallocateWindow)
	}
	if len(of(0)) == 0 {
		return f, fmt.Errorf("%s: nothing was sent", r.name)
	}
	t := claims.Table{
		ID: "xagg.s4c.reallocate", Title: fmt.Sprintf("Packets that workers of one parent sent in each %v of the first run, and their share of its link", reallocateWindow),
		Columns: []claims.Column{{Name: "after", Unit: "ms"}, {Name: "first"}, {Name: "second"}, {Name: "third"}, {Name: "of the link"}},
	}
	for _, w := range of(0) {
		t.Add(render.Number(w.begin.Sub(of(0)[0].begin).Milliseconds(), 0), render.Int(w.workers["h0"]), render.Int(w.workers["h1"]), render.Int(w.workers["h2"]), render.Number(w.used, 3))
	}
	f.Tables = []claims.Table{t}
	used := func(pick func([]float64) float64) float64 {
		return x.median(func(round int) float64 {
			var all []float64
			for _, w := range of(round) {
				all = append(all, math.Round(100*w.used)/100)
			}
			return pick(all)
		})
	}
	what := fmt.Sprintf("three workers on one parent, each %v after the one before; what they send by %v, to a hundredth: the bursts at the ends of a window are not told apart; medians of %d runs", reallocateLag, reallocateWindow, x.n)
	f.Set("xagg.s4c.reallocate", l.say(claims.NumberParts(map[string]float64{"lowest": used(slices.Min[[]float64]), "highest": used(slices.Max[[]float64])}), r.scale, what))
	return f, nil
}
