package runreport

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/page"
)

// tally is how the runs came out.
type tally struct {
	runs           int
	by             map[string]int // runs by fidelity; looked up
	wrong, checked uint64         // delivered elements
	unchecked      int            // runs of which no sum was checked
	met, expected  int
}

// verdicts are those of fidelity, the best first.
var verdicts = []string{result.Exact, result.Trusted, result.Caution, result.Busy, result.Invalid}

func (r *run) tally() (t tally) {
	t.by = map[string]int{}
	for _, c := range r.cells() {
		t.runs++
		t.by[c.Fidelity.Verdict]++
		t.wrong += c.Wrong
		t.checked += c.Checked
		if c.Checked == 0 {
			t.unchecked++
		}
	}
	t.expected = len(r.Record.Expected)
	for _, o := range r.Record.Expected {
		if o.Met {
			t.met++
		}
	}
	return t
}

// level is how good the whole is.
func (t *tally) level() page.Level {
	switch {
	case t.runs == 0 || t.wrong > 0 || t.met < t.expected || t.by[result.Invalid] > 0:
		return page.Bad
	case t.by[result.Busy]+t.by[result.Caution]+t.unchecked > 0:
		return page.Doubt
	}
	return page.Good
}

// text says it in one sentence.
func (t *tally) text() string {
	if t.runs == 0 {
		return "Nothing ran: there are no rows."
	}
	parts := []string{t.fidelity(), t.sums()}
	switch {
	case t.expected == 0:
	case t.met == t.expected:
		parts = append(parts, "and every expectation is met")
	default:
		parts = append(parts, fmt.Sprintf("and %d of %s failed", t.expected-t.met, plural(t.expected, "expectation")))
	}
	if len(parts) == 2 {
		return sentence(parts[0] + ", and " + parts[1])
	}
	return sentence(strings.Join(parts, ", "))
}

// fidelity says how far the runs can be believed.
func (t *tally) fidelity() string {
	if len(t.by) == 1 {
		for _, v := range verdicts {
			if t.by[v] == 1 {
				return "The only run is " + v
			}
			if t.by[v] > 0 {
				return fmt.Sprintf("All %d runs are %s", t.runs, v)
			}
		}
	}
	return "Of " + plural(t.runs, "run") + ", " + strings.Replace(t.counts(), " ", " are ", 1)
}

// counts lists the runs by fidelity.
func (t *tally) counts() string {
	var parts []string
	for _, v := range verdicts {
		if n := t.by[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

func (t *tally) sums() string {
	switch {
	case t.wrong > 0:
		return fmt.Sprintf("%s of %s checked sums are wrong", grouped(t.wrong), grouped(t.checked))
	case t.checked == 0:
		return "no sum was checked"
	case t.unchecked > 0:
		return fmt.Sprintf("no sum is wrong, but of %s none was checked", plural(t.unchecked, "run"))
	}
	return "no sum is wrong"
}

// banner is the verdict of a run.
func (r *run) banner() page.Verdict {
	t := r.tally()
	v := page.Verdict{Level: t.level(), Text: t.text()}
	fidelity := page.Good
	if t.by[result.Invalid] > 0 {
		fidelity = page.Bad
	} else if t.by[result.Busy]+t.by[result.Caution] > 0 {
		fidelity = page.Doubt
	}
	v.Facts = []page.Fact{
		{Level: fidelity, Name: "Fidelity of the runs", Value: t.counts()},
		{Level: good(t.wrong == 0 && t.checked > 0), Name: "Wrong sums", Value: grouped(t.wrong) + " of " + grouped(t.checked)},
	}
	if t.expected > 0 {
		v.Facts = append(v.Facts, page.Fact{Level: good(t.met == t.expected), Name: "Expectations met", Value: fmt.Sprintf("%d of %d", t.met, t.expected)})
	}
	m := &r.Manifest
	v.Facts = append(v.Facts, page.Fact{Name: "Clock", Value: m.Clock}, page.Fact{Name: "Scale", Value: fmt.Sprintf("1/%d", max(1, m.Scale))})
	if !m.Started.IsZero() {
		v.Facts = append(v.Facts, page.Fact{Name: "Begun", Value: m.Started.UTC().Format(minute)})
	}
	return v
}

// minute is how instants are written.
const minute = "2006-01-02 15:04 UTC"

func good(is bool) page.Level {
	if is {
		return page.Good
	}
	return page.Bad
}

// plural counts things.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// grouped writes a number with thin spaces between thousands.
func grouped(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}
