package trioml_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

func drawParams(t *rapid.T) params {
	p := params{
		tensor: rapid.IntRange(1, 200).Draw(t, "tensor"), grads: rapid.SampledFrom([]int{1, 7, 10, 64}).Draw(t, "gradients"),
		gens: rapid.IntRange(1, 4).Draw(t, "generations"), window: rapid.IntRange(1, 8).Draw(t, "window"),
		delay: rapid.SampledFrom([]units.Duration{0, units.Microsecond, 300 * units.Microsecond}).Draw(t, "delay"),
		wake:  rapid.SampledFrom([]trioml.WakePolicy{"", trioml.WakeSkip, trioml.WakeNaive}).Draw(t, "wake"),
	}
	for range rapid.IntRange(1, 3).Draw(t, "PFEs") {
		p.pfes = append(p.pfes, rapid.IntRange(1, 3).Draw(t, "workers"))
	}
	return p
}

// All workers on time: exact sums of all, nothing degraded, each block sent once
// by each worker, the window respected; on one PFE and over two levels.
func TestOnTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(t, drawParams(t))
		if !r.run(t, units.Time(10*units.Second)) {
			t.Fatal("not all workers are done")
		}
		r.check(t)
		for k, m := range r.masks() {
			if m.Len() != r.workers() {
				t.Fatalf("generation %d, block %d holds %d of %d workers", k[0], k[1], m.Len(), r.workers())
			}
		}
		for w, h := range r.hosts {
			for g, out := range h.Outcomes {
				if out.Degraded != 0 || !out.Contributed || h.Began[g] == units.Never {
					t.Fatalf("worker %d, generation %d: %+v", w, g, out)
				}
			}
			if r.up[w].Frames != r.gens*r.blocks() {
				t.Fatalf("worker %d sent %d packets for %d blocks", w, r.up[w].Frames, r.gens*r.blocks())
			}
			if got := count(r.cores[w].Counters(), trioml.CountResults); got != r.gens*r.blocks() {
				t.Fatalf("worker %d counts %d results", w, got)
			}
		}
		for _, p := range r.pfes {
			if n := p.OpenBlocks(); n != 0 {
				t.Fatalf("%d records are left", n)
			}
		}
	})
}

// A window of packets waits for results, never more: so many records are open at
// a PFE at most.
func TestWindow(t *testing.T) {
	for window := 1; window <= 8; window++ {
		r := newRig(t, params{pfes: []int{2}, tensor: 200, grads: 10, gens: 1, window: window, delay: units.Microsecond})
		r.hosts[1].Ready = func(int) units.Time { return 5 * ms } // before anything ages
		if _, err := r.net.Run(4 * ms); err != nil {
			t.Fatal(err)
		}
		if got := r.pfes[0].OpenBlocks(); got != window {
			t.Errorf("window %d: %d blocks open", window, got)
		}
		if !r.run(t, units.Time(units.Second)) {
			t.Fatal("not done")
		}
		r.check(t)
	}
}

// latencies returns how long each degraded block of the top level waited for the
// missing source: from its last contribution to its result.
func (r *rig) latencies(node string) (out []units.Duration) {
	last := map[[2]uint32]units.Time{}
	for _, e := range r.log.events {
		k := [2]uint32{e.Gen, e.Block}
		switch {
		case e.Node != node:
		case e.Kind == trace.Contribution:
			last[k] = e.At
		case e.Kind == trace.BlockAged:
			out = append(out, e.At.Sub(last[k]))
		}
	}
	return out
}

