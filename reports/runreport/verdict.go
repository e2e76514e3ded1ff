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
	by             map[string]int // runs by fidelity
	wrong, checked uint64
	met, expected  int
}

func (r *Run) tally() (t tally) {
	t.by = map[string]int{}
	for _, c := range r.measured() {
		t.runs++
		t.by[c.Fidelity.Verdict]++
		t.wrong += c.Wrong
		t.checked += c.Checked
	}
	t.expected = len(r.Record.Expected)
	for _, o := range r.Record.Expected {
		if o.Met {
			t.met++
		}
	}
	return t
}

// toneOf is how good a fidelity is.
func toneOf(verdict string) page.Tone {
	switch verdict {
	case result.Trusted, result.Exact:
		return page.Good
	case result.Busy, result.Caution:
		return page.Mixed
	case result.Invalid:
		return page.Bad
	}
	return page.Plain
}

// verdict says in one line how far the report can be believed.
func (t *tally) verdict() page.Verdict {
	v := page.Verdict{Tone: page.Good, Word: "Sound", Text: t.text()}
	switch {
	case t.runs == 0:
		return page.Verdict{Tone: page.Bad, Word: "Empty", Text: "Nothing ran: there are no rows."}
	case t.wrong > 0:
		v.Tone, v.Word = page.Bad, "Wrong sums"
	case t.checked == 0:
		v.Tone, v.Word = page.Bad, "Unchecked"
	case t.met < t.expected:
		v.Tone, v.Word = page.Bad, "Not as expected"
	case t.by[result.Invalid] > 0:
		v.Tone, v.Word = page.Bad, "Not all to be believed"
	case t.by[result.Busy]+t.by[result.Caution] > 0:
		v.Tone, v.Word = page.Mixed, "To be read with care"
	}
	return v
}

// text tells the counts.
func (t *tally) text() string {
	var words []string
	for _, verdict := range []string{result.Exact, result.Trusted, result.Caution, result.Busy, result.Invalid} {
		if n := t.by[verdict]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, verdict))
		}
	}
	text := fmt.Sprintf("%s: %s. ", plural(t.runs, "run"), strings.Join(words, ", "))
	if t.wrong == 0 {
		text += fmt.Sprintf("None of %s checked sums is wrong.", grouped(t.checked))
	} else {
		text += fmt.Sprintf("%s of %s checked sums are wrong.", grouped(t.wrong), grouped(t.checked))
	}
	if t.expected > 0 {
		text += fmt.Sprintf(" %d of %s met.", t.met, plural(t.expected, "expectation"))
	}
	return text
}

// plural counts things.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// grouped writes a number with its digits in groups of three.
func grouped(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
