package system

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/result"
)

// builtIn returns the systems that these tests speak of. A further one has tests of its
// own.
func builtIn() []job.System {
	names := []string{"ring", "halving", "ps", "switchml64", "switchml180", "switchml256", "switchml-rdma", "trioml"}
	return slices.DeleteFunc(All(), func(s job.System) bool { return !slices.Contains(names, s.Name()) })
}

// Tables show all-reduce without help from the network, then with it; systems without
// a place of their own come last.
func TestOrderOfTables(t *testing.T) {
	list := builtIn()
	slices.SortFunc(list, func(a, b job.System) int {
		return cmp.Or(cmp.Compare(job.Rank(a), job.Rank(b)), cmp.Compare(a.Name(), b.Name()))
	})
	const want = "ring halving ps switchml256 switchml64 switchml180 trioml switchml-rdma"
	if got := strings.Join(job.Names(list), " "); got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}

// The names of columns in summary.csv follow from the baseline: other programs read them.
func TestBaselineOfTables(t *testing.T) {
	want := result.Baseline{System: "switchml256", Key: "switchml", Word: "SwitchML"}
	if got := job.Baseline(All()); got != want {
		t.Errorf("baseline %+v, want %+v", got, want)
	}
}

// Names on the command line of benchmarks stay.
func TestNamesOfBenchmarks(t *testing.T) {
	list := job.Benches(builtIn(), job.BenchLimits{Window: 512})
	var names, sim []string
	for _, b := range list {
		names = append(names, b.Name)
		if b.Sim {
			sim = append(sim, b.System.Name())
		}
	}
	if got := strings.Join(names, " "); got != "ring halving ps ps-dedicated ps-nto1 switchml64 switchml256 trioml" {
		t.Errorf("measured are %s", got)
	}
	if got := strings.Join(sim, " "); got != "ring switchml256 trioml" {
		t.Errorf("by default, under the virtual clock, %s", got)
	}
	for name, want := range map[string]string{"switchml": "switchml256", "switchml64": "switchml64", "ps-dedicated": "ps-dedicated"} {
		if b, err := job.FindBench(list, name); err != nil || b.Name != want {
			t.Errorf("%s is %s, %v", name, b.Name, err)
		}
	}
	const refused = `system "pss": allowed are ring, halving, ps, ps-dedicated, ps-nto1, switchml64, switchml256, trioml; did you mean "ps"?`
	if _, err := job.FindBench(list, "pss"); err == nil || err.Error() != refused {
		t.Errorf("error %v", err)
	}
}

// A window that is full at scale 1 stays so where the tensor is divided; what has none
// stays as it is.
func TestFullWindows(t *testing.T) {
	for _, s := range All() {
		if _, windowed := s.(job.Windowed); !windowed {
			if got := job.FullWindow(s, 4); got != s {
				t.Errorf("%s became %+v", s.Name(), got)
			}
			continue
		}
		spec := jobtest.Staffed(t, s, "rack", 4)
		spec.Elements, spec.Virtual = 1<<20, true
		full := jobtest.New(t, spec).Layout.Window
		spec.System, spec.Scale = job.FullWindow(s, 4), 4
		if got := jobtest.New(t, spec).Layout.Window; got != full {
			t.Errorf("%s: window of %d at scale 4, %d at scale 1", s.Name(), got, full)
		}
	}
}
