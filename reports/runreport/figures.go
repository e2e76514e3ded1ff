package runreport

import (
	"bytes"
	"io"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/reports/runfigure"
)

// Picture is a figure or a drawing of a run, which can be written as a file.
type Picture struct {
	Name    string // of the file, without .svg or .pdf
	Title   string
	Caption string // where the picture does not have its title; "" for none
	Width   int    // pixels
	SVG     func(io.Writer) error
	PDF     func(io.Writer) error
	inline  func(io.Writer) error
}

// Pictures returns the figures and drawings of a run, in the order of its report.
func Pictures(s *Source) []Picture {
	r := newRun(s, "")
	return append(r.figures(), r.networks()...)
}

// figures returns the figures of the rows and of the series.
func (r *run) figures() (out []Picture) {
	name, id, cells := r.Record.Scenario, r.id(), r.cells()
	add := func(file string, f figure.Figure, ok bool) {
		if !ok {
			return
		}
		f.Notes = append([]string{r.Record.Description}, f.Notes...)
		out = append(out, pictureOf(file, f))
	}
	f, ok := runfigure.New(id, name+": iteration time", r.rows, r.Record.Axes)
	add("summary", f, ok)
	order := f.Names()
	f, ok = r.iterations()
	f.Order = order
	add("iterations", f, ok)
	here, at := r.shown(cells)
	f, ok = runfigure.Series(id+".series", name+": throughput by time", cells)
	add("series", f, ok)
	if f, ok = runfigure.Series(id+".series", name+": throughput by time"+at, here); ok {
		out[len(out)-1].inline = inline(f)
	}
	f, ok = runfigure.Aggregations(id+".aggregations", name+": contributions by time", cells)
	add("aggregations", f, ok)
	if f, ok = runfigure.Aggregations(id+".aggregations", name+": contributions by time"+at, here); ok {
		out[len(out)-1].inline = inline(f)
	}
	return out
}

// shown returns the cells of which a page shows series: all, or, where that were too many, those of the
// hardest point, with words for the title.
func (r *run) shown(cells []result.Cell) (here []result.Cell, at string) {
	const most = 4 // points (assumed: a screen)
	if len(places(r.ran())) <= most || len(r.contest) == 0 {
		return cells, ""
	}
	for _, c := range cells {
		if r.place.has(c.Point.Index, c.StraggleP) {
			here = append(here, c)
		}
	}
	return here, " at " + r.place.name
}

func inline(f figure.Figure) func(io.Writer) error {
	return func(w io.Writer) error { return figure.WriteInline(w, f) }
}

// id is the name of the scenario as figures may have it.
func (r *run) id() string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' {
			return c
		}
		return '-'
	}, r.Record.Scenario)
}

// iterations is the figure of the runs at the hardest point, iteration by iteration.
func (r *run) iterations() (figure.Figure, bool) {
	if len(r.contest) == 0 {
		return figure.Figure{}, false
	}
	var cells []result.Cell
	for _, c := range r.cells() {
		if r.place.has(c.Point.Index, c.StraggleP) && c.Seed == r.contest[0].row.Seed {
			cells = append(cells, c)
		}
	}
	title := r.Record.Scenario + ": iteration by iteration"
	if !r.place.only {
		title += " at " + r.place.name
	}
	return runfigure.Iterations(r.id()+".iterations", title, cells, r.nameOf)
}

func pictureOf(file string, f figure.Figure) Picture {
	return Picture{
		Name: file, Title: f.Title, Width: figure.WidthOf(f),
		SVG:    func(w io.Writer) error { return figure.Write(w, f) },
		PDF:    func(w io.Writer) error { return figure.WritePDF(w, f) },
		inline: inline(f),
	}
}

func (r *run) figureBlocks() (out []page.Block) {
	for _, p := range r.figures() {
		out = append(out, r.block(p))
	}
	return out
}

// block puts a picture into a page, or says why it cannot be drawn: that is no reason to lose the rest.
func (r *run) block(p Picture) page.Block {
	var svg bytes.Buffer
	if err := p.inline(&svg); err != nil {
		return page.Bullets{Level: page.Doubt, Text: []string{"Not drawn: " + err.Error()}}
	}
	return page.Figure{SVG: svg.Bytes(), Title: p.Title, Width: p.Width, File: r.file(p.Name + ".svg"), Caption: p.Caption}
}
