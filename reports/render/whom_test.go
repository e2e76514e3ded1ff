package render

import (
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/compare"
)

// tenants are two jobs of two systems at two points of a sweep, and what is computed of them.
func tenants() (rows []compare.Row) {
	for i, pool := range []string{"4", "2"} {
		for _, system := range []string{"ideal", "x", "y"} {
			for _, job := range []string{"a", "b"} {
				p := result.Point{Index: i, Keys: []result.Swept{{Key: "pool", Value: pool}}}
				rows = append(rows, compare.Row{System: system, Job: job, Model: "small", Clock: "virtual", Seed: 1, Point: p, Computed: system == "ideal"})
			}
		}
	}
	return rows
}

// Rows are named by the widest sets that they fill; what is computed is in none.
func TestNamesOfRows(t *testing.T) {
	for want, in := range map[string]func(i int, r *compare.Row) bool{
		"all rows":          func(int, *compare.Row) bool { return true },
		"all runs":          func(_ int, r *compare.Row) bool { return !r.Computed },
		"y":                 func(_ int, r *compare.Row) bool { return r.System == "y" },
		"job b":             func(_ int, r *compare.Row) bool { return r.Job == "b" && !r.Computed },
		"x job a":           func(_ int, r *compare.Row) bool { return r.System == "x" && r.Job == "a" },
		"x pool=2":          func(_ int, r *compare.Row) bool { return r.System == "x" && r.Point.Index == 1 },
		"x pool=4 job a, y": func(i int, r *compare.Row) bool { return i == 2 || r.System == "y" },
		"x pool=4 job a":    func(i int, _ *compare.Row) bool { return i == 2 },
		"x job a, y pool=2": func(_ int, r *compare.Row) bool {
			return r.System == "x" && r.Job == "a" || r.System == "y" && r.Point.Index == 1
		},
		"job a, x pool=4": func(i int, r *compare.Row) bool { return r.Job == "a" && !r.Computed || i == 3 },
	} {
		rows := tenants()
		about := make([]bool, len(rows))
		for i := range rows {
			about[i] = in(i, &rows[i])
		}
		if got := whom(rows, about); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
