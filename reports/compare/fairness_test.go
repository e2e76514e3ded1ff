package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/stat"
)

// indexes says the index of each row.
func indexes(rows []Row) string {
	share(rows)
	var out []string
	for i := range rows {
		text := "-"
		if rows[i].Jain != nil {
			text = fmt.Sprintf("%.3f", *rows[i].Jain)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// Rates of 3 and 1 have the index 16/20; a job of another model, a job alone, the ideal and what
// is not to be believed have no part in it.
func TestFairness(t *testing.T) {
	row := func(system, job, model string, ms float64) Row {
		return Row{System: system, Job: job, Model: model, Topology: "rack", Seed: 1, Iter: stat.Mean([]float64{ms, ms})}
	}
	ideal := row("ring", "a", "small", 1)
	ideal.Computed = true
	invalid := row("ring", "d", "small", 1)
	invalid.Fidelity.Verdict = result.Invalid
	got := indexes([]Row{
		row("ring", "a", "small", 100), row("ring", "b", "small", 300), row("ring", "c", "large", 900), ideal, row("other", "", "small", 5), invalid,
	})
	if want := "0.800 0.800 - - - -"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Jobs of one model have a part in it whatever their systems; the same jobs beside others are
// another run.
func TestFairnessOfALabOfSeveralSystems(t *testing.T) {
	row := func(system, job, lab string, ms float64) Row {
		return Row{System: system, Job: job, Lab: lab, Model: "small", Topology: "rack", Seed: 1, Iter: stat.Mean([]float64{ms, ms})}
	}
	got := indexes([]Row{
		row("ring", "a", "ring + x", 100), row("ring", "a", "ring + y", 100), row("x", "b", "ring + x", 300), row("y", "b", "ring + y", 100),
	})
	if want := "0.800 1.000 0.800 1.000"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The rate of a job is of its iterations, without its pauses, and of one worker.
func TestThroughputOfAJob(t *testing.T) {
	const ms = units.Time(units.Millisecond)
	c := result.Cell{
		Samples: []result.Sample{{Start: 0, End: 2 * ms}, {Worker: 1, Start: 0, End: 2 * ms}, {Iteration: 1, Start: 10 * ms, End: 12 * ms}, {Worker: 1, Iteration: 1, Start: 10 * ms, End: 12 * ms}},
		Throughput: []result.Throughput{
			{Kind: "tcp", Series: result.Series{Interval: units.Millisecond, Bytes: []units.Bytes{7}}},
			{Kind: result.KindJob, Series: result.Series{Interval: units.Millisecond, Bytes: []units.Bytes{600, 400}}},
		},
	}
	if got := throughput(&c); got == nil || *got != 1e6 { // 8 kbit in 8 ms of two workers
		t.Errorf("%v, want 1 Mbit/s", got)
	}
	c.Throughput = nil
	if got := throughput(&c); got != nil {
		t.Errorf("%v of a run without series", *got)
	}
}
