package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// room is about how much space one number takes along an axis.
const (
	roomX vg.Length = 52
	roomY vg.Length = 30
)

// manyPoints is from where on a line has no markers, which would cover it.
const manyPoints = 40

// draw lays a panel out for about the size that it will have.
func (p *Panel) draw(l *looks, width, height vg.Length) *plot.Plot {
	out := plot.New()
	out.BackgroundColor = nil
	setFonts(out)
	x, y := p.extents()
	p.X.set(&out.X, x, width, roomX)
	p.Y.set(&out.Y, y, height, roomY)
	grid := draw.LineStyle{Color: light, Width: 0.8}
	out.Add(&plotter.Grid{Vertical: grid, Horizontal: grid})
	for i := range p.Marks {
		if m := &p.Marks[i]; m.wide() {
			out.Add(drawnMark{p, m, l.paper(m.name())}) // under the data
		}
	}
	for i := len(p.Series) - 1; i >= 0; i-- { // what is named first is on top
		p.drawSeries(out, &p.Series[i], l.of(p.Series[i].Name))
	}
	for i := range p.Marks {
		if m := &p.Marks[i]; !m.wide() {
			out.Add(drawnMark{p, m, l.paper(m.name())})
		}
	}
	if p.empty() {
		out.Add(noData{})
	}
	// Adding widens the axes, to what the data take and no more.
	out.X.Min, out.X.Max, out.Y.Min, out.Y.Max = p.X.place(x.low), p.X.place(x.high), p.Y.place(y.low), p.Y.place(y.high)
	return out
}

// extents returns what the axes show.
func (p *Panel) extents() (x, y extent) {
	x, y = nothing(), nothing()
	for i := range p.Series {
		for _, pt := range p.Series[i].Points {
			x.add(pt.X)
			y.add(pt.Y, pt.Y-pt.Below, pt.Y+pt.Above)
		}
	}
	for _, m := range p.Marks {
		if !m.X.All {
			x.add(m.X.Low, m.X.High)
		}
		if !m.Y.All {
			y.add(m.Y.Low, m.Y.High)
		}
	}
	return p.X.padded(x), p.Y.padded(y)
}

func (p *Panel) empty() bool {
	for i := range p.Series {
		if len(p.Series[i].Points) > 0 {
			return false
		}
	}
	return true
}

// set makes an axis of a plot this one.
func (a *Axis) set(out *plot.Axis, e extent, length, room vg.Length) {
	out.Label.Text, out.Label.Padding = fit(out.Label.TextStyle, a.label(), length), 3
	out.Padding, out.Tick.Length = 0, 5
	out.LineStyle = draw.LineStyle{Color: dark, Width: 0.9}
	out.Tick.LineStyle = out.LineStyle
	ticks := a.ticks(e, length, room)
	for i := range ticks {
		ticks[i].Value = a.place(ticks[i].Value)
	}
	out.Tick.Marker = ticks
}

// drawSeries adds the line, the intervals and the markers of a series.
func (p *Panel) drawSeries(out *plot.Plot, s *Series, l look) {
	if len(s.Points) == 0 {
		return
	}
	xys, bars := make(plotter.XYs, len(s.Points)), &plotter.YErrorBars{LineStyle: l.line, CapWidth: 6}
	bars.LineStyle.Dashes, bars.LineStyle.Width = nil, 1.2
	for i, pt := range s.Points {
		y := p.Y.place(pt.Y)
		xys[i] = plotter.XY{X: p.X.place(pt.X), Y: y}
		if pt.Below > 0 || pt.Above > 0 {
			bars.XYs = append(bars.XYs, xys[i])
			bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{y - p.Y.place(pt.Y-pt.Below), p.Y.place(pt.Y+pt.Above) - y})
		}
	}
	if s.Kind != Points {
		line := &plotter.Line{XYs: xys, LineStyle: l.line}
		if s.Kind == Steps {
			line.StepStyle = plotter.PostStep
		}
		out.Add(line)
	}
	if len(bars.XYs) > 0 {
		out.Add(bars)
	}
	if s.marked() {
		out.Add(&plotter.Scatter{XYs: xys, GlyphStyle: l.glyph})
	}
}

// marked reports whether the points of a series have markers.
func (s *Series) marked() bool {
	return s.Kind == Points || s.Kind == Line && len(s.Points) <= manyPoints
}

// noData says in an empty panel that it is meant to be empty.
type noData struct{}

// Plot implements [plot.Plotter].
func (noData) Plot(c draw.Canvas, _ *plot.Plot) {
	sty := style(labelSize, dark)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	c.FillText(sty, c.Center(), "no data")
}
