package claimreport

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/reports/render"
)

// all are the claims of the record.
func (c *check) all() (out []*Claim) {
	for i := range c.Record.Claims {
		out = append(out, &c.Record.Claims[i])
	}
	return out
}

// ofPapers are the claims but those of this project, which no paper makes.
func ofPapers(list []*Claim) []*Claim {
	return slices.DeleteFunc(slices.Clone(list), func(c *Claim) bool { return c.Origin == claims.Own })
}

// ours counts the claims of this project by verdict.
func ours(list []*Claim) map[claims.Verdict]int {
	out := map[claims.Verdict]int{}
	for _, c := range list {
		if c.Origin == claims.Own {
			out[c.Verdict]++
		}
	}
	return out
}

func tally(list []*Claim) claims.Tally {
	t := claims.NewTally()
	for _, c := range list {
		t.Add(c.Evidence, c.Verdict)
	}
	return t
}

func having(list []*Claim, verdicts ...claims.Verdict) (n int) {
	for _, c := range list {
		if slices.Contains(verdicts, c.Verdict) {
			n++
		}
	}
	return n
}

func unexpected(list []*Claim) (out []*Claim) {
	for _, c := range list {
		if !c.Expected {
			out = append(out, c)
		}
	}
	return out
}

// banner is what the check came to.
func (c *check) banner() page.Verdict {
	all := c.all()
	v := page.Verdict{Level: page.Good, Text: "Nothing was checked: there are no claims here."}
	if len(all) == 0 {
		v.Level = page.Doubt
	} else {
		v.Text = outcome(all)
	}
	odd := unexpected(all)
	switch {
	case c.Record.Incomplete != "":
		v.Level = page.Bad
		v.Text += " The check is incomplete: " + sentence(c.Record.Incomplete)
	case len(odd) > 0:
		v.Level = page.Bad
	case having(ofPapers(all), claims.KnownFail, claims.NotReproduced, claims.Undetermined) > 0:
		v.Level = page.Plain
	}
	for _, verdict := range claims.Verdicts {
		if n := having(ofPapers(all), verdict); n > 0 {
			v.Facts = append(v.Facts, page.Fact{Level: levelOf(verdict), Name: string(verdict), Value: fmt.Sprint(n)})
		}
	}
	return v
}

// outcome is the check in a few sentences. Verdicts that no claim has are not named.
func outcome(all []*Claim) string {
	papers := ofPapers(all)
	var words []string
	for _, w := range []struct{ verdict, word string }{
		{string(claims.Reproduced), "reproduced"}, {string(claims.WithinBand), "within a wide band"}, {string(claims.DirectionOnly), "right in direction only"},
		{string(claims.KnownFail), "failed for a known reason"}, {string(claims.NotReproduced), "not reproduced"}, {string(claims.Undetermined), "undetermined"},
	} {
		if n := having(papers, claims.Verdict(w.verdict)); n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, w.word))
		}
	}
	text := "Of " + plural(len(papers), "claim") + ": " + listed(append(words, rest(papers)...)) + "."
	if n := len(all) - len(papers); n > 0 {
		text += fmt.Sprintf(" Counted apart: %d of this project, which no paper makes.", n)
	}
	if n := len(unexpected(all)); n > 0 {
		return text + fmt.Sprintf(" %d did not come out as the ledger expects.", n)
	}
	return text + " All came out as the ledger expects."
}

// rest are the claims that the sentence has no verdict for.
func rest(all []*Claim) []string {
	n := having(all, claims.ByArithmetic, claims.Input, claims.Predicted, claims.NotCheckable, claims.NeedsRoot, claims.NotYet)
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d counted as neither (arithmetic, inputs, others)", n)}
}

// lead names what came out unexpectedly, and shows the papers beside each other.
func (c *check) lead() (out []page.Block) {
	var odd page.Links
	for _, k := range unexpected(c.all()) {
		odd = append(odd, page.Link{Name: k.ID, ID: c.addresses[k]})
	}
	if odd != nil {
		out = append(out, page.Paragraph{Text: "Not as the ledger expects:"}, odd)
	}
	if len(c.papers) > 0 {
		out = append(out, c.bars())
	}
	return out
}

