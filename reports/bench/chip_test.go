package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/render"
)

// Engines are compared by their medians, the first being the reference; sums that
// were wrong in any run are told.
func TestChipLive(t *testing.T) {
	var c Chip
	runs := [][]AllReduce{
		{{AggregateInput: 9, TimeUs: 9}, {AggregateInput: 10, TimeUs: 8}, {AggregateInput: 2, TimeUs: 20}},
		{{AggregateInput: 6, TimeUs: 7, Wrong: 1}, {AggregateInput: 3, TimeUs: 14}},
	}
	if err := c.SetLive([]string{"reference", "microcode"}, runs); err != nil {
		t.Fatal(err)
	}
	if r := c.Live[0]; r.Median != 9 || r.Goodput != 10 || r.Reference != 1 || r.Runs != 3 {
		t.Errorf("reference %+v", r)
	}
	if r := c.Live[1]; r.Median != 4.5 || r.Reference != 0.5 || r.Wrong != 1 || r.Goodput != 6 {
		t.Errorf("microcode %+v", r)
	}
	if err := new(Chip).SetLive([]string{"reference"}, [][]AllReduce{nil}); err == nil || !strings.Contains(err.Error(), "reference") {
		t.Errorf("no runs: error %v", err)
	}
}

// The ratio is that of runs that followed each other, not of the medians.
func TestChipRatio(t *testing.T) {
	engines := []string{"reference", "pipeline"}
	paired := result.ChipTables{Paired: true}
	c := Chip{Tables: paired}
	err := c.SetLive(engines, [][]AllReduce{
		{{AggregateInput: 10, TimeUs: 1}, {AggregateInput: 2, TimeUs: 5}, {AggregateInput: 8, TimeUs: 2}},
		{{AggregateInput: 5, TimeUs: 2}, {AggregateInput: 1.5, TimeUs: 6, Wrong: 3}, {AggregateInput: 2, TimeUs: 5}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.paired.Median != 0.5 || c.paired.Least != 0.25 || c.Live[1].Median != 2 || c.Live[1].Wrong != 3 {
		t.Errorf("%+v, %+v", c, c.paired)
	}
	for what, runs := range map[string][][]AllReduce{
		"not by turns": {{{}, {}}, {{}}}, "one engine": {{{}}}, "nothing moved": {{{}}, {{AggregateInput: 1}}},
	} {
		c := Chip{Tables: paired}
		if err := c.SetLive(engines[:len(runs)], runs); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// carrying is a chip whose rows differ in what packets carry.
func carrying() *Chip {
	return &Chip{
		Tables: result.ChipTables{
			Live: "On real packets", Alone: "With time", Note: "all is executed", Row: "carries",
			Work: []result.ChipWork{{Rate: result.ChipColumn{Key: "xtxns_per_s", Name: "XTXNs"}}, {Rate: result.ChipColumn{Key: "instructions_per_s", Name: "instructions"}}},
		},
		Live:  []ChipLive{{Engine: "reference", Runs: 2, Median: 9, Goodput: 10, Reference: 1, Checked: 5}},
		Alone: []ChipAlone{{result.ChipRun{Row: Lengths, Packets: 100, Work: []uint64{1500, 2000}}, []float64{0.5, 0.4, 0.9}}},
	}
}

// turned is a chip whose rows are engines, of two sizes of packets.
func turned() *Chip {
	return &Chip{
		Tables: result.ChipTables{
			Live: "On real packets", Paired: true, Alone: "A switch alone", Note: "all is executed", Row: "engine", Elements: result.ChipColumn{Key: "elements", Name: "values a packet"},
			Work: []result.ChipWork{{Total: result.ChipColumn{Key: "passes", Name: "passes"}, Rate: result.ChipColumn{Key: "passes_per_s", Name: "passes"}}},
		},
		Live:   []ChipLive{{Engine: "reference", Runs: 2, Median: 9, Goodput: 10, Reference: 1, Checked: 5}, {Engine: "pipeline", Runs: 2, Median: 4, Goodput: 5, Reference: 0.44}},
		paired: &chipRatio{Median: 0.42, Least: 0.4},
		Alone: []ChipAlone{
			{result.ChipRun{Row: "reference", Elements: 64, Packets: 100, Work: []uint64{0}}, []float64{0.5}},
			{result.ChipRun{Row: "pipeline", Elements: 256, Packets: 100, Work: []uint64{490}}, []float64{0.5}},
		},
	}
}

// Engines of a second system are held against those of the first that have the same name, whatever the
// size of packets.
func TestWriteChipOfSystems(t *testing.T) {
	c := turned()
	c.Live = nil
	for i := range c.Alone {
		c.Alone[i].System = "SwitchML"
	}
	c.Alone = append(c.Alone,
		ChipAlone{result.ChipRun{System: "ATP", Row: "pipeline", Elements: 62, Packets: 50, Work: []uint64{98}}, []float64{0.25}},
		ChipAlone{result.ChipRun{System: "ATP", Row: "another", Elements: 62, Packets: 50, Work: []uint64{98}}, []float64{0.25}})
	text := chipText(t, c, render.FormatTable)
	for _, want := range []string{
		"| packets / SwitchML | passes / SwitchML |",
		"| SwitchML | reference |              64 |     100 |      - | 0.500 |     200 |      - |               1.00 |                 - |",
		"| ATP      | pipeline  |              62 |      50 |     98 | 0.250 |     200 |    392 |               1.00 |              0.40 |",
		"| ATP      | another   |              62 |      50 |     98 | 0.250 |     200 |    392 |                  - |                 - |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
}

func TestWriteChip(t *testing.T) {
	for name, c := range map[string]struct {
		chip    *Chip
		formats map[render.Format][]string
	}{
		"carrying": {carrying(), map[render.Format][]string{
			render.FormatTable: {"On real packets", "| reference |   9.00 |        1.00 |   10.00 |      0 |       5 |", "| lengths |     100 | 0.500 |     200 |  3000 |         4000 |", "repeats 3", "- all is executed"},
			render.FormatCSV:   {"engine,median_gbps,of_reference,aggregate_input_gbps,runs,wrong,checked\nreference,9,1,10,2,0,5\n"},
			render.FormatJSON:  {`"live": [`, `"xtxns_per_s": 3000,`, `"instructions_per_s": 4000,`},
		}},
		"turned": {turned(), map[render.Format][]string{
			render.FormatTable: {
				"pipeline over reference, run by run: median 0.42, least 0.40", "unchecked",
				"| reference |              64 |     100 |      - | 0.500 |     200 |      - |", "| pipeline  |             256 |     100 |    490 | 0.500 |     200 |    980 |",
			},
			render.FormatJSON: {`"paired_ratio": 0.42,`, `"paired_ratio_min": 0.4,`, `"passes": 0,`, `"passes_per_s": 980,`},
		}},
	} {
		for format, want := range c.formats {
			text := chipText(t, c.chip, format)
			for _, part := range want {
				if !strings.Contains(text, part) {
					t.Errorf("%s, %s: %q is missing in:\n%s", name, format, part, text)
				}
			}
		}
	}
}

// Without privileges there are no real packets, and nothing is said of them.
func TestWriteChipAlone(t *testing.T) {
	c := turned()
	c.Live, c.paired = nil, nil
	if text := chipText(t, c, render.FormatTable); strings.Contains(text, "real packets") {
		t.Errorf("the switch alone:\n%s", text)
	}
	const csv = "engine,elements,packets,passes,wall_s,packets_per_s,passes_per_s,repeats\nreference,64,100,0,0.5,200,0,1\npipeline,256,100,490,0.5,200,980,1\n"
	if text := chipText(t, c, render.FormatCSV); text != csv {
		t.Errorf("CSV\n%s", text)
	}
	if text := chipText(t, c, render.FormatJSON); !strings.Contains(text, `"live": null,`) || !strings.Contains(text, `"paired_ratio": 0,`) {
		t.Errorf("JSON\n%s", text)
	}
}

func chipText(t *testing.T, c *Chip, format render.Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteChip(&b, c, render.Options{Format: format}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
