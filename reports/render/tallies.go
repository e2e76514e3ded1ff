package render

import (
	"io"
	"slices"

	"github.com/inalab/inalab/internal/result"
)

// tallyColumns returns the columns in the order of tallies.csv, behind those of swept keys.
func tallyColumns() []runColumn[result.Tally] {
	type tally = result.Tally
	return append(ofRun[tally](),
		column("job", "", "its name, where several shared the lab", func(c *result.Cell, _ *tally) Cell { return Text(c.Job) }),
		column("tally", "", "what the number is of, in a word", func(_ *result.Cell, t *tally) Cell { return Text(t.Key) }),
		column("value", "", "the number, from the start of the run to its end", func(_ *result.Cell, t *tally) Cell { return Number(t.Value, 3) }),
		column("unit", "", "its unit", func(_ *result.Cell, t *tally) Cell { return Text(t.Unit) }),
	)
}

// Tallies returns the table of tallies.csv: a row for each number that a system made of what its
// nodes counted in a job.
func Tallies(cells []result.Cell) Table {
	return runTable("What systems counted", cells, tallyColumns(), func(c *result.Cell) []result.Tally { return c.Tallies })
}

// WriteTallies writes tallies.csv.
func WriteTallies(w io.Writer, cells []result.Cell) error {
	return writeRuns(w, "tallies.csv", Tallies(cells))
}

// TallySheets returns the same for people: for each system a row for a job, with its numbers side by side.
func TallySheets(cells []result.Cell) (sheets []Table) {
	var systems []string
	for i := range cells {
		if name := cells[i].System; len(cells[i].Tallies) > 0 && !slices.Contains(systems, name) {
			systems = append(systems, name)
		}
	}
	for _, name := range systems {
		own := slices.DeleteFunc(slices.Clone(cells), func(c result.Cell) bool { return c.System != name || len(c.Tallies) == 0 })
		sheets = append(sheets, tallySheet(name, own))
	}
	return sheets
}

// tallySheet returns the sheet of the runs of a system.
func tallySheet(system string, cells []result.Cell) Table {
	columns := folded(ofRun[[]result.Tally]())
	columns = append(columns, column("job", "", "", func(c *result.Cell, _ *[]result.Tally) Cell { return Text(c.Job) }))
	columns[len(columns)-1].Fold = true
	var notes []string
	for i, t := range cells[0].Tallies {
		c := column(t.Key, t.Unit, "", func(_ *result.Cell, list *[]result.Tally) Cell { return Number((*list)[i].Value, digits(t.Unit)) })
		c.Unit, c.Align = t.Unit, Right
		columns = append(columns, c)
		notes = append(notes, t.Key+": "+t.About)
	}
	sheet := runTable("What "+system+" counted", cells, columns, func(c *result.Cell) [][]result.Tally { return [][]result.Tally{c.Tallies} })
	sheet.Notes = notes
	return sheet
}

// digits returns how many decimals people see of a number of a unit: none of what is counted.
func digits(unit string) int {
	switch unit {
	case "packets", "fragments", "contributions", "aggregators", "times", "":
		return 0
	}
	return 1
}