// One worker asleep: the others get degraded results, T to 2T after they sent
// (§5), and so wait that long for every refill of the window (ambiguity
// trio.close-to-ideal); they divide by src_cnt.
func TestOneWorkerAsleep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := params{
			pfes: []int{rapid.IntRange(2, 4).Draw(t, "workers")}, tensor: rapid.IntRange(10, 200).Draw(t, "tensor"), grads: 10,
			gens: 1, window: rapid.IntRange(1, 8).Draw(t, "window"),
		}
		start := units.Time(rapid.Int64Range(0, int64(20*ms)).Draw(t, "start"))
		sleeper := rapid.IntRange(0, p.workers()-1).Draw(t, "sleeper")
		p.ready = func(w, _ int) units.Time {
			if w == sleeper {
				return units.Time(units.Second)
			}
			return start
		}
		r := newRig(t, p)
		r.run(t, units.Time(units.Second)-1)
		refills := units.Duration((r.blocks() + p.window - 1) / p.window)
		for w, h := range r.hosts {
			if w == sleeper {
				continue
			}
			if !h.Done() || h.Outcomes[0].Degraded != r.blocks() || !h.Outcomes[0].Contributed {
				t.Fatalf("worker %d: done %v, %+v", w, h.Done(), h.Outcomes)
			}
			if d := h.Ended[0].Sub(start); d <= refills*timeout || d > refills*2*timeout {
				t.Fatalf("worker %d took %v for %d refills", w, d, refills)
			}
		}
		waits := r.latencies(topNode)
		if len(waits) != r.blocks() {
			t.Fatalf("%d blocks aged of %d", len(waits), r.blocks())
		}
		for _, d := range waits {
			if d <= timeout || d > 2*timeout {
				t.Fatalf("a block aged after %v", d)
			}
		}

		// Its results came while it slept; it applies them without a part of its own.
		if h := r.hosts[sleeper]; !r.cores[sleeper].Complete(0) || h.Done() {
			t.Fatal("the sleeper has not got all results")
		}
		if !r.run(t, units.Time(units.Second)) {
			t.Fatal("the sleeper is not done when it wakes up")
		}
		if h := r.hosts[sleeper]; h.Began[0] != units.Never || h.Outcomes[0].Contributed || r.up[sleeper].Frames != 0 {
			t.Fatalf("the sleeper began at %v, sent %d packets: %+v", h.Began[0], r.up[sleeper].Frames, h.Outcomes[0])
		}
		r.check(t)
	})
}

// Under skip, a sleeper applies all generations that it slept through, and takes
// part in the next.
func TestSleeperJoinsTheNewestGeneration(t *testing.T) {
	const gens, slept = 6, 3 // it wakes up when the others are done with three
	const wake = 250 * ms
	p := params{pfes: []int{3}, tensor: 100, grads: 10, gens: gens, window: 20, delay: units.Microsecond}
	p.ready = func(w, g int) units.Time {
		if w == 2 && g == 0 {
			return wake
		}
		return units.Time(g) * 100 * ms // slow enough for the others' blocks to age in between
	}
	r := newRig(t, p)
	if !r.run(t, units.Time(10*units.Second)) {
		t.Fatal("not done")
	}
	r.check(t)
	h := r.hosts[2]
	for g := range gens {
		skipped := h.Began[g] == units.Never
		if skipped != (g < slept) || h.Outcomes[g].Contributed == skipped {
			t.Errorf("generation %d: began %v, %+v", g, h.Began[g], h.Outcomes[g])
		}
		if g < slept && h.Ended[g] != wake && h.Ended[g] != units.Time(g)*100*ms {
			t.Errorf("generation %d ended at %v", g, h.Ended[g])
		}
		if g >= slept && r.hosts[0].Outcomes[g].Degraded != 0 {
			t.Errorf("generation %d is degraded though all were awake", g)
		}
	}
	if got := r.up[2].Frames; got != (gens-slept)*r.blocks() {
		t.Errorf("the sleeper sent %d packets", got)
	}
}

// A sleeper that wakes up in the middle of a generation sends the blocks that
// have no result yet, and only these.
func TestSleeperSendsOnlyWhatIsMissing(t *testing.T) {
	p := params{pfes: []int{2}, tensor: 100, grads: 10, gens: 1, window: 3}
	p.ready = func(w, _ int) units.Time { return units.Time(w) * 25 * ms } // one or two refills later
	r := newRig(t, p)
	if !r.run(t, units.Time(units.Second)) {
		t.Fatal("not done")
	}
	r.check(t)
	aged, sent := r.hosts[0].Outcomes[0].Degraded, r.up[1].Frames
	if aged == 0 || sent == 0 || aged+sent != r.blocks() {
		t.Errorf("%d blocks aged, the sleeper sent %d, of %d", aged, sent, r.blocks())
	}
	if got := count(r.cores[1].Counters(), trioml.CountSkipped); got != aged {
		t.Errorf("%d blocks counted as not sent, want %d", got, aged)
	}
	if out := r.hosts[1].Outcomes[0]; !out.Contributed || out.Degraded != aged {
		t.Errorf("%+v", out)
	}
}

