package virtual

import (
	"math"
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/figure"
)

// Collisions have ended when servers add less than a hundredth from then on.
func TestCollisionsSettle(t *testing.T) {
	for _, test := range []struct {
		single []units.Bytes
		last   int
		ok     bool
		left   float64
	}{
		{[]units.Bytes{1000, 500, 9, 300, 10, 9, 0, 4, 99}, 4, true, 0.2},
		{[]units.Bytes{1000, 0, 0, 0, 0, 0, 0, 10, 0}, 7, false, 0.5},
	} {
		r := rehashing{}
		all := make([]units.Bytes, len(test.single))
		for i := range all {
			all[i] = 2*fig13Jobs*span13b - test.single[i]
		}
		series := func(bytes []units.Bytes) result.Series { return result.Series{Interval: interval13b, Bytes: bytes} }
		r.take([]result.Cell{{Aggregations: []result.Aggregation{
			{Kind: result.KindSwitch, Series: series(all)}, {Kind: result.KindServer, Series: series(test.single)},
		}}})
		last, ok := r.settles()
		if last != test.last || ok != test.ok || len(r.single) != len(test.single)-1 {
			t.Errorf("%v: the last of %d intervals is %d, %v; want %d, %v", test.single, len(r.single), last, ok, test.last, test.ok)
		}
		if got := r.windows(last); got != float64(test.last+1) || math.Abs(r.left()-test.left) > 1e-9 {
			t.Errorf("%v: %g windows by then, %g%% left; want %d, %g%%", test.single, got, r.left(), test.last+1, test.left)
		}
		if f := settlingFigure([]rehashing{r}); len(f.Panels) != 2 {
			t.Errorf("%d panels", len(f.Panels))
		}
	}
	none := rehashing{single: []float64{100, 0, 50}}
	if got := none.series("x").Points; len(got) != 2 || got[1] != (figure.Point{X: 3, Y: 50}) {
		t.Errorf("points %v: what is 0 has no place on a logarithmic axis", got)
	}
}

// The claim is of any number of jobs, not of the largest.
func TestLeastOverJobs(t *testing.T) {
	points := []crowd{{rate: [schemes]float64{hashed: 9, static: 10}}, {rate: [schemes]float64{hashed: 4, static: 8}}, {rate: [schemes]float64{hashed: 3, static: 3}}}
	if got := leastOf(points, hashed, static); got != 0.5 {
		t.Errorf("the least is %g, want 0.5", got)
	}
}
