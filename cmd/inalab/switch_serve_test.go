package main

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/topo/plan"
)

// written returns a table as a terminal shows it, a line of notes each.
func written(t *testing.T, table render.Table) string {
	t.Helper()
	var out strings.Builder
	if err := render.Write(&out, table, render.Options{Width: 1000}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Of each number of threads the table has what (2T-1)M comes to, and what that leaves.
func TestSlotsTable(t *testing.T) {
	for slots, rows := range map[int][]string{
		8192: {"|       1 |                               256 |                              8192 |", "|       4 |                               448 |                              4680 |"},
		447:  {"|       4 |                               448 |                              252 |", "|      16 |                               496 |                              224 |"},
		3:    {"|       2 |                               384 |                              2 |", "|       4 |                               448 |                              0 |"},
	} {
		text := written(t, slotsTable(slots))
		for _, want := range rows {
			if !strings.Contains(text, want) {
				t.Errorf("%d slots: no row %s in\n%s", slots, want, text)
			}
		}
	}
}

// What --faithful changes stands below the table, of the engine that runs.
func TestServedTableSaysWhatFaithfulChanges(t *testing.T) {
	const late, misread = "- --faithful: late packets are not told apart", "values 128 to 159 come back as 192 to 223"
	for name, tc := range map[string]struct {
		serveFlags
		late, misread bool
	}{
		"default":            {serveFlags{pipe: "pipeline"}, false, false},
		"faithful pipeline":  {serveFlags{pipe: "pipeline", faithful: true}, true, true},
		"faithful reference": {serveFlags{pipe: "reference", faithful: true}, true, false},
	} {
		text := written(t, tc.servedTable("mine", live.Served{Plan: &plan.Plan{}}))
		if strings.Contains(text, late) != tc.late || strings.Contains(text, misread) != tc.misread {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
