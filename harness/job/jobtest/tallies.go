package jobtest

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
)

// Tallies fails the test where a system does not make some numbers of counters, by their keys, and zeros of none.
func Tallies(t testing.TB, sys job.Tallied, j *job.Job, counters []result.Counter, want map[string]float64) {
	t.Helper()
	for _, counted := range [][]result.Counter{counters, nil} {
		got := sys.Tallies(j, counted)
		if len(got) != len(want) {
			t.Errorf("%d numbers, want %d", len(got), len(want))
		}
		for _, n := range got {
			w := want[n.Key]
			if counted == nil {
				w = 0
			}
			if n.Value != w || n.Unit == "" || n.About == "" {
				t.Errorf("%+v, want %v, with a unit and a phrase", n, w)
			}
		}
	}
}
