package pipeline

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/tofino"
)

// All sources send again at once, as after a timeout. The first takes along who is there, and the others, which find the first
// half free, must not free the second before it is read.
func TestResentPacketsDoNotPassASum(t *testing.T) {
	const sources = 8
	timing := Timing()
	f := sourcesOf(t, sources, timing)
	for w := 1; w < sources; w++ { // the packet of source 0 is lost
		f.leave(f.handle(0, arrival(f.gradient(1, w, 1))))
	}
	f.drain()
	for w := range sources {
		p := f.gradient(1, w, 1)
		p.Flags |= wire.Resend
		f.leave(f.handle(f.now, arrival(p)))
	}
	f.drain()
	if n, lost := f.count(atp.Partials.String()), f.count(CountDiffer); n != 1 || lost != 0 {
		t.Errorf("%d partial sums went on, %d were dropped: want 1 and 0", n, lost)
	}
	if got := f.has[[2]uint32{1, 1}]; got != 1<<sources-1 {
		t.Errorf("the server has %b", got)
	}
	if f.e.Remembers() {
		t.Error("the chip still holds a half")
	}
}

// A sum that has passed the second passes of others comes back until they are there, a bounded number of
// times: they may be lost.
func TestSumWaitsForSecondPasses(t *testing.T) {
	for name, tc := range map[string]struct {
		resubmit               units.Duration
		results, rounds, drops uint64
	}{
		"as fast as sums": {tofino.ResubmitTime, 1, 0, 0}, // but for the way into the ingress
		"slower":          {1500 * units.Nanosecond, 1, 3, 0},
		"for long":        {units.Millisecond, 0, maxRounds, 1},
	} {
		t.Run(name, func(t *testing.T) {
			timing := Timing()
			timing.Resubmit = tc.resubmit
			f := sourcesOf(t, 2, timing)
			for w := range 2 {
				f.leave(f.handle(units.Time(w), arrival(f.gradient(1, w, 1))))
			}
			f.drain()
			got := [3]uint64{f.count(atp.Results.String()), f.count(CountRound), f.count(CountDiffer)}
			if want := [3]uint64{tc.results, tc.rounds, tc.drops}; got != want {
				t.Errorf("results, rounds and drops are %d, want %d", got, want)
			}
		})
	}
}

// A sum that comes back to look has its source in the half only if nobody has freed it: what others put there since is
// no sum of all.
func TestSumLooksAtAFreedHalf(t *testing.T) {
	timing := Timing()
	timing.Resubmit = 1500 * units.Nanosecond
	f := sourcesOf(t, 2, timing)
	for w := range 2 {
		f.leave(f.handle(units.Time(w), arrival(f.gradient(1, w, 1))))
	}
	at := units.Time(0).Add(1600 * units.Nanosecond) // the sum has just looked; source 0 reserves the second half before it does again
	f.leave(f.until(at))
	f.e.Forget(at)
	f.drain()
	if n := f.count(CountDiffer); n != 1 {
		t.Errorf("%d sums were dropped, want 1", n)
	}
}

// What collided stays behind sums that were complete before, which take two passes: workers take parameters out
// of order for a loss (§3.7).
func TestCollidedPacketsDoNotPassSums(t *testing.T) {
	f := sourcesOf(t, 1, Timing())
	var got []uint32
	leave := func(frames []sent) {
		for i := range frames {
			got = append(got, frames[i].header().Sequence)
		}
	}
	const sequences = 9 // of three aggregators
	for i := range uint32(sequences) {
		leave(f.handle(units.Time(i), arrival(f.gradient(1, 0, 1+i))))
	}
	leave(f.until(units.Never - 1))
	if want := []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9}; !slices.Equal(got, want) || f.count(atp.Collisions.String()) != sequences-3 {
		t.Errorf("numbers leave in the order of %d", got)
	}
}

// sourcesOf is a flood of one job of so many sources at its first switch, which sends nothing by itself.
func sourcesOf(t *testing.T, sources int, timing tofino.Timing) *flood {
	t.Helper()
	f := newFlood(t, 1, timing)
	f.cfg = configOf(3, []int{0}, []int{sources})
	f.chip = newChip(t, f.cfg, Options{Timing: &timing})
	return f
}
