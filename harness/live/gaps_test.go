package live

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/internal/result"
)

// A worker that was killed may have recorded more than was heard of it, or less. What another one in
// its place left out is no gap.
func TestGap(t *testing.T) {
	for name, tc := range map[string]struct {
		recorded   []int // generations of 10
		from, heir int
		want       check.Gap
	}{
		"as it said":             {[]int{0, 1, 2, 6, 7, 8, 9}, 3, 6, check.Gap{From: 3, To: 6}},
		"said, but not recorded": {[]int{0, 1, 6, 7, 8, 9}, 3, 6, check.Gap{From: 2, To: 6}},
		"recorded, but not said": {[]int{0, 1, 2, 3, 4, 6, 7, 8, 9}, 3, 6, check.Gap{From: 5, To: 6}},
		"nobody came":            {[]int{0, 1, 2, 3}, 3, 10, check.Gap{From: 4, To: 10}},
		"at the very start":      {[]int{4, 5, 6, 7, 8, 9}, 0, 4, check.Gap{From: 0, To: 4}},
		"no gap":                 {[]int{0, 1, 2, 3, 4, 5, 6, 8, 9}, 3, 5, check.Gap{From: 5, To: 5}},
		"the heir has a hole":    {[]int{0, 1, 2, 5, 6, 8, 9}, 3, 5, check.Gap{From: 3, To: 5}},
	} {
		got, err := gap(result.Away{From: tc.from}, tc.heir, 10, func(_, gen int) ([]int32, error) {
			if slices.Contains(tc.recorded, gen) {
				return []int32{1}, nil
			}
			return nil, nil
		})
		if err != nil || got != tc.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tc.want)
		}
	}
}
