package pipeline

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

var _ dataplane.Refuser = (*Engine)(nil)

// strictTwin is a twin with two jobs: workers 0 and 1 in one, 2 and 3 in the other, of 64 values
// and 4 slots each. The second refuses misfits.
func strictTwin(t rapid.TB) *twin {
	t.Helper()
	cfg := bareConfig()
	cfg.Jobs = []switchml.Job{jobOf(1, 64, 4, 0, 2), jobOf(2, 64, 4, 2, 2)}
	cfg.Jobs[1].Strict, cfg.Jobs[1].Session = true, 77
	return newTwin(t, cfg, Options{})
}

// beyond is a packet of a worker outside its slots.
func beyond(w int) vector {
	v := packetOf(w, 0, 64)
	v.slot = 4
	return v
}

const tooFar = "job 2 (session 77) is refused: worker 3 sends to slot 4, and the job has slots 0 to 3: give it more, or the client fewer threads or packets outstanding: " +
	"T threads with M packets each need (2T-1)M slots"

// The first packet beyond the slots refuses a job: it takes nothing any more, is named, and can
// be set up again. What was sent before it in its batch counts.
func TestJobBeyondItsSlotsIsRefused(t *testing.T) {
	w := strictTwin(t)
	if r := w.e.Refusals(0); r != nil {
		t.Errorf("at first %v", r)
	}
	w.give(arrivalOfVector(packetOf(2, 0, 64)))
	batch := []sansio.Arrival{arrivalOfVector(beyond(3)), arrivalOfVector(packetOf(3, 0, 64))}
	if out := w.give(batch...); len(out) != 2 {
		t.Errorf("%d results of the batch, want 2", len(out))
	}
	for _, v := range []vector{packetOf(2, 1, 64), packetOf(3, 0, 64), beyond(2)} {
		if out := w.give(arrivalOfVector(v)); len(out) != 0 {
			t.Errorf("%d packets leave for a refused job", len(out))
		}
	}
	w.agree()
	for _, e := range []dataplane.Refuser{w.e, w.ref} {
		if got := e.Refusals(0); !slices.Equal(got, []dataplane.JobRefusal{{Job: 2, Number: 1, Why: tooFar}}) || e.Refusals(1) != nil {
			t.Errorf("refusals %+v", got)
		}
	}
	if n := w.count(switchml.DropRefused); n != 3 {
		t.Errorf("%d packets of a refused job, want 3", n)
	}
	if v := w.e.View(0, dataplane.ViewJobs, 10); !slices.Equal(v.Notes, []string{tooFar}) || stateInView(v, 0) != "runs" || stateInView(v, 1) != "refused" {
		t.Errorf("view %v %v", v.Rows, v.Notes)
	}
	again := jobOf(2, 64, 5, 2, 2)
	for _, e := range []dataplane.Managed{w.e, w.ref} {
		if _, err := e.RemoveJob(0, 2); err != nil {
			t.Fatal(err)
		}
		if _, err := e.AddJob(0, &again); err != nil {
			t.Fatal(err)
		}
	}
	w.give(arrivalOfVector(beyond(2)))
	if out := w.give(arrivalOfVector(beyond(3))); len(out) != 2 {
		t.Errorf("%d results of a job that was set up again, want 2", len(out))
	}
	w.agree()
}

// stateInView is the state of a job in the view of jobs.
func stateInView(v dataplane.Table, row int) string {
	return v.Rows[row][slices.IndexFunc(v.Columns, func(c dataplane.Column) bool { return c.Key == "state" })].String()
}

// So does one of another size.
func TestJobOfTwoSizesIsRefused(t *testing.T) {
	w := strictTwin(t)
	w.give(arrivalOfVector(packetOf(2, 0, 256)))
	w.agree()
	if got := w.e.Refusals(0); len(got) != 1 || !strings.HasSuffix(got[0].Why, "worker 2 sends packets of another size than that of the job, 64 values: give all clients one size") {
		t.Errorf("refusals %+v", got)
	}
}

// What is no packet of a client's job, or comes from nobody, refuses none; nor does any packet
// a job that is not strict.
func TestWhatRefusesNoJob(t *testing.T) {
	w := strictTwin(t)
	for worker := range 4 {
		v := packetOf(worker, 0, 64)
		w.give(misfit(v, -1, 0, 0))
	}
	w.give(arrivalOfVector(beyond(0)))
	w.give(arrivalOfVector(packetOf(1, 0, 256)))
	w.give(arrivalOfVector(beyond(9)))
	w.agree()
	if got := w.e.Refusals(0); got != nil {
		t.Errorf("refusals %+v", got)
	}
}

// With either engine misfits refuse their jobs alike, and no packet of another job goes
// otherwise.
func TestRefusalsDisturbNobody(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		jobs := drawJobs(t, 2)
		first := 0
		for _, j := range jobs {
			first += len(j.Workers)
		}
		cfg := bareConfig()
		cfg.Jobs = append(slices.Clone(jobs), jobOf(9, 64, 2, first, 2))
		cfg.Jobs[len(jobs)].Strict = true
		w, alone := newTwin(t, cfg, Options{}), newTwin(t, cfg, Options{})
		x := newTraffic(t, jobs, rapid.Bool().Draw(t, "fifo"))
		give := func(a sansio.Arrival) []sent {
			want := alone.give(cloneArrival(a))
			if got := w.give(a); !slices.EqualFunc(want, got, sameFrame) {
				t.Fatalf("%d packets leave, %d without a refused job:\n%s", len(got), len(want), difference(got, want))
			}
			return want
		}
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			x.step(give)
			if rapid.IntRange(0, 9).Draw(t, "misfit") > 0 {
				continue
			}
			v := packetOf(first+rapid.IntRange(0, 1).Draw(t, "worker"), 0, rapid.SampledFrom([]int{64, 256}).Draw(t, "values"))
			v.slot = uint16(rapid.IntRange(0, 4).Draw(t, "slot"))
			w.give(arrivalOfVector(v))
		}
		w.agree()
		x.heal(give)
		w.agree()
		refused += len(w.e.Refusals(0))
	})
	if refused == 0 {
		t.Error("no job was refused")
	}
}