// Under naive, everything is sent, however late; tombstones drop it at the PFE,
// and the worker contributes nothing for it.
func TestNaiveSendsAll(t *testing.T) {
	for _, late := range []program.LatePolicy{program.LateTombstone, program.LateStale, program.LateNaive} {
		p := params{pfes: []int{3}, tensor: 100, grads: 10, gens: 4, window: 4, wake: trioml.WakeNaive, late: late}
		p.ready = func(w, g int) units.Time {
			if w == 2 && g == 0 {
				return 500 * ms
			}
			return 0
		}
		r := newRig(t, p)
		if !r.run(t, units.Time(10*units.Second)) {
			t.Fatalf("%s: not done", late)
		}
		r.check(t)
		if got := r.up[2].Frames; got != p.gens*r.blocks() {
			t.Errorf("%s: the sleeper sent %d packets, want all %d", late, got, p.gens*r.blocks())
		}
		for g, out := range r.hosts[2].Outcomes {
			if out.Contributed || r.hosts[2].Began[g] != 500*ms {
				t.Errorf("%s: generation %d: began %v, %+v", late, g, r.hosts[2].Began[g], out)
			}
		}
		c := r.pfes[0].Counters()
		dropped := count(c, program.DropLateGen) + count(c, program.DropLateBlock) + count(c, program.DropOlderRecord)
		ghosts := count(c, program.CountResults) - p.gens*r.blocks()
		switch late {
		case program.LateTombstone:
			if ghosts != 0 || dropped != p.gens*r.blocks() {
				t.Errorf("%s: %d late packets dropped, %d results too many", late, dropped, ghosts)
			}
		case program.LateStale:
			if ghosts != r.blocks() || dropped != (p.gens-1)*r.blocks() {
				t.Errorf("%s: %d late packets dropped, %d results too many: those of the newest generation", late, dropped, ghosts)
			}
		case program.LateNaive:
			if ghosts == 0 {
				t.Errorf("%s: no ghost results", late)
			}
		}
	}
}

// Two levels, one worker asleep: its PFE gives up on it and the top level, which
// waits longer, gets that part in time.
func TestTwoLevelsOneAsleep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := params{pfes: []int{3, 3}, tensor: 60, grads: 10, gens: 1, window: rapid.IntRange(1, 8).Draw(t, "window")}
		sleeper := rapid.IntRange(0, 5).Draw(t, "sleeper")
		p.ready = func(w, _ int) units.Time {
			if w == sleeper {
				return units.Time(units.Second)
			}
			return 0
		}
		r := newRig(t, p)
		if !r.run(t, units.Time(units.Second)) {
			t.Fatal("not done")
		}
		r.check(t)
		for k, m := range r.masks() {
			if m.Len() != 5 || m.Has(uint8(sleeper)) {
				t.Fatalf("block %d: mask of %d workers", k[1], m.Len())
			}
		}
		if waits := r.latencies(pfeName(sleeper / 3)); len(waits) != r.blocks() {
			t.Fatalf("%d blocks aged at the sleeper's PFE, want %d", len(waits), r.blocks())
		}
		if waits := r.latencies(topNode); len(waits) != 0 {
			t.Fatalf("%d blocks aged at the top level", len(waits))
		}
		for w, h := range r.hosts {
			if h.Outcomes[0].Degraded != r.blocks() {
				t.Fatalf("worker %d: %+v", w, h.Outcomes[0])
			}
		}
	})
}

