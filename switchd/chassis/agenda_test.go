package chassis

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

// The heap agrees with a plain list, also where links are due again at the same
// instant.
func TestAgenda(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(rt, "parts")
		var a agenda
		at := make([]units.Time, n)
		for i := range at {
			a.add()
			at[i] = units.Never
		}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			part := rapid.IntRange(0, n-1).Draw(rt, "part")
			at[part] = rapid.SampledFrom([]units.Time{0, 1, 2, 3, 5, 8, 13, units.Never}).Draw(rt, "deadline")
			a.set(partID(part), at[part])
			if got, want := a.next(), slices.Min(at); got != want {
				rt.Fatalf("next is %v, want %v", got, want)
			}
			now := units.Time(rapid.IntRange(0, 15).Draw(rt, "now"))
			var want []partID
			for i, d := range at {
				if d <= now {
					want = append(want, partID(i))
				}
			}
			got := a.take(now, nil)
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, want) {
				rt.Fatalf("due at %v: %v, want %v", now, got, want)
			}
			for _, part := range got {
				if rapid.Bool().Draw(rt, "due again") {
					a.set(part, at[part])
				} else {
					at[part] = units.Never
				}
			}
		}
	})
}
