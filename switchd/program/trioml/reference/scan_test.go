package reference

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

// The lists of the threads, and the next firing that has something to visit,
// are those of a plain list of records.
func TestScanner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		threads := rapid.SampledFrom([]int{1, 2, 63, 64, 65, 100, 200}).Draw(t, "threads")
		s := newScanner(10*units.Millisecond, threads)
		s.firing = int64(rapid.IntRange(0, 3*threads).Draw(t, "firing"))
		var open []*record
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(open) > 0 && rapid.IntRange(0, 2).Draw(t, "step") == 0 {
				i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				s.remove(open[i])
				open = slices.Delete(open, i, i+1)
			} else {
				r := &record{BlockRecord: BlockRecord{Job: 1, Block: rapid.Uint32().Draw(t, "block")}}
				s.insert(r)
				open = append(open, r)
			}
			want := units.Never
			for i := range threads {
				var list []*record
				for _, r := range open {
					if r.key().partition(threads) == i {
						list = append(list, r)
					}
				}
				if !slices.Equal(s.records(i), list) {
					t.Fatalf("thread %d has %d records, want %d in the order they came", i, len(s.records(i)), len(list))
				}
			}
			for firing := s.firing; len(open) > 0 && firing < s.firing+int64(threads); firing++ {
				if len(s.records(int(firing%int64(threads)))) > 0 {
					want = s.at(firing)
					break
				}
			}
			if got := s.next(); got != want {
				t.Fatalf("next firing at %v, want %v", got, want)
			}
		}
	})
}
