package compare

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/result"
)

// The mean and the reach of the workers, and the longest delay; iterations that not every worker finished are left out.
func TestIterations(t *testing.T) {
	c := cell("ring", 0, []float64{10, 20, 30}, []float64{14, 20, 30})
	c.Samples[1].Delay, c.Samples[4].Delay = 3*ms, 5*ms // both of iteration 1
	c.Samples = c.Samples[:5]                           // the second worker did not finish iteration 2
	want := []Iteration{{Index: 0, Mean: 12, Least: 10, Most: 14}, {Index: 1, Mean: 20, Least: 20, Most: 20, Delay: 5}}
	if got := Iterations(c); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A ratio is that of the means of the iterations that both runs have.
func TestRatio(t *testing.T) {
	a, b := cell("ring", 0, []float64{20, 40, 60}), cell("trioml", 0, []float64{10, 20, 30, 1000})
	if got := Ratio(a, b); got.N != 3 || got.Value != 2 {
		t.Errorf("got %v over %d", got.Value, got.N)
	}
}

// A row is of its own cell and of no other.
func TestIsOf(t *testing.T) {
	cells := []result.Cell{cell("ring", 0, []float64{10, 20}), cell("ring", 0.04, []float64{10, 20}), cell("trioml", 0, []float64{10, 20})}
	for _, change := range []func(*result.Cell){
		func(c *result.Cell) { c.Job = "b" }, func(c *result.Cell) { c.Topology = "mx480" }, func(c *result.Cell) { c.Seed = 2 },
		func(c *result.Cell) { c.Lab = "l" }, func(c *result.Cell) { c.Point.Index = 1 }, func(c *result.Cell) { c.Scale = 7 },
	} {
		c := cell("ring", 0, []float64{10, 20})
		change(&c)
		cells = append(cells, c)
	}
	for _, row := range Rows(cells, baseline) {
		n := 0
		for i := range cells {
			if row.IsOf(&cells[i]) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s at %v is of %d cells", row.System, row.StraggleP, n)
		}
	}
}
