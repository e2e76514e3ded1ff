package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inalab/inalab/reports/render"
)

// Engines are compared by their medians, the first being the reference; sums that
// were wrong in any run are told.
func TestPFELive(t *testing.T) {
	runs := [][]AllReduce{
		{{AggregateInput: 9, TimeUs: 9}, {AggregateInput: 10, TimeUs: 8}, {AggregateInput: 2, TimeUs: 20}},
		{{AggregateInput: 6, TimeUs: 7, Wrong: 1}, {AggregateInput: 3, TimeUs: 14}},
	}
	got, err := NewPFELive([]string{"reference", "microcode"}, runs)
	if err != nil {
		t.Fatal(err)
	}
	if r := got[0]; r.Median != 9 || r.Goodput != 10 || r.Reference != 1 || r.Runs != 3 {
		t.Errorf("reference %+v", r)
	}
	if r := got[1]; r.Median != 4.5 || r.Reference != 0.5 || r.Wrong != 1 || r.Goodput != 6 {
		t.Errorf("microcode %+v", r)
	}
	if _, err := NewPFELive([]string{"reference"}, [][]AllReduce{nil}); err == nil || !strings.Contains(err.Error(), "reference") {
		t.Errorf("no runs: error %v", err)
	}
}

func TestWritePFE(t *testing.T) {
	p := PFE{
		Live:    []PFELive{{Engine: "reference", Runs: 2, Median: 9, Goodput: 10, Reference: 1, Checked: 5}},
		Virtual: []PFEVirtual{{Carries: Lengths, Packets: 100, WallS: 0.5, PacketRate: 200, XTXNRate: 3000, Instructions: 4000, Repeats: 2}},
	}
	var both, virtual bytes.Buffer
	if err := WritePFE(&both, p, render.Options{}); err != nil {
		t.Fatal(err)
	}
	p.Live = nil
	if err := WritePFE(&virtual, p, render.Options{}); err != nil {
		t.Fatal(err)
	}
	for text, in := range map[string]bool{"reference": true, "lengths": true, "9.00": true, "3000": true} {
		if strings.Contains(both.String(), text) != in {
			t.Errorf("%q is missing in:\n%s", text, both.String())
		}
	}
	if strings.Contains(virtual.String(), "real packets") {
		t.Errorf("the virtual clock alone:\n%s", virtual.String())
	}
}
