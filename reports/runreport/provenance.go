package runreport

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/page"
)

// provenance says what made the numbers.
func (r *run) provenance() []page.Block {
	m := &r.Manifest
	list := page.List{
		{Name: "Directory", Value: r.Name},
		{Name: "inalab", Value: strings.TrimSpace(m.Version + " " + m.Commit)},
		{Name: "Begun", Value: m.Started.UTC().Format("2006-01-02 15:04:05 UTC")},
		{Name: "Took", Value: m.Ended.Sub(m.Started).Round(time.Second).String()},
		{Name: "Clock", Value: m.Clock},
		{Name: "Seed", Value: fmt.Sprint(m.Seed)},
		{Name: "Scale", Value: scale(m)},
		{Name: "Kernel", Value: m.Machine.Kernel},
		{Name: "Processor", Value: strings.Trim(fmt.Sprintf("%s, %d usable, %s", m.Machine.CPU, m.Machine.CPUs, m.Machine.Arch), ", ")},
		{Name: "Memory", Value: m.Machine.Memory},
		{Name: "Vector sums", Value: m.Machine.Vector},
		{Name: "Go", Value: m.Machine.Go},
		{Name: "Packet paths", Value: strings.Join(m.Offloads, "; ")},
		{Name: "Exit code", Value: fmt.Sprint(m.ExitCode)},
	}
	var known page.List
	for _, i := range list {
		if i.Value != "" {
			known = append(known, i)
		}
	}
	out := []page.Block{known}
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
	typed := append([]string(nil), m.Command...)
	if len(typed) > 0 {
		typed[0] = filepath.Base(typed[0])
	}
	resolved := []string{"inalab", "run", "scenario.yaml", "--clock", m.Clock}
	if m.Clock == "live" {
		typed, resolved = append([]string{"sudo"}, typed...), append([]string{"sudo"}, resolved...)
	}
	text := "As it was typed, then with every option as resolved (scenario.yaml is in the directory of the run, and above):"
	if m.Clock != "live" {
		text = "This version gives the same numbers again, on any machine. " + text
	}
	return []page.Block{page.Paragraph{Text: text}, page.Text{Text: quoted(typed) + "\n" + quoted(resolved), Command: true}}
}

// quoted writes words of a command for a shell.
func quoted(list []string) string {
	var out []string
	for _, w := range list {
		if w == "" || strings.ContainsFunc(w, special) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func special(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@%+", r))
}
