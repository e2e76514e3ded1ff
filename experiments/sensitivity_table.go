package experiments

import (
	"fmt"
	"math"
	"strings"

	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// Table returns a line for each number of each claim and constant.
func (in Influences) Table() render.Table {
	t := render.Table{
		ID:    "sensitivity",
		Title: "Sensitivity: each result with each assumed constant lowered and raised by 20%",
		Columns: []render.Column{
			{Key: "claim", Name: "claim"}, {Key: "part", Name: "part"}, {Key: "constant", Name: "constant"},
			{Key: "constant_value", Name: "its value", Align: render.Right, Detail: true}, {Key: "constant_unit"},
			{Key: "measured", Name: "measured", Align: render.Right},
			{Key: "low", Name: "at -20%", Align: render.Right}, {Key: "high", Name: "at +20%", Align: render.Right},
			{Key: "unit", Name: "unit", Spare: 1},
			{Key: "effect", Name: "effect", Unit: "%", Align: render.Right},
			{Key: "verdict", Name: "verdict"}, {Key: "verdict_low"}, {Key: "verdict_high"},
			{Key: "flips", Name: "changes to", Wrap: true},
		},
		Notes: in.notes(),
	}
	for i := range in.List {
		t.Rows = append(t.Rows, in.List[i].row())
	}
	return t
}

func (i *Influence) row() []render.Cell {
	return []render.Cell{
		render.Text(string(i.Claim)), render.Text(i.Part), render.Text(i.Constant.Name),
		numberCell(&i.Constant.Value).As(fmt.Sprintf("%v %s", i.Constant.Value, i.Constant.Unit)), render.Text(i.Constant.Unit),
		numberCell(i.Base), numberCell(i.At[0]), numberCell(i.At[1]),
		render.Text(i.Unit), i.effectCell(),
		render.Text(string(i.Verdict)), render.Text(string(i.VerdictAt[0])), render.Text(string(i.VerdictAt[1])),
		render.Bool(i.Flips()).As(i.changesTo()),
	}
}

// changesTo is where the verdict goes: "+20%: not-reproduced".
func (i *Influence) changesTo() string {
	var out []string
	for side, v := range i.VerdictAt {
		if v != i.Verdict {
			out = append(out, fmt.Sprintf("%+d%%: %s", variedBy[side], v))
		}
	}
	if len(out) == 0 {
		return "no"
	}
	return strings.Join(out, ", ")
}

func (i *Influence) effectCell() render.Cell {
	e := i.Effect()
	if math.IsNaN(e) {
		return render.NA()
	}
	text := fmt.Sprintf("%+.1f", 100*e)
	if math.Abs(e) < 0.0005 {
		text = "0.0" // without the sign of what is rounded away
	}
	return render.Percent(e).As(text)
}

func numberCell(x *float64) render.Cell {
	if x == nil {
		return render.NA()
	}
	return render.Exact(*x).As(claims.NumberValue(*x).String())
}

// notes say how to read the table, and what it has no line for.
func (in Influences) notes() []string {
	flips, flipped := 0, map[claims.ID]bool{}
	for i := range in.List {
		if in.List[i].Flips() {
			flips++
			flipped[in.List[i].Claim] = true
		}
	}
	changes := "no changed constant changes a verdict"
	if flips > 0 {
		changes = fmt.Sprintf("verdicts that a changed constant changes: %d of %d lines, claims %d", flips, len(in.List), len(flipped))
	}
	notes := []string{changes, "effect: the larger of both changes of the number, relative to it"}
	for _, f := range in.Failed {
		notes = append(notes, "no number, since the run failed: "+f)
	}
	if len(in.Zero) > 0 {
		notes = append(notes, "not changed, since 20% of zero is nothing: "+strings.Join(in.Zero, ", "))
	}
	if len(in.Firm) > 0 {
		words := make([]string, len(in.Firm))
		for i, id := range in.Firm {
			words[i] = string(id)
		}
		notes = append(notes, "no assumed constant is asked for by: "+strings.Join(words, ", "))
	}
	return notes
}
