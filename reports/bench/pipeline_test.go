package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inalab/inalab/reports/render"
)

// The ratio is that of runs that followed each other, not of the medians.
func TestPipelineRatio(t *testing.T) {
	var p Pipeline
	err := p.SetLive([]string{"reference", "pipeline"}, [][]AllReduce{
		{{AggregateInput: 10, TimeUs: 1}, {AggregateInput: 2, TimeUs: 5}, {AggregateInput: 8, TimeUs: 2}},
		{{AggregateInput: 5, TimeUs: 2}, {AggregateInput: 1.5, TimeUs: 6, Wrong: 3}, {AggregateInput: 2, TimeUs: 5}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.Paired != 0.5 || p.Least != 0.25 || p.Live[1].Median != 2 || p.Live[1].Wrong != 3 {
		t.Errorf("%+v", p)
	}
	for what, runs := range map[string][][]AllReduce{
		"not by turns": {{{}, {}}, {{}}}, "one engine": {{{}}}, "nothing moved": {{{}}, {{AggregateInput: 1}}},
	} {
		if err := p.SetLive([]string{"reference", "pipeline"}[:len(runs)], runs); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

func TestWritePipeline(t *testing.T) {
	p := Pipeline{
		Live: []PFELive{{Engine: "reference", Runs: 2, Median: 9, Goodput: 10, Reference: 1, Checked: 5}}, Paired: 0.42, Least: 0.4,
		Virtual: []PipelineVirtual{
			{Engine: "reference", Elements: 64, Packets: 100, WallS: 0.5, PacketRate: 200, Repeats: 2},
			{Engine: "pipeline", Elements: 256, Packets: 100, Passes: 490, WallS: 0.5, PacketRate: 200, PassRate: 980, Repeats: 2},
		},
	}
	var both, virtual bytes.Buffer
	if err := WritePipeline(&both, p, render.Options{}); err != nil {
		t.Fatal(err)
	}
	p.Live = nil
	if err := WritePipeline(&virtual, p, render.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"run by run: median 0.42, least 0.40", "SwitchML on real packets", "| pipeline  |", "980"} {
		if !strings.Contains(both.String(), text) {
			t.Errorf("%q is missing in:\n%s", text, both.String())
		}
	}
	if strings.Contains(virtual.String(), "real packets") {
		t.Errorf("the switch alone:\n%s", virtual.String())
	}
}
