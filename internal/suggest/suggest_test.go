package suggest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDidYouMean(t *testing.T) {
	words := []string{"rack", "leaf-spine", "mx480", "mx481", "a"}
	for _, c := range []struct{ word, want string }{
		{"leafspine", `; did you mean "leaf-spine"?`},
		{"LEAF_SPINE", `; did you mean "leaf-spine"?`},
		{"rcak", `; did you mean "rack"?`},
		{"mx48", `; did you mean "mx480"?`}, // the first of two that are as near
		{"mx482", `; did you mean "mx480"?`},
		{"mx", ""}, // three edits away
		{"b", ""},  // shares nothing with "a"
		{"-", ""},
		{"", ""},
		{"ring", ""},
		{strings.Repeat("-", maxWord) + "rack", ""},
	} {
		if got := DidYouMean(c.word, words); got != c.want {
			t.Errorf("%q: got %q, want %q", c.word, got, c.want)
		}
	}
	if got := DidYouMean("valeus", []string{"value", "valve", "values"}); got != `; did you mean "values"?` {
		t.Errorf("two letters exchanged: got %q", got)
	}
	if got := DidYouMean("sourcs", []string{"sources", "source"}); got != `; did you mean "sources"?` {
		t.Errorf("a letter left out: got %q", got)
	}
	if near, ok := Nearest("rack", nil); ok || near != "" {
		t.Errorf("found %q among no candidates", near)
	}
}

func TestSlip(t *testing.T) {
	words := []string{"takes", "hosts", "late", "at", "wake"}
	for word, want := range map[string]string{"host": "hosts", "wkae": "wake", "Hosts": "hosts", "taxed": "", "to": "", "": "", strings.Repeat("a", maxWord+1): ""} {
		if near, ok := Slip(word, words); ok != (want != "") || ok && near != want {
			t.Errorf("%q: got %q %v, want %q", word, near, ok, want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"saturday", "sunday", 3}, {"wkae", "wake", 2},
	} {
		if got := edits(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestEditsIsADistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching("[ab]{0,6}")
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		ab := edits(a, b)
		if (ab == 0) != (a == b) || ab != edits(b, a) || ab > edits(a, c)+edits(c, b) || ab > max(len(a), len(b)) {
			t.Fatalf("%q to %q takes %d edits", a, b, ab)
		}
	})
}
