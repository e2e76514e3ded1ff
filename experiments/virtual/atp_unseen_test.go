package virtual

import (
	"math"
	"slices"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/internal/result"
)

// Settings that were predicted come out as the ledger expects.
func TestATPUnseen(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets, many times slower under the race detector")
	}
	for _, x := range []experiment.Experiment{atpFourRacks(), atpSixteenJobs(), atpJobOff()} {
		t.Run(x.ID, func(t *testing.T) {
			t.Parallel()
			experimenttest.Run(t, &x)
		})
	}
}

// The mean and the deviation of drawn indexes are those of all draws, each counted.
func TestOccupancy(t *testing.T) {
	for _, o := range []occupancy{{table: 4, jobs: 3, places: 1}, {table: 4, jobs: 1, places: 3}, {table: 5, jobs: 2, places: 2}, {table: 5, jobs: 2, places: 2, apart: true}, {table: 4, jobs: 3, places: 2, apart: true}} {
		var sum, squares, lone, n float64
		o.draw(nil, func(drawn []int) {
			used, alone := 0.0, 0.0
			for i := range o.table {
				k := len(slices.DeleteFunc(slices.Clone(drawn), func(x int) bool { return x != i }))
				if k > 0 {
					used++
				}
				if k == 1 {
					alone++
				}
			}
			sum, squares, lone, n = sum+used, squares+used*used, lone+alone, n+1
		})
		mean := sum / n
		if got, want := o.spread(), math.Sqrt(squares/n-mean*mean); math.Abs(o.used()-mean) > 1e-9 || math.Abs(got-want) > 1e-6 {
			t.Errorf("%+v: %v with a deviation of %v, want %v and %v", o, o.used(), got, mean, want)
		}
		if o.apart && math.Abs(o.alone()-lone/n) > 1e-9 {
			t.Errorf("%+v: %v of a single place, want %v", o, o.alone(), lone/n)
		}
	}
}

// draw calls f with each way to draw what is left.
func (o occupancy) draw(drawn []int, f func([]int)) {
	if len(drawn) == o.jobs*o.places {
		f(drawn)
		return
	}
	own := drawn[len(drawn)/o.places*o.places:] // of the job at hand
	for i := range o.table {
		if !o.apart || !slices.Contains(own, i) {
			o.draw(append(slices.Clone(drawn), i), f)
		}
	}
}

// An interval says how far outside a value is.
func TestInterval(t *testing.T) {
	i := interval{10, 20}
	for x, want := range map[float64]float64{10: 0, 15: 0, 20: 0, 9: 10, 22: 10} {
		if got := i.outside(x); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v is %v%% outside of %v, want %v", x, got, i, want)
		}
	}
}

// Frames of a fragment, by hand: the server in the rack of two, behind racks of 5, 4 and 1.
func TestPredictLinks(t *testing.T) {
	for by, want := range [racksKinds]links{
		byTwoLevels: {up: [4]uint64{1, 1, 1, 1}, down: [4]uint64{1, 1, 3, 1}, server: 1, answers: 1},
		byRacks:     {up: [4]uint64{1, 1, 1, 1}, down: [4]uint64{1, 1, 3, 1}, server: 4, answers: 1},
		byNobody:    {up: [4]uint64{5, 4, 1, 1}, down: [4]uint64{1, 1, 10, 1}, server: 12, answers: 1},
	} {
		if got := predictLinks(racksBy(by), 2); got != want {
			t.Errorf("%s: %+v, want %+v", racksByNames[by], got, want)
		}
	}
}

// Each frame too many or too few counts, on each link.
func TestFramesOff(t *testing.T) {
	r := racksRun{by: byRacks, at: 2, fragments: 2, predicted: predictLinks(byRacks, 2)}
	c := result.Cell{Links: []result.Link{
		{Name: "tor0:p5->core:p0", Frames: 2}, {Name: "tor1:p5->core:p1", Frames: 2}, {Name: "tor2:p5->core:p2", Frames: 2}, {Name: "tor3:p5->core:p3", Frames: 2},
		{Name: "core:p0->tor0:p5", Frames: 2}, {Name: "core:p1->tor1:p5", Frames: 2}, {Name: "core:p2->tor2:p5", Frames: 6}, {Name: "core:p3->tor3:p5", Frames: 2},
		{Name: "tor2:p0->h17:eth0", Frames: 8}, {Name: "h17:eth0->tor2:p0", Frames: 2}, {Name: "h1:eth0->tor0:p0", Frames: 100},
	}}
	for i := -1; i < len(c.Links)-1; i++ { // -1: all as predicted
		for _, more := range []int{-1, 1} {
			run, cell := r, c
			cell.Links = slices.Clone(c.Links)
			want := uint64(0)
			if i >= 0 {
				cell.Links[i].Frames += uint64(more) // wraps: one less
				want = 1
			}
			if run.take(&cell, "h17:"); run.off() != want {
				t.Errorf("link %d has %d more: %d frames off, want %d", i, more, run.off(), want)
			}
		}
	}
}
