// Package proptest repeats property tests until what they draw has covered what they are to cover.
//
// A run of rapid.Check draws the same each time where the seed is fixed, so repeating it finds nothing new.
package proptest

import (
	"testing"

	"pgregory.net/rapid"
)

// Most rounds that Until takes.
const most = 50

// Until checks a property in rounds until covered says that all that may come up did, and fails the test if it never does.
func Until(t *testing.T, covered func() bool, check func(*rapid.T)) {
	t.Helper()
	for n := range most {
		if round(t, n, check); t.Failed() || covered() {
			return
		}
	}
	t.Errorf("%d rounds did not draw all that is to come up", most)
}

// Rounds checks a property n times as often as rapid.Check does.
func Rounds(t *testing.T, n int, check func(*rapid.T)) {
	t.Helper()
	for i := range n {
		if round(t, i, check); t.Failed() {
			return
		}
	}
}

// round draws n values more than the property needs in front, so that each round draws its own with one seed.
func round(t *testing.T, n int, check func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		for range n {
			rapid.Uint64().Draw(rt, "skipped")
		}
		check(rt)
	})
}
