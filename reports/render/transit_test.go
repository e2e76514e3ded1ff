package render

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
)

// transitCells are runs through programs, of which one told a collector of the flow noise.
func transitCells() []result.Cell {
	cells := flowCells()
	cells[0].Transit = []result.TransitCount{{Switch: "tor", Program: "telemetry", Counter: "pfe-packets", N: 1000}, {Switch: "tor", Program: "telemetry", Counter: "telemetry-reports", N: 12}}
	cells[1].Transit = []result.TransitCount{{Switch: "tor", Program: "telemetry", Counter: "pfe-packets", N: 70}}
	cells[0].Reports = []result.Report{{Program: "telemetry", Switch: "tor", Collector: "h5", From: "h1", To: "h2", Reports: 12, Packets: 990, Bytes: 1_498_860}}
	cells[0].Collected, cells[1].Collected = true, true
	return cells
}

func TestTransit(t *testing.T) {
	for name, table := range map[string]Table{"transit": Transit(transitCells()), "reports": Reports(transitCells())} {
		golden.Equal(t, name+".txt", write(t, table, Options{}))
		golden.Equal(t, name+".csv", write(t, table, Options{Format: FormatCSV}))
	}
}

// Flows tell how often collectors were told of their hosts, in their direction; people see it where
// there is a collector.
func TestReportsOfFlows(t *testing.T) {
	cells := transitCells()
	var got []string
	for _, r := range Flows(cells).Records() {
		text, _ := r.Number("reports")
		got = append(got, r.Name()+": "+text)
	}
	want := "ring flow noise from h1 to h2: 12; ring flow bulk from h0 to h3: 0; switchml256 at p=16% flow bulk from h0 to h3: 0"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if text := write(t, Flows(cells), Options{}); !strings.Contains(text, "| reports |") {
		t.Errorf("people do not see reports:\n%s", text)
	}
	if text := write(t, Flows(flowCells()), Options{Format: FormatCSV}); !strings.Contains(text, ",2896,\n") {
		t.Errorf("without a collector:\n%s", text)
	}
}

func TestRunKeys(t *testing.T) {
	for _, name := range RunTables {
		if keys := RunKeys(name); len(keys) < 6 || keys[0] != "system" {
			t.Errorf("%s has the columns %v", name, keys)
		}
	}
	if RunKeys("samples") != nil {
		t.Error("samples are a table")
	}
}
