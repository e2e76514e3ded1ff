package figure

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette are the colours of Okabe and Ito, which people of any colour vision
// tell apart, without the yellow, which is faint on white; black is a paper's.
var palette = [...]color.Color{
	firstColour.on(), (firstColour + 1).on(), (firstColour + 2).on(), (firstColour + 3).on(),
	(firstColour + 4).on(), (firstColour + 5).on(), (firstColour + 6).on(),
}

var (
	black = Black.on()
	dark  = Dark.on()
	light = Light.on()
	area  = color.RGBA{0x00, 0x00, 0x00, 0x1c}
)

// shapes are the markers of series. Their number has no factor in common with
// that of colours, so that pairs come back late.
var shapes = [...]draw.GlyphDrawer{
	polygon{}, polygon{sides: 4, turn: math.Pi / 4}, polygon{sides: 3, turn: math.Pi / 2}, polygon{sides: 4},
	polygon{hollow: true}, polygon{sides: 4, turn: math.Pi / 4, hollow: true}, polygon{sides: 3, turn: -math.Pi / 2},
	polygon{sides: 4, hollow: true},
}

// dashes are those of the lines of series.
var dashes = [...][]vg.Length{nil, {7, 3}, {3, 2}, {9, 3, 2, 3}, {14, 4}}

// paperShapes and paperDashes are what marks are drawn with.
var (
	paperShapes = [...]draw.GlyphDrawer{star{points: 2, turn: math.Pi / 4}, star{points: 2}, star{points: 3}}
	paperDashes = [...][]vg.Length{{5, 3}, {1.5, 2.5}, {9, 3, 2, 3}}
)

// look is how a series is drawn everywhere in a figure.
type look struct {
	line  draw.LineStyle
	glyph draw.GlyphStyle
}

// looks are the names in a figure, in the order in which they come.
type looks struct {
	order, series []string
	marks         []string
	aside         map[string]bool // series that are of no system
	empty         map[string]bool // series without a point in any panel
}

func (f *Figure) looks() looks {
	l := looks{order: slices.Clone(f.Order), empty: map[string]bool{}, aside: map[string]bool{}}
	for i := range f.Panels {
		for _, s := range f.Panels[i].Series {
			if !slices.Contains(l.series, s.Name) {
				l.series = append(l.series, s.Name)
				l.empty[s.Name], l.aside[s.Name] = true, s.Aside
				if !s.Aside && !slices.Contains(l.order, s.Name) {
					l.order = append(l.order, s.Name)
				}
			}
			if len(s.Points) > 0 {
				l.empty[s.Name] = false
			}
		}
		for _, m := range f.Panels[i].Marks {
			if !slices.Contains(l.marks, m.name()) {
				l.marks = append(l.marks, m.name())
			}
		}
	}
	return l
}

// of returns the look of a series. What lies below others is a little larger, so
// that equal values are all seen.
func (l *looks) of(series string) look {
	if l.aside[series] {
		grey := Dark.on()
		return look{line: draw.LineStyle{Color: grey, Width: 1.2, Dashes: dashes[2]}, glyph: draw.GlyphStyle{Color: grey, Radius: 2.6, Shape: polygon{}}}
	}
	i := slices.Index(l.order, series)
	c, below := palette[i%len(palette)], vg.Length(min(i, 3))
	return look{
		line:  draw.LineStyle{Color: c, Width: 1.5 + 0.4*below, Dashes: dashes[i%len(dashes)]},
		glyph: draw.GlyphStyle{Color: c, Radius: 3.4 + 0.6*below, Shape: shapes[i%len(shapes)]},
	}
}

// paper returns the look of a mark.
func (l *looks) paper(mark string) look {
	i := slices.Index(l.marks, mark)
	return look{
		line:  draw.LineStyle{Color: black, Width: 1.4, Dashes: paperDashes[i]},
		glyph: draw.GlyphStyle{Color: black, Radius: 6, Shape: paperShapes[i]},
	}
}

// polygon is a marker with so many corners, or round, filled, or white inside.
type polygon struct {
	sides  int     // 0 is a circle
	turn   float64 // of the first corner, in radians from the right
	hollow bool
}

// DrawGlyph implements [draw.GlyphDrawer].
func (g polygon) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	fill := sty.Color
	if g.hollow {
		fill = color.White
	}
	outline := g.outline(at, sty.Radius)
	c.SetColor(fill)
	c.Fill(outline)
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: 1.2})
	c.Stroke(outline)
}

func (g polygon) outline(at vg.Point, r vg.Length) (p vg.Path) {
	if g.sides == 0 {
		p.Move(away(at, 0, r))
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
		return p
	}
	const grown = 1.25 // so that its area is about that of the circle
	p.Move(away(at, g.turn, r*grown))
	for i := 1; i < g.sides; i++ {
		p.Line(away(at, g.turn+2*math.Pi*float64(i)/float64(g.sides), r*grown))
	}
	p.Close()
	return p
}

// star is a marker of crossed strokes on white.
type star struct {
	points int // strokes
	turn   float64
}

// DrawGlyph implements [draw.GlyphDrawer].
func (g star) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	for _, s := range []draw.LineStyle{{Color: color.White, Width: 3.4}, {Color: sty.Color, Width: 2}} {
		for i := range g.points {
			angle := g.turn + math.Pi*float64(i)/float64(g.points)
			c.StrokeLines(s, []vg.Point{away(at, angle, sty.Radius), away(at, angle+math.Pi, sty.Radius)})
		}
	}
}

// away returns the point at a distance from another.
func away(from vg.Point, angle float64, r vg.Length) vg.Point {
	sin, cos := math.Sincos(angle)
	return vg.Point{X: from.X + r*vg.Length(cos), Y: from.Y + r*vg.Length(sin)}
}
