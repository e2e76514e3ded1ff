package render

import (
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
)

// tallyCells are runs of two jobs of one system that counts, and one that does not.
func tallyCells() []result.Cell {
	tallies := func(collisions, share float64) []result.Tally {
		return []result.Tally{
			{Key: "collisions", Unit: "packets", About: "packets that came to an aggregator of another", Value: collisions},
			{Key: "in_switch", Unit: "%", About: "contributions that switches added", Value: share},
		}
	}
	cells := flowCells()
	other := cells[0]
	cells[0].Job, cells[0].Tallies = "a", tallies(12, 87.25)
	other.Job, other.Tallies = "b", tallies(0, 100)
	return []result.Cell{cells[0], other, cells[1]}
}

func TestTallies(t *testing.T) {
	golden.Equal(t, "tallies.csv", write(t, Tallies(tallyCells()), Options{Format: FormatCSV}))
	text := ""
	for _, sheet := range TallySheets(tallyCells()) {
		text += write(t, sheet, Options{})
	}
	golden.Equal(t, "tallies.txt", text)
	if len(TallySheets(flowCells())) != 0 {
		t.Error("systems that count nothing have a sheet")
	}
}
