package experiments

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/experiments/chip"
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/live"
	"github.com/inalab/inalab/experiments/unit"
	"github.com/inalab/inalab/experiments/virtual"
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
		if len(x.Switch) == 0 || !subset(x.Switch, claims.Switches) {
			t.Errorf("experiment %q says of its switch %v: name one or more of %v", x.ID, x.Switch, claims.Switches)
		}
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

func subset[T comparable](some, all []T) bool {
	return !slices.ContainsFunc(some, func(x T) bool { return !slices.Contains(all, x) })
}

// The evidence of a claim is that of the experiment which measures it: simulated is of a
// run or a chip, live of real packets, unit of a program driven by hand.
func TestEvidenceIsOfTheExperiment(t *testing.T) {
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []struct {
		name    string
		is      []experiment.Experiment
		allowed []claims.Evidence
	}{
		{"unit", unit.All(), []claims.Evidence{claims.EvidenceUnit}},
		{"chip", chip.All(), []claims.Evidence{claims.EvidenceUnit, claims.EvidenceSimulated}},
		{"virtual", virtual.All(), []claims.Evidence{claims.EvidenceSimulated}},
		{"live", live.All(), []claims.Evidence{claims.EvidenceLive}},
	} {
		allowed := append(list.allowed, claims.EvidenceArithmetic, claims.EvidenceInput)
		for _, x := range list.is {
			if (list.name == "live") != x.Live {
				t.Errorf("experiment %s of package %s: Live is %v", x.ID, list.name, x.Live)
			}
			for _, id := range x.Claims {
				c, err := l.Lookup(id)
				if err != nil {
					t.Error(err)
				} else if !slices.Contains(allowed, c.Evidence) {
					t.Errorf("%s: evidence is %s, and experiment %s of package %s measures it", id, c.Evidence, x.ID, list.name)
				}
			}
		}
	}
}
