package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/compare"
)

// Decisions have a row each; people see those of several servers once, and the first of many.
func TestDecisions(t *testing.T) {
	cells := flowCells()
	cells[0].Decide([]result.Decision{{At: units.Time(735 * units.Millisecond), Node: "h9", Text: "h7 left: no report since 3 periods"}})
	cells[0].Decide([]result.Decision{{Node: "h9", Text: "no XDP"}, {Node: "h9", Text: "the tree is ps(s1(w1 w2) w3)"}})
	cells[0].Decide([]result.Decision{{Node: "h7", Text: "no XDP"}})
	golden.Equal(t, "decisions.csv", write(t, Decisions(cells), Options{Format: FormatCSV}))
	row := compare.Row{Decisions: cells[0].Decisions}
	want := "h9, h7 at 0 ms: no XDP\nh9 at 0 ms: the tree is ps(s1(w1 w2) w3)\nh9 at 735 ms: h7 left: no report since 3 periods"
	if got := strings.Join(decided(row), "\n"); got != want {
		t.Errorf("decided\n%s\nwant\n%s", got, want)
	}
	for i := range 20 {
		row.Decisions = append(row.Decisions, result.Decision{At: units.Time(units.Second), Node: "h9", Text: fmt.Sprint(i)})
	}
	if got := decided(row); len(got) != shownDecisions+1 || got[shownDecisions] != "there are more: decisions.csv has all 24" {
		t.Errorf("%q", got)
	}
}
