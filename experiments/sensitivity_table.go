package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// Table returns a line for each number of each claim and constant.
func (in Influences) Table() render.Table {
	t := render.Table{
		ID:    "sensitivity",
		Title: "Sensitivity: each result with each assumed constant at the ends of its range",
		Columns: []render.Column{
			{Key: "claim", Name: "claim"}, {Key: "part", Name: "part"}, {Key: "constant", Name: "constant"},
			{Key: "constant_value", Name: "its value", Align: render.Right, Detail: true}, {Key: "constant_unit"},
			{Key: "constant_low"}, {Key: "constant_high"}, {Name: "its range"},
			{Key: "measured", Name: "measured", Align: render.Right},
			{Key: "low", Name: "low end", Align: render.Right}, {Key: "high", Name: "high end", Align: render.Right},
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
	at := ends(i.Constant)
	return []render.Cell{
		render.Text(string(i.Claim)), render.Text(i.Part), render.Text(i.Constant.Name),
		numberCell(&i.Constant.Value).As(fmt.Sprintf("%v %s", i.Constant.Value, i.Constant.Unit)), render.Text(i.Constant.Unit),
		render.Exact(at[0]), render.Exact(at[1]), render.Text(i.Range()),
		numberCell(i.Base), numberCell(i.At[0]), numberCell(i.At[1]),
		render.Text(i.Unit), i.effectCell(),
		render.Text(string(i.Verdict)), render.Text(string(i.VerdictAt[0])), render.Text(string(i.VerdictAt[1])),
		render.Bool(i.Flips()).As(i.changesTo()),
	}
}

// Range is between what values the constant was changed: "2..4 ns".
func (i *Influence) Range() string {
	at := ends(i.Constant)
	return fmt.Sprintf("%.4g..%s", at[0], valueText(at[1], i.Constant.Unit))
}

// valueText is the value of a constant with its unit.
func valueText(v float64, unit string) string { return fmt.Sprintf("%.4g %s", v, unit) }

// changesTo is where the verdict goes: "at 12 us: not-reproduced".
func (i *Influence) changesTo() string {
	var out []string
	for side, at := range ends(i.Constant) {
		if v := i.VerdictAt[side]; v != i.Verdict {
			out = append(out, fmt.Sprintf("at %s: %s", valueText(at, i.Constant.Unit), v))
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
	return render.Percent(e).As(i.EffectText())
}

// EffectText is the effect in percent, with its sign; "" where there is none.
func (i *Influence) EffectText() string {
	switch e := i.Effect(); {
	case math.IsNaN(e):
		return ""
	case math.Abs(e) < 0.0005:
		return "0.0" // without the sign of what is rounded away
	default:
		return fmt.Sprintf("%+.1f", 100*e)
	}
}

func numberCell(x *float64) render.Cell {
	if x == nil {
		return render.NA()
	}
	return render.Exact(*x).As(claims.NumberValue(*x).String())
}

// notes say how to read the table, and what it has no line for.
func (in Influences) notes() []string {
	flips := 0
	var flipped []string
	for i := range in.List {
		if id := string(in.List[i].Claim); in.List[i].Flips() {
			flips++
			if !slices.Contains(flipped, id) {
				flipped = append(flipped, id)
			}
		}
	}
	changes := "no verdict changes within the range of a constant"
	if flips > 0 {
		changes = fmt.Sprintf("undetermined, since the verdict changes within the range of what is assumed (%d of %d lines): %s", flips, len(in.List), strings.Join(flipped, ", "))
	}
	notes := []string{changes, "effect: the larger of both changes of the number, relative to it"}
	for _, f := range in.Failed {
		notes = append(notes, "no number, since the run failed: "+f)
	}
	if len(in.Zero) > 0 {
		notes = append(notes, "not changed, since a fifth of zero is nothing: "+strings.Join(in.Zero, ", "))
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
