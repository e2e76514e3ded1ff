package claims

import (
	"fmt"
	"slices"
	"strings"
)

// Declared is why a claim is expected to be undetermined: what is assumed decides whether
// it holds. Its verdict is [Undetermined] then, whatever one run measured, unless that run
// also measured at the ends of what is assumed ([Measured.Over]) and found no difference.
type Declared struct {
	Measured Value  `yaml:"measured"`
	Reason   string `yaml:"reason"`
}

// End is what was measured with something that is assumed at one end of its range.
type End struct {
	At       string // what is assumed there: "2 ns an instruction"
	Measured Measured
}

// EndResult is an end in the JSON of a [Result].
type EndResult struct {
	At       string `json:"at"`
	Measured Value  `json:"measured"`
	Meets    bool   `json:"meets"` // the check
}

// Over returns m with the ends of what is assumed. A claim that holds at one of them, or in m,
// and not at another is undetermined.
func (m Measured) Over(ends ...End) Measured {
	m.ends = append(m.ends[:len(m.ends):len(m.ends)], ends...)
	return m
}

// Undecided returns m as a value that says nothing about its claim, for a reason: what the claim is
// about did not come up in a run, or the precision that was reached does not tell. The claim is undetermined then, whatever
// the check says. That is no failure: the reason is chance, and another run may tell.
func (m Measured) Undecided(format string, args ...any) Measured {
	m.undecided = fmt.Sprintf(format, args...)
	return m
}

// UndecidedBetween is [Measured.Undecided] of a value that has others beside it, which the precision that was reached
// allows as well: the claim is undetermined where its check comes out otherwise for one of them.
func (m Measured) UndecidedBetween(allowed []Measured, format string, args ...any) Measured {
	if len(allowed) == 0 {
		return m
	}
	m.allowed = allowed
	return m.Undecided(format, args...)
}

// tells reports whether what was measured says something about the claim.
func (c *Claim) tells(m Measured, pass bool) bool {
	otherwise := func(other Measured) bool {
		meets, _ := c.Check.Meets(other)
		return meets != pass
	}
	return m.undecided == "" || m.allowed != nil && !slices.ContainsFunc(m.allowed, otherwise)
}

// differs lists the ends at which the check comes out otherwise than it did, and why.
func (c *Claim) differs(m Measured, pass bool) (out []string) {
	for _, e := range m.ends {
		if meets, why := c.Check.Meets(e.Measured); meets != pass {
			out = append(out, fmt.Sprintf("at %s %s", e.At, why))
		}
	}
	return out
}

// undetermined judges a claim that what is assumed decides, of which the ledger says so, or of which
// the run says that it decides nothing. It is false where none of these holds.
func (c *Claim) undetermined(m Measured, pass bool, why string) (Judgement, bool) {
	j := Judgement{Measured: m, Pass: pass, Verdict: Undetermined, Expected: c.Undetermined != nil}
	differs := c.differs(m, pass)
	switch {
	case !c.tells(m, pass):
		j.Reason, j.Expected = m.undecided+": here "+why, true
		if c.Undetermined != nil {
			j.Reason = c.Undetermined.Reason + ": " + j.Reason
		}
		return j, true
	case len(differs) == 0 && (c.Undetermined == nil || len(m.ends) > 0):
		return j, false
	case c.Undetermined != nil:
		j.Reason = c.Undetermined.Reason + ": here " + why
	case c.KnownFailure != nil:
		j.Reason = "the ledger has it as a known failure: " + why
	default:
		j.Reason = "the ledger does not say so: " + why
	}
	if len(differs) > 0 {
		j.Reason += "; " + strings.Join(differs, "; ")
	}
	return j, true
}

// determined is the reason of a claim that is the same at all ends, which the ledger does
// not expect.
func (d *Declared) determined(m Measured, why string) string {
	return fmt.Sprintf("the same at all %d ends: %s; undetermined says %s, %s", len(m.ends), why, d.Measured, d.Reason)
}

// endResults are the ends for the record.
func (c *Claim) endResults(m Measured) (out []EndResult) {
	for _, e := range m.ends {
		meets, _ := c.Check.Meets(e.Measured)
		shown, _ := c.show(e.Measured)
		out = append(out, EndResult{At: e.At, Measured: shown, Meets: meets})
	}
	return out
}

// endsText is the ends on one line.
func endsText(ends []EndResult) string {
	var out []string
	for _, e := range ends {
		word := "fails"
		if e.Meets {
			word = "holds"
		}
		out = append(out, fmt.Sprintf("at %s %s: %s", e.At, word, e.Measured))
	}
	return strings.Join(out, "; ")
}
