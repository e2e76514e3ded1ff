package trioml_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// drawTombstones draws a run at whose switch no late packet can open a record.
func drawTombstones(t *rapid.T) (params, *rng.Stream) {
	p := drawParams(t)
	p.late = program.LateTombstone
	return p, rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("fate")
}

// Packets and results may come in any order and more than once, though less late
// than blocks age: nobody is counted twice and everybody is in every sum.
func TestAnyOrderAndDuplicates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, stream := drawTombstones(t)
		later, twice := rapid.Int64Range(1, int64(2*ms)).Draw(t, "later"), rapid.Float64Range(0, 0.5).Draw(t, "duplicated")
		p.fate = func(int, bool) []units.Duration {
			out := []units.Duration{units.Duration(stream.IntN(int(later)))}
			if stream.Bernoulli(twice) {
				out = append(out, units.Duration(stream.IntN(int(later))))
			}
			return out
		}
		r := newRig(t, p)
		if !r.run(t, units.Time(100*units.Second)) {
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
				if out.Degraded != 0 || !out.Contributed {
					t.Fatalf("worker %d, generation %d: %+v", w, g, out)
				}
			}
		}
	})
}

// There is no loss recovery (Trio §7), but blocks age: whatever is lost on the way
// up, or comes twice, each sum is that of its mask and everybody gets to the end,
// as long as one packet of each block is there.
func TestLossOnTheWayUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, stream := drawTombstones(t)
		lost, twice := rapid.Float64Range(0, 0.3).Draw(t, "lost"), rapid.Float64Range(0, 0.3).Draw(t, "duplicated")
		spared := rapid.IntRange(0, p.workers()-1).Draw(t, "spared")
		p.fate = func(w int, up bool) []units.Duration {
			switch {
			case up && w != spared && stream.Bernoulli(lost):
				return nil
			case stream.Bernoulli(twice):
				return []units.Duration{0, units.Duration(stream.IntN(int(ms)))}
			}
			return []units.Duration{0}
		}
		r := newRig(t, p)
		if !r.run(t, units.Time(1000*units.Second)) {
			t.Fatal("not all workers are done")
		}
		r.check(t)
		for k, m := range r.masks() {
			if !m.Has(uint8(spared)) {
				t.Fatalf("generation %d, block %d lacks worker %d, of which nothing was lost", k[0], k[1], spared)
			}
		}
	})
}

// A lost result stalls the worker that it was for, and nobody else: what workers
// do get is right, and those whose results all came are done.
func TestLossOfResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, stream := drawTombstones(t)
		p.gens = 1
		lost := rapid.Float64Range(0, 0.3).Draw(t, "lost")
		spared := rapid.IntRange(0, p.workers()-1).Draw(t, "spared")
		missed := make([]bool, p.workers())
		p.fate = func(w int, up bool) []units.Duration {
			if !up && w != spared && stream.Bernoulli(lost) {
				missed[w] = true
				return nil
			}
			return []units.Duration{0}
		}
		r := newRig(t, p)
		r.run(t, units.Time(1000*units.Second))
		r.check(t)
		for w, h := range r.hosts {
			if h.Done() == missed[w] {
				t.Fatalf("worker %d missed a result: %v, is done: %v", w, missed[w], h.Done())
			}
		}
	})
}
