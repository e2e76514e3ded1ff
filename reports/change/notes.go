package change

import (
	"fmt"
	"slices"
	"strings"
)

// notes say what was compared, what a change is, and what has no part.
func (c *Comparison) notes() []string {
	out := []string{
		c.Summary(),
		fmt.Sprintf("old: %s; new: %s", side(c.Old), side(c.New)),
		"change: new iteration time over old, paired by seed and iteration; ± is half of its 95% interval over the pairs",
	}
	if c.Judged() > 0 {
		out = append(out, c.rule())
	}
	out = append(out, c.Notes...)
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Verdict == OnlyOld || r.Verdict == OnlyNew {
			out = append(out, fmt.Sprintf("%s: %s: the other side has no such row", r.Verdict, r.name()))
		}
	}
	return append(out, c.absent()...)
}

// Summary says in a sentence what changed.
func (c *Comparison) Summary() string {
	var changed []string
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Changed() {
			changed = append(changed, fmt.Sprintf("%s is %s by %+.1f%%", r.name(), r.Verdict, 100*(r.Factor.Value-1)))
		}
	}
	switch {
	case c.Judged() == 0:
		return "no row can be judged: none has a pair of runs that can be believed"
	case changed == nil:
		return fmt.Sprintf("nothing changed in %d rows", c.Judged())
	}
	return fmt.Sprintf("%d of %d rows changed: %s", len(changed), c.Judged(), list(changed))
}

// Judged counts the rows that were held against each other.
func (c *Comparison) Judged() (n int) {
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Changed() || r.Verdict == Unchanged {
			n++
		}
	}
	return n
}

// rule says what a change is here.
func (c *Comparison) rule() string {
	var thresholds []string
	lone := false
	for i := range c.Rows {
		r := &c.Rows[i]
		lone = lone || r.Pairs == 1
		if text := fmt.Sprintf("%g%%", 100*r.Threshold); r.Pairs > 0 && !slices.Contains(thresholds, text) {
			thresholds = append(thresholds, text)
		}
	}
	size := "at least " + strings.Join(thresholds, " or ")
	if !c.live() {
		return "changed: " + size + "; under the virtual clock one seed always gives the same times, so that every difference is of the builds"
	}
	text := fmt.Sprintf("changed: %s, and chance below %g; chance: of differences as large between equal builds (paired t-test, corrected for the number of rows by Holm)", size, c.Alpha)
	if lone {
		text += "; with one pair of runs it is over stretches of iterations, and says nothing of how runs differ: use several a side"
	}
	return text
}

// side names the runs of a side and the builds that made them.
func side(runs []*Run) string {
	var builds []string
	for _, r := range runs {
		if b := r.Build(); !slices.Contains(builds, b) {
			builds = append(builds, b)
		}
	}
	if len(runs) == 1 {
		return runs[0].Name + " by inalab " + builds[0]
	}
	return fmt.Sprintf("%d runs by inalab %s, %s to %s", len(runs), strings.Join(builds, " and "), runs[0].Name, runs[len(runs)-1].Name)
}

// absent names what has no part, with the rows that it is of.
func (c *Comparison) absent() (out []string) {
	var order []string
	rows := map[string][]string{}
	for i := range c.Rows {
		for _, why := range c.Rows[i].Why {
			if rows[why] == nil {
				order = append(order, why)
			}
			rows[why] = append(rows[why], c.Rows[i].name())
		}
	}
	for _, why := range order {
		out = append(out, fmt.Sprintf("no part, %s: %s", list(rows[why]), why))
	}
	return out
}

// name names a row.
func (r *Row) name() string {
	text := r.System + " on " + r.Topology
	if r.Job != "" {
		text += " job " + r.Job
	}
	if r.Lab != "" {
		text += " of " + r.Lab
	}
	return text + " at " + r.Point.At(r.StraggleP)
}

// mostNamed bounds what a sentence lists (assumed: three lines).
const mostNamed = 8

// list joins words, and counts those that are too many.
func list(words []string) string {
	if more := len(words) - mostNamed; more > 0 {
		return strings.Join(words[:mostNamed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(words, ", ")
}
