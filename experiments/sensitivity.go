package experiments

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/reports/claims"
)

// ends returns the values that an assumed constant is given beside its own: the ends of
// its range.
func ends(k hostmodel.Constant) [2]float64 {
	r := k.Within()
	return [2]float64{r.Low, r.High}
}

// Influence is what a changed constant does to one number of a claim.
type Influence struct {
	Claim    claims.ID
	Part     string // of the claim; "" where it has none
	Unit     string // of the claim
	Constant hostmodel.Constant
	// Base is the number with the constants as they are, and At with the constant
	// at the lower and the upper end of its range: nil where the claim is no number, or the run failed.
	Base *float64
	At   [2]*float64
	// Verdict and VerdictAt are likewise the claim's.
	Verdict   claims.Verdict
	VerdictAt [2]claims.Verdict
}

// Effect returns the larger of both relative changes, with its sign; NaN where
// there is no number, or it changes from zero.
func (i *Influence) Effect() float64 {
	largest := math.NaN()
	for _, at := range i.At {
		if i.Base == nil || at == nil || (*i.Base == 0 && *at != 0) {
			continue
		}
		change := 0.0
		if *i.Base != 0 {
			change = (*at - *i.Base) / math.Abs(*i.Base)
		}
		if math.IsNaN(largest) || math.Abs(change) > math.Abs(largest) {
			largest = change
		}
	}
	return largest
}

// Flips reports whether a changed constant changes the verdict.
func (i *Influence) Flips() bool {
	return i.VerdictAt[0] != i.Verdict || i.VerdictAt[1] != i.Verdict
}

// Influences is what the assumed constants do to the selected claims: claim by
// claim, those first that change most.
type Influences struct {
	List   []Influence
	Failed []string    // runs with a changed constant that ended with an error, and why
	Zero   []string    // assumed constants that are zero, and have no range
	Firm   []claims.ID // claims whose experiments ask for no assumed constant
}

// Sensitivity is [Reproduce], and after it each experiment again with each
// assumed constant that it asked for at the ends of its range, one at a time. It
// ends early only when ctx does; then there is what was known by that time.
func Sensitivity(ctx context.Context, sel claims.Selection, list []experiment.Experiment, opt Options) (claims.Report, Influences, error) {
	report, base, err := reproduce(ctx, sel, list, opt)
	if err != nil {
		return report, Influences{}, err
	}
	s := survey{sel: sel, list: list, opt: opt, before: map[claims.ID]claims.Result{}}
	for _, r := range report.Results {
		s.before[r.ID] = r
	}
	for _, x := range needed(sel, list, opt.NoLive == "") {
		s.plan(x, base[x.ID])
	}
	err = s.run(ctx)
	s.sort()
	return report, s.found, err
}

// survey is the runs with changed constants.
type survey struct {
	sel    claims.Selection
	list   []experiment.Experiment
	opt    Options
	before map[claims.ID]claims.Result // with the constants as they are

	plans   []variation
	runs    int     // of the plans
	seconds float64 // that they are likely to take
	found   Influences
}

// variation is an experiment and an assumed constant that it asks for.
type variation struct {
	x        *experiment.Experiment
	constant hostmodel.Constant
	results  [2]map[claims.ID]claims.Result
}

// plan notes what to run of an experiment.
func (s *survey) plan(x *experiment.Experiment, base Outcome) {
	if base.Err != nil {
		return
	}
	firm := true
	for _, c := range base.Constants() {
		switch {
		case !c.Assumed:
			continue
		case c.Within() == hostmodel.Range{}:
			if !slices.Contains(s.found.Zero, c.Name) {
				s.found.Zero = append(s.found.Zero, c.Name)
			}
		default:
			s.plans = append(s.plans, variation{x: x, constant: c})
			for _, at := range ends(c) {
				if at != c.Value {
					s.runs++
					s.seconds += base.Seconds
				}
			}
		}
		firm = false
	}
	if firm {
		s.found.Firm = append(s.found.Firm, s.claimsOf(x)...)
	}
}

// claimsOf lists what is selected and an experiment gave a result for.
func (s *survey) claimsOf(x *experiment.Experiment) (ids []claims.ID) {
	part := s.part(x)
	for _, c := range part.Claims {
		ids = append(ids, c.ID)
	}
	for _, w := range part.Unseen {
		ids = append(ids, w.ID)
	}
	return ids
}

