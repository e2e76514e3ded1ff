package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/compare"
)

// shownDecisions is how many decisions of a run people see below its table (assumed: more are not read).
const shownDecisions = 10

// decisionColumns returns the columns in the order of decisions.csv, behind those of swept keys.
func decisionColumns() []runColumn[result.Decision] {
	type decision = result.Decision
	return append(ofRun[decision](),
		column("job", "", "its name, where several shared the lab", func(c *result.Cell, _ *decision) Cell { return Text(c.Job) }),
		column("time_s", "s", "since the start of the run", func(_ *result.Cell, d *decision) Cell { return Number(d.At.Sub(0).Seconds(), 6) }),
		column("node", "", "the server that decided", func(_ *result.Cell, d *decision) Cell { return Text(d.Node) }),
		column("decision", "", "what it decided, and why", func(_ *result.Cell, d *decision) Cell { return Text(d.Text) }),
	)
}

// Decisions returns the table of decisions.csv: a row for each thing that a server decided by itself.
func Decisions(cells []result.Cell) Table {
	return runTable("What servers decided", cells, decisionColumns(), func(c *result.Cell) []result.Decision { return c.Decisions })
}

// WriteDecisions writes decisions.csv.
func WriteDecisions(w io.Writer, cells []result.Cell) error {
	return writeRuns(w, "decisions.csv", Decisions(cells))
}

// decided returns what servers decided, for people: the same of several servers once, and the first of many.
func decided(r compare.Row) (out []string) {
	for i, d := range r.Decisions {
		same := func(e result.Decision) bool { return e.At == d.At && e.Text == d.Text }
		if slices.IndexFunc(r.Decisions, same) < i {
			continue
		}
		if len(out) == shownDecisions {
			return append(out, fmt.Sprintf("there are more: decisions.csv has all %d", len(r.Decisions)))
		}
		var who []string
		for _, e := range r.Decisions {
			if same(e) {
				who = append(who, e.Node)
			}
		}
		out = append(out, fmt.Sprintf("%s at %.6g ms: %s", strings.Join(who, ", "), d.At.Sub(0).Milliseconds(), d.Text))
	}
	return out
}
