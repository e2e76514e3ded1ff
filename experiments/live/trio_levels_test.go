package live

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
)

// The PFEs whose packets are counted are those that aggregate.
func TestPFEsOfLevels(t *testing.T) {
	for _, r := range levels() {
		j, err := r.job(&experiment.Env{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, e := range j.Layout.Engines {
			if !strings.Contains(e.Node, "/") {
				e.Node += "/engine"
			}
			want = append(want, e.Node)
		}
		if got := pfesOf(&r); !slices.Equal(got, want) {
			t.Errorf("%s: counts at %v, want %v", r.name, got, want)
		}
	}
}
