package runreport

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/netfigure"
	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/reports/render"
)

// Bounds of the section on the network.
const (
	maxNetworks = 8   // drawings
	maxBusiest  = 10  // links in the table
	narrow      = 560 // pixels up to which drawings stand side by side
)

// netOf returns the network that a cell ran on; see topologies in cmd/inalab, which names them.
func (r *run) netOf(c *result.Cell) (netfigure.Net, bool) {
	at := ""
	if !c.Point.IsZero() {
		at = " at " + c.Point.String()
	}
	for _, name := range []string{c.Ran() + " on " + c.Topology + at, c.Ran() + at} {
		if n, known := r.Nets[name]; known && n.Name == c.Topology {
			return n, true
		}
	}
	return netfigure.Net{}, false
}

// labs returns a cell for each run at the hardest point that can be believed: of several jobs of a lab the first.
func (r *run) labs() (out []*result.Cell) {
	for _, c := range r.contest {
		first := slices.IndexFunc(out, func(o *result.Cell) bool { return o.SharesLab(c.cell) })
		if first < 0 {
			out = append(out, c.cell)
		} else if len(out[first].Links) == 0 {
			out[first] = c.cell
		}
	}
	slices.SortStableFunc(out, func(a, b *result.Cell) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.System, b.System))
	})
	return out
}

func useOf(c *result.Cell) netfigure.Use {
	use := netfigure.Use{}
	for _, l := range c.Links {
		use[l.Name] = l.Use
	}
	return use
}

// networks draws the topologies at the hardest point, all with one scale of heat.
func (r *run) networks() (out []Picture) {
	labs, most := r.labs(), 0.0
	for _, c := range labs {
		most = max(most, useOf(c).Most())
	}
	for _, c := range labs[:min(len(labs), maxNetworks)] {
		n, known := r.netOf(c)
		if !known {
			continue
		}
		title := c.Ran() + " on " + c.Topology
		if !r.place.only {
			title += " at " + r.place.name
		}
		file := fmt.Sprintf("network-%d", len(out)+1)
		d := netfigure.Draw(r.id()+"."+file, title, n, useOf(c), netfigure.Full(most))
		out = append(out, Picture{
			Name: file, Title: title, Caption: title, Width: int(d.Width),
			SVG:    func(w io.Writer) error { return figure.WriteDrawing(w, d) },
			PDF:    func(w io.Writer) error { return figure.WriteDrawingPDF(w, d) },
			inline: func(w io.Writer) error { return figure.WriteDrawingInline(w, d) },
		})
	}
	return out
}

func (r *run) networkBlocks() (out []page.Block) {
	pictures := r.networks()
	if len(pictures) == 0 {
		return nil
	}
	text := "How much of its rate each line sent, over the whole run. Workers that compute leave links idle, so that small numbers are no fault."
	if n := len(r.labs()); n > maxNetworks {
		text += fmt.Sprintf(" %d of %d runs are drawn; links.csv has all.", maxNetworks, n)
	}
	out = append(out, page.Paragraph{Text: text, Small: true})
	var row page.Row
	for _, p := range pictures {
		b := r.block(p)
		if f, drawn := b.(page.Figure); drawn && p.Width <= narrow {
			row = append(row, f)
		} else {
			out = append(out, b)
		}
	}
	if row != nil {
		out = append(out, row)
	}
	if t := r.busiest(); len(t.Rows) > 0 {
		out = append(out, page.Details{Summary: t.Title, Blocks: []page.Block{page.Table{Table: t, Plain: true}}})
	}
	return out
}

// busiest is the table of the links that were used most at the hardest point.
func (r *run) busiest() render.Table {
	type used struct {
		of string
		*result.Link
	}
	var all []used
	for _, c := range r.labs() {
		for i := range c.Links {
			all = append(all, used{r.nameOf(c), &c.Links[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b used) int { return cmp.Compare(b.Use, a.Use) })
	t := render.Table{
		Title: "The busiest links",
		Columns: []render.Column{
			{Name: "run"}, {Name: "link"}, {Name: "rate"}, {Name: "use", Unit: "%", Align: render.Right}, {Name: "frames", Align: render.Right},
			{Name: "queue, 99%", Unit: "kB", Align: render.Right}, {Name: "marks", Unit: "frames", Align: render.Right}, {Name: "drops", Unit: "frames", Align: render.Right},
		},
		Notes: []string{"queue: no more waited for the line for 99% of the time; links.csv has all links of all runs"},
	}
	for _, l := range all[:min(len(all), maxBusiest)] {
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(l.of), render.Text(strings.Replace(l.Name, "->", " → ", 1)), render.Text(l.Rate.String()), render.Number(100*l.Use, 1), render.Int(l.Frames),
			render.Number(float64(l.P99)/1e3, 1), render.Int(l.Marks), render.Int(l.Dropped()),
		})
	}
	return t
}
