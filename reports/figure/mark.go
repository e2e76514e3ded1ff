package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// wide reports whether a mark is an area or a line across the panel.
func (m *Mark) wide() bool {
	return m.X.All || m.Y.All || !m.X.point() && !m.Y.point()
}

// drawnMark is a mark in a panel.
type drawnMark struct {
	panel *Panel
	*Mark
	look
}

// Plot implements [plot.Plotter].
func (d drawnMark) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	r := vg.Rectangle{Min: c.Min, Max: c.Max}
	if !d.X.All {
		r.Min.X, r.Max.X = toX(d.panel.X.place(d.X.Low)), toX(d.panel.X.place(d.X.High))
	}
	if !d.Y.All {
		r.Min.Y, r.Max.Y = toY(d.panel.Y.place(d.Y.Low)), toY(d.panel.Y.place(d.Y.High))
	}
	d.in(&c, r)
}

// in draws the mark into the part of the canvas that it takes.
func (d drawnMark) in(c *draw.Canvas, r vg.Rectangle) {
	switch {
	case d.X.point() && d.Y.point():
		c.DrawGlyphNoClip(d.glyph, r.Min)
	case d.X.point() || d.Y.point():
		d.stroke(c, r)
	default:
		d.area(c, r)
	}
}

// stroke draws a line across the panel, or a bar with caps that a reader can
// tell from the intervals of series: solid, black and thick.
func (d drawnMark) stroke(c *draw.Canvas, r vg.Rectangle) {
	if d.X.All || d.Y.All {
		c.StrokeLines(d.line, []vg.Point{r.Min, r.Max})
		return
	}
	bar := draw.LineStyle{Color: d.line.Color, Width: 2}
	capX, capY := vg.Length(5), vg.Length(0)
	if d.Y.point() {
		capX, capY = 0, 5
	}
	c.StrokeLines(bar, []vg.Point{r.Min, r.Max})
	for _, end := range []vg.Point{r.Min, r.Max} {
		c.StrokeLines(bar, []vg.Point{{X: end.X - capX, Y: end.Y - capY}, {X: end.X + capX, Y: end.Y + capY}})
	}
}

// area shades a range, and draws the edges that it has.
func (d drawnMark) area(c *draw.Canvas, r vg.Rectangle) {
	c.SetColor(area)
	c.Fill(r.Path())
	if !d.X.All {
		c.StrokeLine2(d.line, r.Min.X, r.Min.Y, r.Min.X, r.Max.Y)
		c.StrokeLine2(d.line, r.Max.X, r.Min.Y, r.Max.X, r.Max.Y)
	}
	if !d.Y.All {
		c.StrokeLine2(d.line, r.Min.X, r.Min.Y, r.Max.X, r.Min.Y)
		c.StrokeLine2(d.line, r.Min.X, r.Max.Y, r.Max.X, r.Max.Y)
	}
}