// A whole PFE asleep sends nothing up: the top level ages the block itself, T to
// 2T of its own timeout after the other PFE's part.
func TestTwoLevelsAWholePFEAsleep(t *testing.T) {
	p := params{pfes: []int{2, 2}, tensor: 60, grads: 10, gens: 1, window: 8}
	p.ready = func(w, _ int) units.Time {
		if w >= 2 {
			return units.Time(units.Second)
		}
		return 0
	}
	r := newRig(t, p)
	if !r.run(t, units.Time(units.Second)) {
		t.Fatal("not done")
	}
	r.check(t)
	waits := r.latencies(topNode)
	if len(waits) != r.blocks() {
		t.Fatalf("%d blocks aged at the top level, want %d", len(waits), r.blocks())
	}
	for _, d := range waits {
		if d <= 3*timeout || d > 6*timeout {
			t.Errorf("a block aged after %v", d)
		}
	}
}

// Anybody may sleep for any time before any generation: nothing but the mask of
// each block decides its sum, and under skip everybody gets to the end.
func TestRandomSleeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.late = rapid.SampledFrom([]program.LatePolicy{program.LateTombstone, program.LateTombstone, program.LateStale, program.LateNaive}).Draw(t, "late")
		n := p.workers()
		ready := make([][]units.Time, n)
		for w := range ready {
			now := units.Time(0)
			for range p.gens {
				if rapid.IntRange(0, 3).Draw(t, "sleeps") == 0 {
					now += units.Time(rapid.Int64Range(0, int64(120*ms)).Draw(t, "sleep"))
				}
				ready[w] = append(ready[w], now)
			}
		}
		p.ready = func(w, g int) units.Time { return ready[w][g] }
		r := newRig(t, p)
		if !r.run(t, units.Time(100*units.Second)) {
			t.Fatal("not all workers are done")
		}
		r.check(t)
		r.checkContributed(t)
	})
}

// checkContributed wants whoever is in a mask to say so. The other way round it
// need not be: a packet may have been too late by its time on the wire.
func (r *rig) checkContributed(t rapid.TB) {
	t.Helper()
	for k, m := range r.masks() {
		for w, h := range r.hosts {
			if m.Has(uint8(w)) && !h.Outcomes[k[0]].Contributed {
				t.Fatalf("worker %d is in block %d of generation %d, but says it did not contribute", w, k[1], k[0])
			}
		}
	}
}

// Without ageing, everybody waits for the sleeper.
func TestNoAgingWaits(t *testing.T) {
	p := params{pfes: []int{3}, tensor: 50, grads: 10, gens: 1, window: 2, noAging: true}
	p.ready = func(w, _ int) units.Time { return units.Time(w) * 400 * ms }
	r := newRig(t, p)
	if !r.run(t, units.Time(units.Second)) {
		t.Fatal("not done")
	}
	r.check(t)
	for w, h := range r.hosts {
		if h.Ended[0] != 800*ms || h.Outcomes[0].Degraded != 0 {
			t.Errorf("worker %d ended at %v, %+v", w, h.Ended[0], h.Outcomes[0])
		}
	}
}

// A worker keeps MaxAhead generations of results while it sleeps; what is beyond
// is dropped and counted, and it never gets past that.
func TestMaxAhead(t *testing.T) {
	const gens = trioml.MaxAhead + 3
	p := params{pfes: []int{2}, tensor: 20, grads: 10, gens: gens, window: 8}
	p.ready = func(w, g int) units.Time {
		if w == 1 && g == 0 {
			return units.Time(units.Second)
		}
		return 0
	}
	r := newRig(t, p)
	if r.run(t, units.Time(2*units.Second)) {
		t.Fatal("all are done: the limit was not reached")
	}
	if !r.hosts[0].Done() || r.hosts[1].Gen() != trioml.MaxAhead {
		t.Errorf("worker 0 finished %d generations, worker 1 %d", r.hosts[0].Gen(), r.hosts[1].Gen())
	}
	if got := count(r.cores[1].Counters(), trioml.DropAhead); got != 3*r.blocks() {
		t.Errorf("%d results dropped as too far ahead, want %d", got, 3*r.blocks())
	}
	r.gens = trioml.MaxAhead
	r.check(t)
}
