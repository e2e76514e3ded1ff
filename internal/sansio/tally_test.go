package sansio

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTally(t *testing.T) {
	var tally Tally
	if tally.Get("x") != 0 || len(tally.List()) != 0 {
		t.Error("the zero value is not empty")
	}
	tally.Add("queue-full", 2)
	tally.Add("bad-length", 1)
	tally.Add("queue-full", 3)
	want := []Count{{"bad-length", 1}, {"queue-full", 5}}
	if got := tally.List(); !slices.Equal(got, want) {
		t.Errorf("list %v, want %v", got, want)
	}
	if got := tally.Get("queue-full"); got != 5 {
		t.Errorf("queue-full %d", got)
	}
	tally.List()[0].N = 99
	if got := tally.Get("bad-length"); got != 1 {
		t.Errorf("a change of the list reached the tally: %d", got)
	}
	tally.Merge([]Count{{"queue-full", 1}, {"new", 0}})
	want = []Count{{"bad-length", 1}, {"new", 0}, {"queue-full", 6}}
	if got := tally.List(); !slices.Equal(got, want) {
		t.Errorf("merged list %v, want %v", got, want)
	}
}

// The list does not tell in which order events came.
func TestTallyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c", "d"})).Draw(t, "names")
		shuffled := rapid.Permutation(names).Draw(t, "shuffled")
		var one, two Tally
		for i := range names {
			one.Add(names[i], 1)
			two.Add(shuffled[i], 1)
		}
		if !slices.Equal(one.List(), two.List()) {
			t.Fatalf("%v and %v", one.List(), two.List())
		}
	})
}
