package runreport

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/reports/render"
)

// meanings of the verdicts.
var meanings = map[string]string{
	result.Exact:   "Exact: the virtual clock gives the same numbers for one seed, always. What they rest on is the model of hosts, links and switches.",
	result.Trusted: "Trusted: no check of timers, drops, processors and compute times found anything that would move the numbers.",
	result.Caution: "Caution: something that was not asked for moved the numbers; the reason says what.",
	result.Busy:    "Busy: the machine was at its limit in the respect that is named. Small differences mean nothing there.",
	result.Invalid: "Invalid: the machine was not up to the run. Its numbers are no results, and are not shown.",
}

// fidelity says of each run how far it can be believed, and why.
func (r *run) fidelity() (out []page.Block) {
	t := r.tally()
	var list page.Bullets
	for _, v := range verdicts {
		if t.by[v] > 0 {
			list.Text = append(list.Text, meanings[v])
		}
	}
	if list.Text == nil {
		return nil
	}
	return append(out, list, long(r.fidelityTable()), page.Paragraph{Small: true, Text: "A sum is checked against the sum of the tensors that its contributors sent, element by element. fidelity.json has all that was measured."})
}

func (r *run) fidelityTable() render.Table {
	t := render.Table{
		Title: "Fidelity of each run",
		Columns: []render.Column{
			{Name: "run"}, {Name: "fidelity"}, {Name: "timers late", Unit: "ms, worst 1%", Align: render.Right, Fold: true}, {Name: "processors busy", Unit: "%", Align: render.Right, Fold: true},
			{Name: "lost unasked", Unit: "packets", Align: render.Right, Fold: true}, {Name: "computes late", Align: render.Right, Fold: true}, {Name: "wrong sums", Align: render.Right}, {Name: "reasons", Wrap: true, Fold: true},
		},
	}
	cells := r.cells()
	for i := range cells {
		c, f := &cells[i], &cells[i].Fidelity
		late, busy := render.NA(), render.NA()
		if c.Clock == "live" {
			late, busy = render.Number(float64(f.TimerLateP99)/1e9, 2), render.Percent(f.CPUBusy)
		}
		reasons := render.NA()
		if len(f.Reasons) > 0 {
			reasons = render.Text(strings.Join(f.Reasons, "; "))
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(r.barName(c) + " at " + c.At()), render.Text(f.Verdict), late, busy, render.Int(f.UnaskedDrops + f.RingDrops), render.Int(f.ComputeOverruns),
			render.Text(fmt.Sprintf("%d of %d", c.Wrong, c.Checked)), reasons,
		})
	}
	return t
}
