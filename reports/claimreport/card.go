package claimreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/reports/render"
)

// Groups of the search.
const (
	groupVerdict  = "verdict"
	groupEvidence = "evidence"
	groupPaper    = "paper"
	groupExpected = "expected"
	groupKind     = "kind"

	unexpectedly = "unexpectedly"
	headline     = "headline"
	ownClaim     = "of this project"
)

// levelOf is how good a verdict is.
func levelOf(v claims.Verdict) page.Level {
	switch v {
	case claims.Reproduced, claims.WithinBand:
		return page.Good
	case claims.Undetermined:
		return page.Doubt
	case claims.NotReproduced, claims.KnownFail:
		return page.Bad
	}
	return page.Plain
}

// card is a claim.
func (c *check) card(k *Claim) page.Card {
	out := page.Card{
		ID: c.addresses[k], Title: k.ID, Level: levelOf(k.Verdict), Badge: string(k.Verdict), Text: k.Statement,
		Tags: []page.Tag{
			{Group: groupVerdict, Value: string(k.Verdict), Hidden: true},
			{Group: groupPaper, Value: (&paper{id: k.Paper}).name(), Hidden: true},
			{Value: k.Where},
		},
	}
	if k.Evidence != "" {
		out.Tags = append(out.Tags, page.Tag{Group: groupEvidence, Value: string(k.Evidence), Before: "evidence: "})
	}
	if k.Switch != "" {
		out.Tags = append(out.Tags, page.Tag{Value: k.Switch, Before: "switch: "})
	}
	if !k.Expected {
		out.Tags = append(out.Tags, page.Tag{Group: groupExpected, Value: unexpectedly})
	}
	if k.Origin == claims.Own {
		out.Tags = append(out.Tags, page.Tag{Group: groupKind, Value: ownClaim})
	}
	if k.Headline {
		out.Tags = append(out.Tags, page.Tag{Group: groupKind, Value: headline})
	}
	if k.Weak && levelOf(k.Verdict) != page.Bad {
		out.Tags = append(out.Tags, page.Tag{Value: "weak: a model without the effect would pass too"})
	}
	out.Facts, out.Gauge = k.facts(), k.gauge()
	out.Blocks = k.blocks()
	return out
}

// facts are the printed and the measured value, and what counts as a pass; those of several parts are in a table.
func (k *Claim) facts() []page.Fact {
	if len(k.Parts) > 0 {
		if k.Printed == "" || k.partsPrinted() {
			return nil
		}
		return []page.Fact{{Name: "Paper", Value: k.Printed}}
	}
	measured := page.Fact{Name: "Measured", Value: cmp.Or(withUnit(k.Measured, k.Unit), "not measured")}
	if k.Verdict == claims.Predicted {
		return []page.Fact{{Name: "Paper", Value: "predicted, not compared"}, {Name: "Predicted", Value: measured.Value}}
	}
	out := []page.Fact{{Name: "Paper", Value: cmp.Or(withUnit(k.Printed, k.Unit), "no number")}, measured}
	if k.Tolerance != "" {
		out = append(out, page.Fact{Name: "A pass", Value: k.Tolerance})
	}
	return out
}

// withUnit puts a unit behind a value that begins with a number.
func withUnit(value, unit string) string {
	if unit == "-" || !strings.ContainsAny(value[:min(1, len(value))], "0123456789+-.≤≥<>") {
		return value
	}
	return strings.TrimSpace(value + " " + unit)
}

// blocks are the parts, the reason, and what the reader may open.
func (k *Claim) blocks() (out []page.Block) {
	if len(k.Parts) > 0 {
		out = append(out, page.Table{Table: k.parts(), Plain: true})
	}
	out = append(out, k.why()...)
	if len(k.Ends) > 0 {
		out = append(out, page.Table{Table: k.ends(), Plain: true})
	}
	if text := k.sensitivity(); text != "" {
		out = append(out, page.Paragraph{Text: text, Small: true})
	}
	return append(out, k.more())
}

func (k *Claim) gauge() *page.Gauge {
	s := k.Scale
	if s == nil {
		return nil
	}
	label := fmt.Sprintf("Paper %s, measured %s", cmp.Or(k.Printed, "nothing"), cmp.Or(k.Measured, "nothing"))
	return &page.Gauge{
		Label: label, Low: s.Low, High: s.High, Stated: s.Printed, Measured: s.Measured, HalfWidth: s.Half, ExpectFrom: s.From, Until: s.To,
	}
}

// parts sets the values of a claim beside each other.
func (k *Claim) parts() render.Table {
	t := render.Table{Title: "Parts of " + k.ID, Columns: []render.Column{
		{Name: "part"}, {Name: "measured", Align: render.Right}, {Name: "a pass"}, {Name: "paper", Align: render.Right},
	}}
	const most = 30 // characters on a line (assumed: a small screen)
	if slices.ContainsFunc(k.Parts, func(p Part) bool { return len(p.Measured) > most }) {
		t.Columns[1] = render.Column{Name: "measured", Wrap: true}
	}
	if !k.partsPrinted() {
		t.Columns = t.Columns[:3]
	}
	for _, p := range k.Parts {
		row := []render.Cell{render.Text(p.Name), render.Text(p.Measured), render.Text(p.Tolerance), render.Text(p.Printed)}
		t.Rows = append(t.Rows, row[:len(t.Columns)])
	}
	return t
}

