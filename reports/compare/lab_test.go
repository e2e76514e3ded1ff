package compare

import (
	"testing"

	"github.com/inalab/inalab/internal/result"
)

// A job of a sweep is held against the first point of its own lab, and where what else runs
// is swept, against the first point.
func TestInflationInALab(t *testing.T) {
	at := func(index int, lab string, ms float64) result.Cell {
		c := cell("ring", 0, []float64{ms, ms})
		c.Job, c.Lab = "b", lab
		c.Point = result.Point{Index: index, Keys: []result.Swept{{Key: "link.loss", Value: string(rune('0' + index))}}}
		return c
	}
	rows := Rows([]result.Cell{
		at(0, "ring + x", 100), at(0, "ring + y", 200), at(1, "ring + x", 150), at(1, "ring + y", 400), at(1, "ring + z", 300),
	}, baseline)
	want := map[string]float64{"ring + x": 1.5, "ring + y": 2, "ring + z": 3}
	for _, r := range rows[2:] {
		if r.Inflation == nil || *r.Inflation != want[r.Lab] {
			t.Errorf("in the lab of %s a job takes %v times as long, want %v", r.Lab, r.Inflation, want[r.Lab])
		}
	}
}
