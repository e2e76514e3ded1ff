package claimreport

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/reports/claims"
)

// NewClaim joins a result with what the ledger says of it. A result of nothing in the ledger stands alone.
func NewClaim(r *claims.Result, l *claims.Ledger) Claim {
	c := Claim{
		ID: string(r.ID), Paper: string(r.Paper), Where: r.Where, Printed: text(r.PaperValue), Measured: text(r.Shown()), Unit: r.Unit,
		Tolerance: r.Tolerance, Accept: r.Accept, Verdict: r.Verdict, Reason: r.Reason, Expected: r.Expected,
		Evidence: r.Evidence, Origin: r.Origin, PassMeans: r.PassMeans, Switch: r.Switch, Reading: r.Reading, Model: r.Model, Constants: r.Constants,
		Note: r.Note, Quick: r.Quick, Weak: r.NullPasses, Seconds: r.Seconds,
	}
	for _, id := range r.SameAs {
		c.SameAs = append(c.SameAs, string(id))
	}
	for _, e := range r.Ends {
		c.Ends = append(c.Ends, End{At: e.At, Measured: e.Measured.String(), Meets: e.Meets})
	}
	if claim, err := l.Lookup(r.ID); err == nil {
		c.join(claim, r)
	}
	if i := slices.IndexFunc(l.Unseen, func(w *claims.Unseen) bool { return w.ID == r.ID }); i >= 0 {
		c.Statement, c.How, c.Scale = l.Unseen[i].Statement, l.Unseen[i].How, predicted(r)
	}
	return c
}

// text is a value for people; nothing is "".
func text(v claims.Value) string {
	if s := v.String(); s != "-" {
		return s
	}
	return ""
}

// join adds what the ledger says of a claim.
func (c *Claim) join(claim *claims.Claim, r *claims.Result) {
	c.Statement, c.How, c.Headline, c.Why = claim.Statement, claim.How, claim.Headline, claim.Tolerance.Why
	c.Conditions = claim.Conditions.String()
	switch {
	case claim.KnownFailure != nil:
		c.Declared = claim.KnownFailure.Reason
	case claim.Undetermined != nil:
		c.Declared = claim.Undetermined.Reason
	}
	if check, ok := claim.Check.(claims.Parts); ok {
		c.Parts = partsOf(check, r)
		return
	}
	c.Scale = scaleOf(claim, r)
}

// partsOf sets the parts of a claim beside each other, in the order of its check.
func partsOf(check claims.Parts, r *claims.Result) (out []Part) {
	whole := "" // in place of parts: what was fed in
	if r.Shown().Fields() == nil {
		whole = text(r.Shown())
	}
	for _, p := range check.Parts {
		out = append(out, Part{Name: p.Name, Measured: whole, Tolerance: p.Check.Short()})
	}
	// at finds a part; one that is measured alone, or printed alone, is added.
	at := func(name string) *Part {
		i := slices.IndexFunc(out, func(p Part) bool { return p.Name == name })
		if i < 0 {
			out, i = append(out, Part{Name: name}), len(out)
		}
		return &out[i]
	}
	for _, f := range r.PaperValue.Fields() {
		at(f.Name).Printed = text(f.Value)
	}
	for _, f := range r.Shown().Fields() {
		at(f.Name).Measured = text(f.Value)
	}
	return out
}

// scaleOf returns the numbers of a claim that is of one number, and was measured; nil of others.
func scaleOf(c *claims.Claim, r *claims.Result) *Scale {
	measured, ok := r.Measured.Number()
	if !ok || math.IsNaN(measured) || math.IsInf(measured, 0) {
		return nil
	}
	s := &Scale{Measured: &measured, Half: r.CI95}
	if printed, ok := r.PaperValue.Number(); ok {
		s.Printed = &printed
	}
	s.Low, s.High = limits(c.Check)
	return s
}

// limits are between what a number passes; nil is no limit.
func limits(check claims.Check) (low, high *float64) {
	switch k := check.(type) {
	case claims.Within:
		margin := k.Margin
		if k.Relative {
			margin *= math.Abs(k.Of)
		}
		from, to := k.Of-margin, k.Of+margin
		return &from, &to
	case claims.Range:
		return &k.Min, &k.Max
	case claims.Min:
		return &k.Value, nil
	case claims.Max:
		return nil, &k.Value
	case claims.Equal:
		if x, ok := k.Value.Number(); ok {
			return &x, &x
		}
	}
	return nil, nil
}

// predicted is the scale of a value that is not compared.
func predicted(r *claims.Result) *Scale {
	var ends []*float64
	for _, f := range r.Measured.Fields() {
		if x, ok := f.Value.Number(); ok {
			ends = append(ends, &x)
		}
	}
	if len(ends) != 2 {
		return nil
	}
	return &Scale{From: ends[0], To: ends[1]}
}

// Digits writes a number with four significant digits, and its unit.
func Digits(x float64, unit string) string {
	return strings.TrimSpace(strconv.FormatFloat(x, 'g', 4, 64) + " " + unit)
}