// partsPrinted reports whether the paper prints values of parts.
func (k *Claim) partsPrinted() bool {
	return slices.ContainsFunc(k.Parts, func(p Part) bool { return p.Printed != "" })
}

// why is the reason of the verdict: that of the ledger first, then what the check said.
func (k *Claim) why() (out []page.Block) {
	reason, declared := k.Reason, k.Declared
	for _, e := range k.Ends { // they have a table
		reason, _, _ = strings.Cut(reason, "; at "+e.At+" ")
	}
	if rest, ok := strings.CutPrefix(reason, declared+": "); ok && declared != "" {
		out, reason = append(out, page.Paragraph{Text: sentence(upper(declared))}), rest
	}
	return append(out, page.Paragraph{Text: sentence(upper(reason)), Small: true})
}

// upper begins text as a sentence, if it begins with a word and not with a name.
func upper(text string) string {
	word, _, _ := strings.Cut(text, " ")
	word = strings.TrimRight(word, ",;")
	if word == "" || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return text
	}
	return capital(text)
}

// capital makes the first letter a capital.
func capital(text string) string {
	n := min(1, len(text))
	return strings.ToUpper(text[:n]) + text[n:]
}

// ends is what was measured at both ends of what is assumed.
func (k *Claim) ends() render.Table {
	t := render.Table{Title: "Ends of " + k.ID, Columns: []render.Column{
		{Name: "with what is assumed at", Wrap: true}, {Name: "the check"}, {Name: "measured", Wrap: true},
	}}
	for _, e := range k.Ends {
		word := "fails"
		if e.Meets {
			word = "holds"
		}
		t.Rows = append(t.Rows, []render.Cell{render.Text(e.At), render.Text(word), render.Text(e.Measured)})
	}
	return t
}

// sensitivity says which constant moves the claim most, and which change its verdict.
func (k *Claim) sensitivity() string {
	if len(k.Influences) == 0 {
		return ""
	}
	text := "Sensitivity: "
	if first := k.Influences[0]; first.Effect != "" {
		text += fmt.Sprintf("%s moves it most, by %s over %s; ", first.Constant, first.Effect, first.Range)
	}
	var flips []string
	for _, i := range k.Influences {
		for side, v := range i.Verdicts {
			if v != k.Verdict {
				flips = append(flips, fmt.Sprintf("%s at the %s end of %s makes it %s", i.Constant, [...]string{"lower", "upper"}[side], i.Range, v))
			}
		}
	}
	if flips == nil {
		return text + "no constant changes the verdict within its range."
	}
	return text + strings.Join(flips, "; ") + "."
}

// more is what the reader may open.
func (k *Claim) more() page.Details {
	var list page.List
	add := func(name, value string) {
		if value != "" {
			list = append(list, page.Item{Name: name, Value: value})
		}
	}
	add("A pass, in words", k.Accept)
	add("Why so", k.Why)
	if k.PassMeans != "" {
		add("A pass means", string(k.PassMeans))
	}
	if len(k.Parts) > 0 && k.Unit != "-" {
		add("Unit", k.Unit+", but for parts that name their own")
	}
	add("How it is checked", k.How)
	add("Under", k.Conditions)
	add("Readings taken", k.Reading)
	add("Model", k.Model)
	add("Assumed constants", strings.Join(k.Constants, ", "))
	add("Note", k.Note)
	add("Quick", k.Quick)
	add("Same as", strings.Join(k.SameAs, ", "))
	add("Experiment", k.Experiment)
	out := page.Details{Summary: "How it was checked, and what it rests on", Blocks: []page.Block{list}}
	if len(k.Influences) > 0 {
		out.Blocks = append(out.Blocks, page.Table{Table: k.influences(), Plain: true})
	}
	return out
}

// influences has a line for each assumed constant.
func (k *Claim) influences() render.Table {
	t := render.Table{Title: "Sensitivity of " + k.ID, Columns: []render.Column{
		{Name: "part"}, {Name: "constant"}, {Name: "range"}, {Name: "low end", Align: render.Right}, {Name: "high end", Align: render.Right},
		{Name: "effect", Align: render.Right}, {Name: "verdicts"},
	}}
	for _, i := range k.Influences {
		verdicts := string(i.Verdicts[0])
		if i.Verdicts[1] != i.Verdicts[0] {
			verdicts += ", " + string(i.Verdicts[1])
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(i.Part), render.Text(i.Constant), render.Text(i.Range), render.Text(i.Low), render.Text(i.High), render.Text(i.Effect), render.Text(verdicts),
		})
	}
	return t
}
