package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
)

// viewed is the view of an engine with one row.
func viewed(pfe, word string, total int, notes ...string) control.EngineTable {
	t := dataplane.Table{Columns: []dataplane.Column{{Key: "what", Name: "what"}}, Notes: notes}
	t.Add(dataplane.Text(word))
	t.Total = total
	return control.EngineTable{PFE: pfe, Table: t}
}

// People see engines that show the same once; programs get a row of each. A note
// of all engines stands alone, any other with whose it is.
func TestViewTable(t *testing.T) {
	answer := control.Response{Switch: "mx480", At: units.Time(12345678 * units.Microsecond), Tables: []control.EngineTable{
		viewed("pfe1", "a", 1, "of all"), viewed("pfe2", "b", 9, "of all"), viewed("pfe3", "a", 1, "of all"),
	}}
	for people, want := range map[bool][][]render.Cell{
		true:  {{render.Text("pfe1,pfe3"), render.Text("a")}, {render.Text("pfe2"), render.Text("b")}},
		false: {{render.Text("pfe1"), render.Text("a")}, {render.Text("pfe2"), render.Text("b")}, {render.Text("pfe3"), render.Text("a")}},
	} {
		table := viewTable("demo", dataplane.ViewStats, answer, people)
		if !reflect.DeepEqual(table.Rows, want) {
			t.Errorf("people %v: rows %v, want %v", people, table.Rows, want)
		}
		if want := []string{"of all", "pfe2: 1 of 9 rows; --limit asks for more"}; !slices.Equal(table.Notes, want) {
			t.Errorf("notes %q, want %q", table.Notes, want)
		}
		if table.Title != "stats of mx480, lab demo, 12.345s into the run" {
			t.Errorf("title %q", table.Title)
		}
	}
	answer.Tables[1] = viewed("pfe2", "a", 1, "of all")
	if table := viewTable("demo", dataplane.ViewStats, answer, true); len(table.Rows) != 1 || !reflect.DeepEqual(table.Rows[0][0], render.Text("pfe1-pfe3")) {
		t.Errorf("three engines with one table: %+v", table.Rows)
	}
	answer.Tables = []control.EngineTable{{PFE: "engine", Table: dataplane.Table{Columns: []dataplane.Column{{Key: "what"}}}}}
	if table := viewTable("demo", dataplane.ViewStats, answer, true); len(table.Rows) != 0 || len(table.Notes) != 1 {
		t.Errorf("an empty view: %+v", table)
	}
}

// Of a job with many counters people see the first ones, and which are left out.
func TestRemovedTable(t *testing.T) {
	taken := control.Taken{PFE: "engine"}
	for k := range 12 {
		taken.Counters = append(taken.Counters, sansio.Count{Name: fmt.Sprintf("packets-of-kind-%d", k), N: 7})
	}
	var out strings.Builder
	if err := render.Write(&out, removedTable("job 3, removed", []control.Taken{taken}), render.Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 121 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
	if s := out.String(); !strings.Contains(s, "packets-of-kind-0") || !strings.Contains(s, "left out to fit 120 columns: ") {
		t.Errorf("it says\n%s", s)
	}
}
