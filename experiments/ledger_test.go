package experiments

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/reports/claims"
)

// Every claim that can be checked, and every unseen value, belongs to exactly
// one experiment or waits for something that missing.go names.
func TestLedgerIsCovered(t *testing.T) {
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	by := owners(t)
	var uncovered, twice []string
	check := func(id claims.ID) {
		switch n := len(by[id]); {
		case n == 0 && waitsFor(id) == "":
			uncovered = append(uncovered, string(id))
		case n > 1:
			twice = append(twice, string(id)+" ("+strings.Join(by[id], ", ")+")")
		}
		delete(by, id)
	}
	for _, c := range l.Claims {
		if c.Method != claims.NoWay {
			check(c.ID)
		}
	}
	for _, w := range l.Unseen {
		check(w.ID)
	}
	if uncovered != nil {
		t.Errorf("%d claims have no experiment, and missing.go does not say what they wait for:\n  %s", len(uncovered), strings.Join(uncovered, "\n  "))
	}
	if twice != nil {
		t.Errorf("%d claims have several experiments:\n  %s", len(twice), strings.Join(twice, "\n  "))
	}
	for id, names := range by {
		t.Errorf("%s lists %s, which the ledger does not have as a claim that can be checked", strings.Join(names, ", "), id)
	}
}

// owners returns the experiments of each claim and prediction.
func owners(t *testing.T) map[claims.ID][]string {
	t.Helper()
	by := map[claims.ID][]string{}
	seen := map[string]bool{}
	for _, x := range All() {
		if x.ID == "" || x.Title == "" || x.Run == nil || seen[x.ID] {
			t.Errorf("experiment %q: it is there twice, or has no title or nothing to run", x.ID)
		}
		seen[x.ID] = true
		for _, id := range slices.Concat(x.Claims, x.Predicts) {
			by[id] = append(by[id], x.ID)
		}
	}
	return by
}

// What missing.go says is true of something: an entry that names a claim names
// one without an experiment, and one that names many has some without.
func TestMissingIsMissing(t *testing.T) {
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	var open []claims.ID
	by := owners(t)
	for _, c := range l.Claims {
		if c.Method != claims.NoWay && by[c.ID] == nil {
			open = append(open, c.ID)
		}
	}
	for _, w := range l.Unseen {
		if by[w.ID] == nil {
			open = append(open, w.ID)
		}
	}
	for _, m := range missing {
		if by[claims.ID(m.prefix)] != nil {
			t.Errorf("missing.go says that %s waits (%s), and an experiment measures it", m.prefix, m.waitsFor)
		}
		if !slices.ContainsFunc(open, func(id claims.ID) bool {
			return string(id) == m.prefix || strings.HasPrefix(string(id), m.prefix+".")
		}) {
			t.Errorf("missing.go says that %s waits (%s), and the ledger has nothing without an experiment there", m.prefix, m.waitsFor)
		}
	}
}
