package change

import (
	"errors"
	"fmt"
	"math"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/stat"
)

// Verdict says what became of a row.
type Verdict string

// The verdicts. Slower and Faster are changes.
const (
	Slower    Verdict = "slower"
	Faster    Verdict = "faster"
	Unchanged Verdict = "unchanged"
	OnlyOld   Verdict = "only old" // the new runs have no such row
	OnlyNew   Verdict = "only new"
	LeftOut   Verdict = "left out" // no pair of runs of it is to be believed
)

// Rule says what a change is. The zero value takes the defaults of the clock.
type Rule struct {
	Threshold *float64 // least change of the iteration time, a fraction; nil: that of the clock
	Alpha     float64  // chance of a false alarm among all rows of live runs; 0: DefaultAlpha
	Allow     []string // keys of the scenario that may differ
}

const (
	// DefaultAlpha is the usual level (Fisher).
	DefaultAlpha = 0.05
	// LiveThreshold is beyond what equal builds differ by on a machine that is otherwise idle (assumed).
	LiveThreshold = 0.02
	// LoneThreshold is that of live runs of which there is one a side: nothing is known of how runs differ (assumed).
	LoneThreshold = 0.05
	// VirtualThreshold is what a table shows (assumed): times are exact, and less is of no interest.
	VirtualThreshold = 0.001
)

// Comparison is what came of two sets of runs.
type Comparison struct {
	Old, New []*Run
	Rows     []Row
	Notes    []string
	Alpha    float64
}

// Row is one system at one point of a sweep.
type Row struct {
	System, Job, Lab, Topology, Model string
	StraggleP                         float64
	Point                             result.Point
	Old, New                          float64     // mean iteration time over what both sides have, ms; NaN where there is none
	Factor                            stat.Factor // new over old; N is the pairs of runs, or stretches of one pair
	P                                 float64     // corrected for the number of rows; NaN where it has no part in the verdict
	Threshold                         float64     // of this row, a fraction
	Pairs                             int         // of runs
	Verdict                           Verdict
	Why                               []string // what of the row has no part, and why
}

// Changed reports whether something did.
func (c *Comparison) Changed() bool {
	for _, r := range c.Rows {
		if r.Changed() {
			return true
		}
	}
	return false
}

// Changed reports whether the row did.
func (r *Row) Changed() bool { return r.Verdict == Slower || r.Verdict == Faster }

// Of holds new runs against old ones.
func Of(old, fresh []*Run, rule Rule) (*Comparison, error) {
	if len(old) == 0 || len(fresh) == 0 {
		return nil, errors.New("there is nothing to compare: old and new runs are needed")
	}
	all := append(append([]*Run(nil), old...), fresh...)
	notes, err := Alike(all, rule.Allow)
	if err != nil {
		return nil, err
	}
	if rule.Alpha == 0 {
		rule.Alpha = DefaultAlpha
	}
	c := &Comparison{Old: byStart(old), New: byStart(fresh), Notes: notes, Alpha: rule.Alpha}
	for _, r := range all {
		if len(r.Record.Cells) == 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("%s has no rows: nothing ran", r.Name))
		}
	}
	c.fill(all)
	if err := c.shared(); err != nil {
		return nil, err
	}
	c.judge(rule)
	return c, nil
}

// fill makes the rows.
func (c *Comparison) fill(all []*Run) {
	keys, of := cells(all...)
	_, old := cells(c.Old...)
	_, fresh := cells(c.New...)
	for _, k := range keys {
		cell := of[k][0].cell
		r := Row{
			System: k.system, Job: k.job, Lab: k.lab, Topology: k.topology, Model: k.model, StraggleP: k.straggleP, Point: cell.Point,
			Old: math.NaN(), New: math.NaN(), P: math.NaN(), Factor: stat.PairedFactor(nil),
		}
		switch {
		case len(fresh[k]) == 0:
			r.Verdict = OnlyOld
		case len(old[k]) == 0:
			r.Verdict = OnlyNew
		default:
			r.estimate(pairUp(old[k], fresh[k]), c.live())
		}
		c.Rows = append(c.Rows, r)
	}
}

// live reports whether the runs are; all are of one clock.
func (c *Comparison) live() bool { return c.Old[0].Manifest.Clock != "virtual" }

// shared refuses sets of runs that have no row in common.
func (c *Comparison) shared() error {
	for _, r := range c.Rows {
		if r.Verdict != OnlyOld && r.Verdict != OnlyNew {
			return nil
		}
	}
	var sides []string
	for _, r := range c.Rows {
		sides = append(sides, fmt.Sprintf("%s is %s", r.name(), r.Verdict))
	}
	if sides == nil {
		return errors.New("there is no row in common: none of the runs has any")
	}
	return fmt.Errorf("there is no row in common: %s", list(sides))
}

// estimate finds the factor of a row.
func (r *Row) estimate(p pairs, live bool) {
	r.Why, r.Pairs = p.absent, len(p.list)
	if r.Pairs == 0 {
		r.Verdict = LeftOut
		return
	}
	means := p.means()
	r.Factor = stat.PairedFactor(means)
	if live && r.Pairs == 1 {
		whole := r.Factor.Value
		r.Factor = stat.PairedFactor(p.list[0].cut())
		r.Factor.Value = whole
	}
	all := pair(means).means()
	r.New, r.Old = all.X, all.Y
}

// judge says which rows changed.
func (c *Comparison) judge(rule Rule) {
	p := make([]float64, len(c.Rows))
	for i := range c.Rows {
		if p[i] = math.NaN(); c.live() {
			p[i] = c.Rows[i].Factor.P
		}
	}
	for i, v := range stat.Holm(p) {
		r := &c.Rows[i]
		r.P, r.Threshold = v, rule.threshold(c.live(), r.Pairs)
		if r.Verdict == "" {
			r.Verdict = r.verdict(c.live() && !(v < c.Alpha))
		}
	}
}

// threshold is the least change of a row with so many pairs.
func (r Rule) threshold(live bool, pairs int) float64 {
	switch {
	case r.Threshold != nil:
		return *r.Threshold
	case !live:
		return VirtualThreshold
	case pairs == 1:
		return LoneThreshold
	}
	return LiveThreshold
}

// verdict judges a row of which pairs were believed; chance says that it may be by chance.
func (r *Row) verdict(chance bool) Verdict {
	change := r.Factor.Value - 1
	switch {
	case chance || math.Abs(change) < r.Threshold || change == 0:
		return Unchanged
	case change > 0:
		return Slower
	}
	return Faster
}
