package harness

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/inalab/inalab/harness/events"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/nodes/worker"
)

// told writes down all that a run says, in order.
type told struct {
	lines []string
	fail  error
}

func (o *told) Began(i, n int, s *job.Set) {
	o.lines = append(o.lines, fmt.Sprintf("%d of %d, seed %d", i, n, s.First().Seed))
}
func (o *told) Samples(_ *job.Set, s []result.Sample) {
	for i := range s { // how many come together is a matter of time
		o.lines = append(o.lines, fmt.Sprintf("worker %d ends iteration %d at %d", s[i].Worker, s[i].Iteration, s[i].End))
	}
}
func (o *told) Ended(_ *job.Set, cells []result.Cell, err error) {
	c := cells[0]
	o.lines = append(o.lines, fmt.Sprintf("%d samples in all, %d checked, %v", len(c.Samples), c.Checked, err))
}
func (o *told) take(r events.Record) error {
	o.lines = append(o.lines, fmt.Sprintf("%d events of seed %d", len(r.Events), r.Run.Seed))
	return o.fail
}

func virtual(t *testing.T, o *told) Virtual {
	t.Helper()
	images, err := worker.LoadImages()
	if err != nil {
		t.Fatal(err)
	}
	return Virtual{Images: images, Events: Events{Want: events.Want{Mode: events.All}, Take: o.take}}
}

// What comes out of several cores is what one gives: records, and all that is told on the way.
func TestAheadSaysWhatOneCoreSays(t *testing.T) {
	sets := job.Each(jobsOn(t, true, 1, 2))
	var one, several told
	want, err := Experiment{Sets: sets}.Run(t.Context(), virtual(t, &one), &one)
	if err != nil {
		t.Fatal(err)
	}
	ahead := NewAhead(t.Context(), virtual(t, &several), sets, 3)
	defer ahead.Close()
	got, err := Experiment{Sets: sets}.Run(t.Context(), ahead, &several)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the records differ:\n%+v\n%+v", got, want)
	}
	if !reflect.DeepEqual(several.lines, one.lines) {
		t.Errorf("several cores say\n%q\none says\n%q", several.lines, one.lines)
	}
}

// The error of the first job that fails ends the experiment, and nothing goes on behind it.
func TestAheadEnds(t *testing.T) {
	routines := runtime.NumGoroutine()
	broken := told{fail: errors.New("the disk is full")}
	sets := job.Each(jobsOn(t, true, 1, 2))
	ahead := NewAhead(t.Context(), virtual(t, &broken), sets, 2)
	cells, err := Experiment{Sets: sets}.Run(t.Context(), ahead, &broken)
	ahead.Close()
	if !errors.Is(err, broken.fail) || len(cells) != 2 { // the ideal, and the first
		t.Errorf("%d records and %v, want 2 and %v", len(cells), err, broken.fail)
	}
	// A goroutine that is waited for may still be on its way out.
	for until := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > routines; runtime.Gosched() {
		if time.Now().After(until) {
			t.Fatalf("%d goroutines are left, %d before", runtime.NumGoroutine(), routines)
		}
	}

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errBroken)
	ended := NewAhead(ctx, virtual(t, &told{}), sets, 2)
	defer ended.Close()
	if _, err := (Experiment{Sets: sets}).Run(ctx, ended, &told{}); !errors.Is(err, errBroken) {
		t.Errorf("a run that was ended says %v", err)
	}
}
