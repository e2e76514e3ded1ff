package switchml

import (
	"errors"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

var _ dataplane.Managed = (*Program)(nil)

func words(row []dataplane.Value) (out []string) {
	for _, v := range row {
		out = append(out, v.String())
	}
	return out
}

// Slots that wait are listed with who is missing; complete ones are not.
func TestViews(t *testing.T) {
	b := newBench(t, testConfig(3, 4))
	b.send(vector{w: 0, slot: 2, id: 8, values: []int32{1}}, vector{w: 2, slot: 2, id: 8, values: []int32{1}})
	for w := range 3 {
		b.send(vector{w: w, slot: 1, values: []int32{1}})
	}
	slots := b.p.View(units.Time(2*units.Microsecond), dataplane.ViewSlots, 10)
	if want := []string{"2", "8", "2", "3", "1", "2"}; len(slots.Rows) != 1 || !slices.Equal(words(slots.Rows[0]), want) {
		t.Errorf("slots %v, want %v", slots.Rows, want)
	}
	jobs := b.p.View(units.Time(2*units.Microsecond), dataplane.ViewJobs, 10)
	if want := []string{"1", "3", "64", "4", "1", "5", "1", "0", "2"}; len(jobs.Rows) != 1 || !slices.Equal(words(jobs.Rows[0]), want) {
		t.Errorf("jobs %v, want %v", jobs.Rows, want)
	}
	for _, v := range b.p.Views() {
		if table := b.p.View(0, v, 1); len(table.Rows) == 0 || len(table.Rows[0]) != len(table.Columns) {
			t.Errorf("view %s: %d values for %d columns", v, len(table.Rows[0]), len(table.Columns))
		}
	}
}

// The pool is the job's from the start: it stays, and says so.
func TestJobIsFixed(t *testing.T) {
	b := newBench(t, testConfig(2, 4))
	_, add := b.p.AddJob(0, nil)
	_, remove := b.p.RemoveJob(0, 1)
	for _, err := range []error{add, remove} {
		var r *dataplane.Refusal
		if !errors.As(err, &r) || r.Reason != dataplane.RefusedUnsupported {
			t.Errorf("%v", err)
		}
	}
	b.send(vector{w: 0, values: []int32{1}})
	if out := b.send(vector{w: 1, values: []int32{2}}); len(out) != 2 {
		t.Errorf("%d results after the refusals", len(out))
	}
}
