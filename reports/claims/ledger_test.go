package claims

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
)

func whole(t *testing.T) *Ledger {
	t.Helper()
	if files, err := fs.Glob(embedded, "ledger/*.yaml"); err != nil || len(files) == 0 {
		t.Skip("the ledger has no files: the program that is built cannot reproduce anything")
	}
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Ids are for good: scripts and reports name claims by them. A new claim is a
// new line of testdata/ids.txt; none goes away.
func TestLedgerKeepsItsIDs(t *testing.T) {
	var ids []string
	for _, c := range whole(t).Claims {
		ids = append(ids, string(c.ID)+"\n")
	}
	slices.Sort(ids)
	golden.Equal(t, "ids.txt", strings.Join(ids, ""))
}

func TestLedgerIsWhole(t *testing.T) {
	l := whole(t)
	if len(l.Claims) < 346 || len(l.Facts) < 108 || len(l.Ambiguities) < 91 || len(l.Arithmetic) < 32 || len(l.Unseen) == 0 {
		t.Errorf("%d claims, %d facts, %d ambiguities, %d arithmetic checks, %d unseen values",
			len(l.Claims), len(l.Facts), len(l.Ambiguities), len(l.Arithmetic), len(l.Unseen))
	}
	for _, c := range l.Claims {
		if c.Check == nil || c.Unit == "" {
			t.Errorf("%s: check %v, unit %q", c.ID, c.Check, c.Unit)
		}
		if s, err := l.Select(string(c.ID)); err != nil || s.Claims[0] != c {
			t.Errorf("%s is not selected by its id: %v", c.ID, err)
		}
	}
}

// A check that the paper's own number does not meet would call a perfect
// reproduction a failure. Where that is meant, reason says why.
func TestPaperNumbersMeetTheirChecks(t *testing.T) {
	for _, c := range whole(t).Claims {
		if c.Method == NoWay || c.Reason != "" || c.KnownFailure != nil {
			continue
		}
		if m, ok := asMeasured(c); ok {
			if pass, why := c.Check.Meets(m); !pass {
				t.Errorf("%s: value %s: %s", c.ID, c.Value, why)
			}
		}
	}
}

// asMeasured returns the value of a claim as if it had been measured, where it
// is of the kind that its check takes.
func asMeasured(c *Claim) (Measured, bool) {
	if x, ok := c.Value.Number(); ok {
		switch c.Check.(type) {
		case Within, Range, Min, Max:
			return Number(x), true
		}
	}
	check, ok := c.Check.(Parts)
	if !ok {
		return Measured{}, false
	}
	values := map[string]Measured{}
	for _, p := range check.Parts {
		v, _ := c.Value.Fields().Get(p.Name)
		x, isNumber := v.Number()
		if !isNumber {
			return Measured{}, false
		}
		values[p.Name] = Number(x)
	}
	return Group(values), true
}

// Every meaning of a pass is in use: what is not would be code without a claim.
func TestLedgerUsesAllMeanings(t *testing.T) {
	var means []PassMeans
	for _, c := range whole(t).Claims {
		means = append(means, c.PassMeans)
	}
	for _, m := range passMeanings {
		if !slices.Contains(means, m) {
			t.Errorf("no claim has pass_means %s", m)
		}
	}
}