// part returns what an experiment measures of the selection.
func (s *survey) part(x *experiment.Experiment) (out claims.Selection) {
	for _, c := range s.sel.Claims {
		if c.Method != claims.NoWay && measures(s.list, c.ID) == x {
			out.Claims = append(out.Claims, c)
		}
	}
	for _, w := range s.sel.Unseen {
		if predicts(s.list, w.ID) == x {
			out.Unseen = append(out.Unseen, w)
		}
	}
	return out
}

// run runs the plans. At an end that is the constant's own value there is nothing to run.
func (s *survey) run(ctx context.Context) error {
	s.opt.Observer.Varies(s.runs, s.seconds)
	index := 0
	for i := range s.plans {
		p := &s.plans[i]
		for side, at := range ends(p.constant) {
			if at == p.constant.Value {
				p.results[side] = s.before
				continue
			}
			step := Step{Experiment: p.x, Index: index, Of: s.runs, Constant: p.constant.Name, Value: at, Unit: p.constant.Unit}
			index++
			results, err := s.vary(ctx, step)
			if err != nil {
				return err
			}
			p.results[side] = results
		}
		s.compare(p)
	}
	return nil
}

// vary runs an experiment with a changed constant and judges what it measured.
func (s *survey) vary(ctx context.Context, step Step) (map[claims.ID]claims.Result, error) {
	constants := s.opt.constants().With(step.Constant, step.Value)
	o := run(ctx, step, s.opt, constants)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Err != nil {
		s.found.Failed = append(s.found.Failed, fmt.Sprintf("%s with %s at %s: %v", step.Experiment.ID, step.Constant, valueText(step.Value, step.Unit), o.Err))
	}
	report, err := reportOf(s.part(step.Experiment), s.list, outcomes{step.Experiment.ID: o}, s.opt)
	results := map[claims.ID]claims.Result{}
	for _, r := range report.Results {
		results[r.ID] = r
	}
	return results, err
}

// compare notes what a constant does to each claim of its experiment.
func (s *survey) compare(p *variation) {
	part := s.part(p.x)
	for _, c := range part.Claims {
		_, named := c.Check.(claims.Parts)
		s.add(p, c.ID, named)
	}
	for _, w := range part.Unseen {
		s.add(p, w.ID, true) // low and high
	}
}

// add notes one line for each number of a claim, or one without a number.
func (s *survey) add(p *variation, id claims.ID, named bool) {
	before, low, high := s.before[id], p.results[0][id], p.results[1][id]
	line := Influence{
		Claim: id, Unit: before.Unit, Constant: p.constant,
		Verdict: before.Verdict, VerdictAt: [2]claims.Verdict{low.Verdict, high.Verdict},
	}
	parts := numbers(before.Measured, named)
	if len(parts) == 0 {
		s.found.List = append(s.found.List, line)
		return
	}
	for _, part := range parts {
		line.Part, line.Base = part.Name, numberOf(before.Measured, part.Name)
		line.At = [2]*float64{numberOf(low.Measured, part.Name), numberOf(high.Measured, part.Name)}
		s.found.List = append(s.found.List, line)
	}
}

// numbers returns the numbers of what was measured: it, or those of its parts.
func numbers(v claims.Value, named bool) (out claims.Fields) {
	if _, ok := v.Number(); ok {
		return claims.Fields{{Value: v}}
	}
	for _, f := range v.Fields() {
		if _, ok := f.Value.Number(); ok && named {
			out = append(out, f)
		}
	}
	return out
}

// numberOf returns the number of a part, or of v where the name is "".
func numberOf(v claims.Value, part string) *float64 {
	if part != "" {
		v, _ = v.Fields().Get(part)
	}
	if x, ok := v.Number(); ok {
		return &x
	}
	return nil
}

// sort puts claims in the order of the ledger, and of each what matters first.
func (s *survey) sort() {
	rank := map[claims.ID]int{}
	for i, c := range s.sel.Claims {
		rank[c.ID] = i
	}
	for i, w := range s.sel.Unseen {
		rank[w.ID] = len(s.sel.Claims) + i
	}
	slices.SortStableFunc(s.found.List, func(a, b Influence) int {
		return cmp.Or(cmp.Compare(rank[a.Claim], rank[b.Claim]), -cmp.Compare(a.weight(), b.weight()))
	})
	slices.SortStableFunc(s.found.Firm, func(a, b claims.ID) int { return cmp.Compare(rank[a], rank[b]) })
}

// weight orders the lines of a claim: by effect, and without one by whether the
// verdict changes.
func (i *Influence) weight() float64 {
	effect := math.Abs(i.Effect())
	switch {
	case !math.IsNaN(effect):
		return effect
	case i.Flips(), i.Base != nil: // it changes from zero, or the run failed
		return math.Inf(1)
	}
	return -1
}
