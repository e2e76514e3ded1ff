package runreport

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/runfigure"
)

// Page returns the report of a run.
func (r *Run) Page() (*page.Page, error) {
	t := r.tally()
	p := &page.Page{Title: r.Record.Scenario, Kind: "Run of a scenario", Verdict: t.verdict(), Lead: r.lead(), Foot: r.foot()}
	figures, err := r.figureBlocks()
	if err != nil {
		return nil, err
	}
	network, err := r.network()
	if err != nil {
		return nil, err
	}
	for _, s := range []page.Section{
		{ID: "comparison", Title: "Comparison", Blocks: r.comparison()},
		{ID: "figures", Title: "Figures", Blocks: figures},
		{ID: "time", Title: "Where the time went", Blocks: tables(r.timesTable())},
		{ID: "beside", Title: "Beside the jobs", Blocks: r.beside()},
		{ID: "network", Title: "Network", Blocks: network},
		{ID: "trust", Title: "How far to trust it", Blocks: r.trust()},
		{ID: "provenance", Title: "Provenance", Blocks: r.provenance()},
	} {
		if len(s.Blocks) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	return p, nil
}

// foot says what wrote the run.
func (r *Run) foot() string {
	m := &r.Manifest
	return fmt.Sprintf("inalab %s, run of %s", m.Version, m.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
}

// tables are those that have rows.
func tables(list ...render.Table) (out []page.Block) {
	for _, t := range list {
		if len(t.Rows) > 0 {
			out = append(out, page.Table{Table: t})
		}
	}
	return out
}

// comparison is the table of summary.csv; what must be known to read it is below.
func (r *Run) comparison() []page.Block {
	t := page.Table{Table: render.Comparison(r.Rows, r.Record.Baseline)}
	t.Title = ""
	for i := range r.Rows {
		tone := toneOf(r.Rows[i].Fidelity.Verdict)
		if tone == page.Good || tone == page.Plain {
			tone = ""
		}
		t.Tones = append(t.Tones, tone)
	}
	blocks := []page.Block{t}
	if len(r.Record.Notes) > 0 {
		blocks = append(blocks, page.Notes(r.Record.Notes))
	}
	return blocks
}

// Figures returns the figures of a run, by the names of their files.
func (r *Run) Figures() (out []figure.Figure) {
	cells, name := r.measured(), r.Record.Scenario
	take := func(f figure.Figure, ok bool) {
		if ok {
			out = append(out, f)
		}
	}
	take(runfigure.New(name, name+": iteration time", r.Rows, r.Record.Axes))
	take(r.iterationsFigure())
	take(runfigure.Series(name+".series", name+": throughput by time", cells))
	take(runfigure.Aggregations(name+".aggregations", name+": contributions by time", cells))
	return out
}

func (r *Run) figureBlocks() (out []page.Block, err error) {
	for i, f := range r.Figures() {
		var svg bytes.Buffer
		if err := figure.Write(&svg, f); err != nil {
			return nil, err
		}
		out = append(out, page.Figure{ID: fmt.Sprintf("figure%d", i+1), SVG: svg.Bytes()})
	}
	return out, nil
}

// beside is what flows, programs and systems told.
func (r *Run) beside() []page.Block {
	cells := r.measured()
	return tables(append(render.TallySheets(cells), render.Flows(cells), render.Transit(cells), render.Reports(cells), render.Decisions(cells))...)
}

// trust is the fidelity of each run, and what was expected.
func (r *Run) trust() (out []page.Block) {
	t := render.Table{Columns: []render.Column{
		{Name: "run", Wrap: true}, {Name: "fidelity"}, {Name: "timers late", Unit: "ms, worst 1%", Align: render.Right}, {Name: "processors busy", Unit: "%", Align: render.Right},
		{Name: "lost unasked", Unit: "packets", Align: render.Right}, {Name: "why", Wrap: true},
	}}
	cells := r.measured()
	var tones []page.Tone
	for i := range cells {
		c, f := &cells[i], &cells[i].Fidelity
		late, busy := render.NA(), render.NA()
		if f.Verdict != result.Exact && c.Clock == "live" {
			late, busy = render.Number(float64(f.TimerLateP99)/1e9, 2), render.Percent(f.CPUBusy)
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(lineOf(c, cells) + " at " + c.At()), render.Text(f.Verdict), late, busy, render.Int(f.UnaskedDrops + f.RingDrops), render.Text(strings.Join(f.Reasons, "; ")),
		})
		tone := toneOf(f.Verdict)
		if tone == page.Good {
			tone = ""
		}
		tones = append(tones, tone)
	}
	t = dropEmpty(t)
	out = append(out, page.Table{Table: t, Tones: tones})
	if len(r.Record.Expected) > 0 {
		var list page.Notes
		for _, o := range r.Record.Expected {
			list = append(list, o.Text)
		}
		out = append(out, page.Text("What the scenario expects, and what came of it:"), list)
	}
	return out
}

// provenance is what made the numbers, and how to make them again.
func (r *Run) provenance() []page.Block {
	m := &r.Manifest
	scale := fmt.Sprintf("%d, %s", m.Scale, map[string]string{"set": "set", "rule": "by the rule of the scenario", "self-test": "found by a self-test of this machine"}[m.Scaled.By])
	if m.Scaled.Note != "" {
		scale += ": " + m.Scaled.Note
	}
	facts := page.Facts{
		{Name: "Directory", Text: r.Name},
		{Name: "Begun, took", Text: m.Started.UTC().Format("2006-01-02 15:04:05 UTC") + ", " + m.Ended.Sub(m.Started).Round(100*time.Millisecond).String()},
		{Name: "Clock", Text: m.Clock}, {Name: "Seed", Text: fmt.Sprint(m.Seed)}, {Name: "Scale", Text: strings.TrimSuffix(scale, ", ")},
		{Name: "inalab", Text: strings.TrimSpace(m.Version + " " + m.Commit)}, {Name: "Go", Text: m.Machine.Go},
		{Name: "Kernel", Text: m.Machine.Kernel}, {Name: "Processor", Text: fmt.Sprintf("%s, %s", m.Machine.CPU, plural(m.Machine.CPUs, "processor"))},
		{Name: "Memory", Text: m.Machine.Memory}, {Name: "Vector sums", Text: m.Machine.Vector}, {Name: "Packet paths", Text: strings.Join(m.Offloads, ", ")},
	}
	var known page.Facts
	for _, f := range facts {
		if f.Text != "" {
			known = append(known, f)
		}
	}
	return []page.Block{page.Text("To run it again:"), page.Command(r.again()), known}
}

// again is the command that runs the same.
func (r *Run) again() string {
	m := &r.Manifest
	words := []string{"inalab", "run", "scenario.yaml"}
	if m.Clock != "live" {
		words = append(words, "--clock", m.Clock)
	}
	line := "# as it was typed\n" + quoted(m.Command) + "\n\n# in this directory, with every value as it was resolved"
	if m.Clock == "live" {
		line += " (as root)"
	}
	return line + "\n" + quoted(words)
}

// quoted writes words of a command for a shell.
func quoted(words []string) string {
	var out []string
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`*?[]{}()<>|&;#~!") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
