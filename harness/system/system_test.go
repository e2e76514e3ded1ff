package system

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
)

// Tables show all-reduce without help from the network, then with it; systems without
// a place of their own come last.
func TestOrderOfTables(t *testing.T) {
	list := All()
	slices.SortFunc(list, func(a, b job.System) int {
		return cmp.Or(cmp.Compare(job.Rank(a), job.Rank(b)), cmp.Compare(a.Name(), b.Name()))
	})
	const want = "ring halving ps switchml256 switchml64 trioml switchml-rdma"
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
