package sansio

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"pgregory.net/rapid"
)

// Timers expire in order of time, of equal ones the first armed first, and none of a
// number that is not waited for.
func TestTimersAgainstASort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type armed struct {
			at     units.Time
			place  int
			number uint32
		}
		var timers Timers
		var want []armed
		latest := map[int]uint32{}
		for n := range rapid.IntRange(0, 300).Draw(t, "timers") {
			a := armed{units.Time(rapid.IntRange(n, n+20).Draw(t, "at")), rapid.IntRange(0, 5).Draw(t, "place"), uint32(n)}
			timers.Arm(a.place, a.number, a.at)
			latest[a.place] = a.number
			want = append(want, a)
		}
		want = slices.DeleteFunc(want, func(a armed) bool { return latest[a.place] != a.number })
		slices.SortStableFunc(want, func(a, b armed) int { return int(a.at - b.at) })
		waits := func(place int, number uint32) bool { return latest[place] == number }
		for _, w := range want {
			if at := timers.Next(waits); at != w.at {
				t.Fatalf("next at %v, want %v", at, w.at)
			}
			if place := timers.Pop(); place != w.place {
				t.Fatalf("place %d, want %d", place, w.place)
			}
		}
		if at := timers.Next(waits); at != units.Never {
			t.Fatalf("one more at %v", at)
		}
	})
}
