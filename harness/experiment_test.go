package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

var errBroken = errors.New("broken")

// fake answers each job with a compute time, and fails at one of them.
type fake struct {
	compute map[string]units.Duration // by name
	fail    string                    // name of the job that fails
	samples int                       // of the job that fails
	counted bool                      // so is what was counted in it
}

func name(system string, p float64, seed uint64) string {
	return fmt.Sprintf("%s %g %d", system, p, seed)
}

func (f fake) RunSet(_ context.Context, set *job.Set, progress func([]result.Sample)) ([]result.Cell, error) {
	j := set.First()
	c := j.Cell()
	c.Compute = f.compute[name(j.System.Name(), j.StraggleP, uint64(j.Seed))]
	if name(j.System.Name(), j.StraggleP, uint64(j.Seed)) != f.fail {
		c.Samples = make([]result.Sample, j.Iterations)
		progress(c.Samples)
		return []result.Cell{c}, nil
	}
	c.Samples = make([]result.Sample, f.samples)
	if f.counted {
		c.Counters = []result.Counter{{Node: "tor", Name: "lost", N: 1}}
	}
	return []result.Cell{c}, errBroken
}

// witness counts what an observer is told.
type witness struct{ began, samples, ended, failed int }

func (w *witness) Began(int, int, *job.Set)              { w.began++ }
func (w *witness) Samples(_ *job.Set, s []result.Sample) { w.samples += len(s) }
func (w *witness) Ended(_ *job.Set, _ []result.Cell, err error) {
	w.ended++
	if err != nil {
		w.failed++
	}
}

const iterations = 3

// jobs are a ring and a SwitchML at two probabilities, for each seed.
func jobs(t *testing.T, seeds ...rng.Root) (out []*job.Job) {
	t.Helper()
	return jobsOn(t, false, seeds...)
}

func jobsOn(t *testing.T, virtual bool, seeds ...rng.Root) (out []*job.Job) {
	t.Helper()
	link := topo.LinkSpec{Rate: 500 * units.MbitPerSecond}
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 2, Link: link, MTU: 9000})
	model, err := profiles.Lookup("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range seeds {
		for _, probability := range []float64{0, 0.04} {
			for _, system := range []job.System{ring.System{}, switchml.System{}} {
				j, err := job.New(job.Spec{System: system, Plan: p, Model: model, Scale: 200, Iterations: iterations, Seed: seed, StraggleP: probability, Virtual: virtual})
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, j)
			}
		}
	}
	return out
}

func names(cells []result.Cell) (out []string) {
	for _, c := range cells {
		out = append(out, name(c.System, c.StraggleP, c.Seed))
	}
	return out
}

// Each seed has an ideal of its own, before its cells, with the compute time of
// its runs without stragglers.
func TestIdealOfEachSeed(t *testing.T) {
	list := jobs(t, 1, 2)
	f := fake{compute: map[string]units.Duration{
		"ring 0 1": 100 * units.Millisecond, "switchml256 0 1": 104 * units.Millisecond, "ring 0.04 1": units.Second,
		"switchml256 0.04 2": 90 * units.Millisecond, // the only run of this seed that knows
	}}
	var w witness
	cells, err := Experiment{Sets: job.Each(list)}.Run(t.Context(), f, &w)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ideal 0 1", "ring 0 1", "switchml256 0 1", "ring 0.04 1", "switchml256 0.04 1",
		"ideal 0 2", "ring 0 2", "switchml256 0 2", "ring 0.04 2", "switchml256 0.04 2",
	}
	if got := names(cells); !slices.Equal(got, want) {
		t.Fatalf("cells %q, want %q", got, want)
	}
	ring := list[0].Ideal() - list[0].Model.Compute
	if ring <= 0 {
		t.Fatalf("the ring takes %v", ring)
	}
	for at, compute := range map[int]units.Duration{0: 102 * units.Millisecond, 5: 90 * units.Millisecond} {
		if got := cells[at].Computed; got != ring+compute {
			t.Errorf("ideal of seed %d is %v, want %v", cells[at].Seed, got, ring+compute)
		}
	}
	if w != (witness{8, 8 * iterations, 8, 0}) {
		t.Errorf("the observer saw %+v", w)
	}
}

func TestIdealIsNominalWhereNothingWasMeasured(t *testing.T) {
	list := jobs(t, 1)
	cells, err := Experiment{Sets: job.Each(list)}.Run(t.Context(), fake{}, &witness{})
	if err != nil || cells[0].System != job.Ideal || cells[0].Computed != list[0].Ideal() {
		t.Errorf("%v, first cell %s %v, want %v", err, cells[0].System, cells[0].Computed, list[0].Ideal())
	}
}

// What ran before a failure is kept, and so are the samples of the failed run, and what was counted in it.
func TestFailure(t *testing.T) {
	for _, c := range []struct {
		fail    string
		samples int
		counted bool
		want    []string
	}{
		{"ring 0 1", 0, false, nil},
		{"ring 0 1", 0, true, []string{"ring 0 1"}},
		{"ring 0 1", 1, true, []string{"ideal 0 1", "ring 0 1"}},
		{"ring 0.04 1", 0, false, []string{"ideal 0 1", "ring 0 1", "switchml256 0 1"}},
		{"ring 0.04 1", 0, true, []string{"ideal 0 1", "ring 0 1", "switchml256 0 1", "ring 0.04 1"}},
		{"ring 0.04 1", 2, false, []string{"ideal 0 1", "ring 0 1", "switchml256 0 1", "ring 0.04 1"}},
	} {
		var w witness
		cells, err := Experiment{Sets: job.Each(jobs(t, 1))}.Run(t.Context(), fake{fail: c.fail, samples: c.samples, counted: c.counted}, &w)
		if !errors.Is(err, errBroken) || w.failed != 1 || w.began != w.ended {
			t.Errorf("%s: %v, the observer saw %+v", c.fail, err, w)
		}
		if got := names(cells); !slices.Equal(got, c.want) {
			t.Errorf("%s with %d samples: cells %q, want %q", c.fail, c.samples, got, c.want)
		}
		if c.samples > 0 && !strings.Contains(strings.Join(cells[len(cells)-1].Notes, "; "), "with an error") {
			t.Errorf("%s: notes %q", c.fail, cells[len(cells)-1].Notes)
		}
	}
}

// A second seed that fails at once has nothing to compute an ideal for.
func TestFailureOfTheSecondSeed(t *testing.T) {
	cells, err := Experiment{Sets: job.Each(jobs(t, 1, 2))}.Run(t.Context(), fake{fail: "ring 0 2"}, &witness{})
	want := []string{"ideal 0 1", "ring 0 1", "switchml256 0 1", "ring 0.04 1", "switchml256 0.04 1"}
	if got := names(cells); err == nil || !slices.Equal(got, want) {
		t.Errorf("%v, cells %q, want %q", err, got, want)
	}
}