// bars are the papers by how their claims came out.
func (c *check) bars() page.Bars {
	groups := []struct {
		name     string
		verdicts []claims.Verdict
	}{
		{"reproduced", []claims.Verdict{claims.Reproduced}},
		{"in a band, or in direction only", []claims.Verdict{claims.WithinBand, claims.DirectionOnly}},
		{"not judged: arithmetic, inputs, and others", []claims.Verdict{claims.ByArithmetic, claims.Input, claims.Predicted, claims.NotCheckable, claims.NeedsRoot, claims.NotYet}},
		{"undetermined or failed", []claims.Verdict{claims.Undetermined, claims.NotReproduced, claims.KnownFail}},
	}
	b := page.Bars{Title: "Claims of each paper by what came of them", Unit: "claims", Whole: true}
	for _, g := range groups {
		b.Parts = append(b.Parts, g.name)
	}
	for _, p := range c.papers {
		bar := page.Bar{Name: p.name()}
		for _, g := range groups {
			bar.Values = append(bar.Values, float64(having(ofPapers(p.claims), g.verdicts...)))
		}
		b.Bars = append(b.Bars, bar)
	}
	return b
}

// totals count by verdict and paper, and by verdict and evidence.
func (c *check) totals() []page.Block {
	all := c.all()
	if len(all) == 0 {
		return nil
	}
	out := []page.Block{page.Table{Table: c.byPaper(all)}}
	if t := tally(ofPapers(all)).Table(ours(all)); len(t.Rows) > 0 {
		t = titled(t, "By verdict and evidence")
		t.Notes = append(t.Notes, "Arithmetic and inputs are never counted as reproduced: no behaviour of the code can fail them.")
		if n := having(all, claims.NotCheckable); n > 0 {
			t.Notes = append(t.Notes, plural(n, "claim")+" that nothing can check here have no evidence, and are not in this table.")
		}
		out = append(out, page.Table{Table: t})
	}
	for _, n := range c.Record.Notes {
		out = append(out, page.Paragraph{Text: sentence(capital(n)), Small: true})
	}
	return out
}

func titled(t render.Table, title string) render.Table {
	t.Title = title
	return t
}

// byPaper counts verdicts of each paper.
func (c *check) byPaper(all []*Claim) render.Table {
	t := render.Table{Title: "By verdict and paper", Columns: []render.Column{{Name: "verdict"}}}
	for _, p := range c.papers {
		t.Columns = append(t.Columns, render.Column{Name: p.name(), Align: render.Right})
	}
	own := ours(all)
	if len(own) > 0 {
		t.Columns = append(t.Columns, render.Column{Name: "of this project", Align: render.Right})
	}
	t.Columns = append(t.Columns, render.Column{Name: "all", Align: render.Right})
	row := func(name string, count func([]*Claim) int) {
		cells := []render.Cell{render.Text(name)}
		for _, p := range c.papers {
			cells = append(cells, render.Int(count(ofPapers(p.claims))))
		}
		if len(own) > 0 {
			cells = append(cells, render.Int(count(all)-count(ofPapers(all))))
		}
		t.Rows = append(t.Rows, append(cells, render.Int(count(all))))
	}
	for _, v := range claims.Verdicts {
		if having(all, v) > 0 {
			row(string(v), func(list []*Claim) int { return having(list, v) })
		}
	}
	row("all", func(list []*Claim) int { return len(list) })
	return t
}

// search lets readers choose among the claims.
func (c *check) search() *page.Search {
	all := c.all()
	s := &page.Search{Label: "Find claims", Hint: "id, words, verdict, evidence", Groups: []page.Choices{
		{Name: "Verdict", Group: groupVerdict}, {Name: "Evidence", Group: groupEvidence}, {Name: "Paper", Group: groupPaper}, {Name: "Came out", Group: groupExpected}, {Name: "Of the paper", Group: groupKind},
	}}
	count := func(group int, value string, is func(*Claim) bool) {
		n := 0
		for _, k := range all {
			if is(k) {
				n++
			}
		}
		if n > 0 {
			s.Groups[group].Values = append(s.Groups[group].Values, page.Choice{Value: value, Count: n})
		}
	}
	for _, v := range claims.Verdicts {
		count(0, string(v), func(k *Claim) bool { return k.Verdict == v })
	}
	for _, e := range claims.Evidences {
		count(1, string(e), func(k *Claim) bool { return k.Evidence == e })
	}
	for _, p := range c.papers {
		count(2, p.name(), func(k *Claim) bool { return k.Paper == p.id })
	}
	count(3, unexpectedly, func(k *Claim) bool { return !k.Expected })
	count(4, headline, func(k *Claim) bool { return k.Headline })
	count(4, ownClaim, func(k *Claim) bool { return k.Origin == claims.Own })
	s.Groups = slices.DeleteFunc(s.Groups, func(g page.Choices) bool { return len(g.Values) == 0 })
	return s
}
