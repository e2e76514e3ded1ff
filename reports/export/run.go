package export

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/junit"
)

// ofRun reports a run of a scenario. One without a record is of an earlier version, or of a benchmark: the
// manifest has its checks, and nothing its values.
func ofRun(p *archive.Past) (*Report, error) {
	r := newReport(p)
	for _, v := range p.Manifest.Verdicts {
		r.Checks = append(r.Checks, sums(v), trust(v))
	}
	if p.HasRecord() {
		record, err := p.Record()
		if err != nil {
			return nil, err
		}
		for _, o := range record.Expected {
			r.Checks = append(r.Checks, expectation(o))
		}
		r.Values = iterationTimes(record)
	}
	r.Checks = append(r.Checks, ending(p))
	return r, nil
}

// who names one run of a results directory.
func who(v archive.Verdict) string {
	name := v.System + " at " + v.Swept.At(v.StraggleP)
	for _, part := range []string{v.Job, v.Lab} {
		if part != "" {
			name += ", " + part
		}
	}
	return fmt.Sprintf("%s, seed %d", name, v.Seed)
}

// sums is the check of what the run delivered.
func sums(v archive.Verdict) junit.Case {
	c := junit.Case{Class: "sums", Name: who(v), Output: fmt.Sprintf("%d values were checked", v.Checked)}
	if v.Wrong > 0 {
		c.Status, c.Message = junit.Failed, fmt.Sprintf("%d of %d delivered values are wrong", v.Wrong, v.Checked)
	}
	return c
}

// trust is the check of how far the run can be believed. What moved the numbers without making them
// worthless is told, and no failure.
func trust(v archive.Verdict) junit.Case {
	c := junit.Case{Class: "fidelity", Name: who(v), Output: strings.Join(append([]string{v.Fidelity}, v.Reasons...), "\n")}
	if v.Fidelity == result.Invalid {
		c.Status, c.Message = junit.Errored, "the times cannot be believed: "+strings.Join(v.Reasons, "; ")
	}
	return c
}

func expectation(o archive.Outcome) junit.Case {
	c := junit.Case{Class: "expect", Name: cmp.Or(o.Check, o.Text), Output: o.Text}
	switch {
	case o.Unjudged:
		c.Status, c.Message = junit.Skipped, "no row is as the check says"
	case !o.Met:
		c.Status, c.Message = junit.Failed, o.Text
	}
	return c
}

// ending is the check of the exit code, which may tell of what no other check does.
func ending(p *archive.Past) junit.Case {
	c := junit.Case{Class: "run", Name: "exit code"}
	if code := p.Manifest.ExitCode; code != 0 {
		c.Status, c.Message = junit.Failed, fmt.Sprintf("the command ended with code %d", code)
	}
	return c
}

// rounding is the spread, as a share of the value, that the mean of equal values may show.
const rounding = 1e-12

// iterationTimes is the mean iteration time of each run that is to be believed: neither its times are invalid, nor
// are its sums wrong.
func iterationTimes(record *archive.Record) (out []Value) {
	for _, row := range compare.Rows(record.Cells, record.Baseline) {
		broken := row.Wrong != nil && *row.Wrong > 0
		if row.Computed || broken || row.Invalid() || !row.Iter.Known() {
			continue
		}
		of := []Fact{{"scenario", record.Scenario}, {"system", row.System}, {"p", strconv.FormatFloat(row.StraggleP, 'g', -1, 64)}}
		for _, k := range row.Point.Keys {
			of = append(of, Fact{k.Key, k.Value})
		}
		for _, f := range []Fact{{"topology", row.Topology}, {"job", row.Job}, {"lab", row.Lab}, {"clock", row.Clock}} {
			if f.Value != "" {
				of = append(of, f)
			}
		}
		v := Value{Of: of, Unit: "sec/iter", Value: row.Iter.Value / 1000, N: row.Iter.N}
		if row.Iter.Bounded() && row.Iter.Half > rounding*row.Iter.Value {
			v.CI95 = row.Iter.Half / 1000
		}
		out = append(out, v)
	}
	return out
}
