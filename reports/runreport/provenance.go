package runreport

import (
	"fmt"

	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/reports/provenance"
)

// provenance says what made the numbers.
func (r *run) provenance() []page.Block {
	m := &r.Manifest
	out := []page.Block{provenance.List(r.Name, m, page.Item{Name: "Clock", Value: m.Clock}, page.Item{Name: "Scale", Value: scale(m)})}
	if r.Scenario != "" {
		out = append(out, page.Details{Summary: "Every option, as resolved: scenario.yaml", Blocks: []page.Block{page.Text{Text: r.Scenario}}})
	}
	if r.Life != "" {
		out = append(out, page.Details{Summary: "The life of one block, as inalab explain tells it", Blocks: []page.Block{page.Text{Text: r.Life}}})
	}
	return out
}

// scale says by how much the network is smaller than the papers', and who said so.
func scale(m *archive.Manifest) string {
	text := fmt.Sprint(m.Scale)
	switch m.Scaled.By {
	case archive.ScaleSet:
		text += ", as set"
	case archive.ScaleRule:
		text += ", by the rule of the scenario"
	case archive.ScaleSelfTest:
		text += ", the least that a self-test found this machine to carry"
	}
	if m.Scaled.Note != "" {
		text += ": " + m.Scaled.Note
	}
	if m.Scale > 1 {
		text += "; link rates, model size, windows and pools are divided by it"
	}
	return text
}

// again is the command that runs the same.
func (r *run) again() []page.Block {
	m := &r.Manifest
	typed := provenance.Typed(m)
	resolved := []string{"inalab", "run", "scenario.yaml", "--clock", m.Clock}
	if m.Clock == "live" {
		typed, resolved = append([]string{"sudo"}, typed...), append([]string{"sudo"}, resolved...)
	}
	text := "As it was typed, then with every option as resolved (scenario.yaml is in the directory of the run, and above):"
	if m.Clock != "live" {
		text = "This version gives the same numbers again, on any machine. " + text
	}
	return []page.Block{page.Paragraph{Text: text}, page.Text{Text: provenance.Quoted(typed) + "\n" + provenance.Quoted(resolved), Command: true}}
}
