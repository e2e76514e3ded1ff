package figure

import (
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Drawing is a picture of shapes, the first below the others. Positions are in pixels, from the upper left.
type Drawing struct {
	ID            string
	Title         string // for readers that do not see
	Width, Height float64
	Shapes        []Shape
}

// Shape is a [Box], a [Stroke], an [Area] or [Words].
type Shape interface{ draw(c *board) }

// Spot is a place in a drawing.
type Spot struct{ X, Y float64 }

// Box is a rectangle.
type Box struct {
	At            Spot // upper left
	Width, Height float64
	Round         float64 // radius of the corners
	Fill, Border  Ink
	Dashed        bool // the border
}

// Stroke is a line from spot to spot.
type Stroke struct {
	Path   []Spot
	Ink    Ink
	Width  float64
	Dashed bool
}

// Area is a polygon.
type Area struct {
	Path []Spot
	Fill Ink
}

// Words are a line of text whose middle is as high as the spot.
type Words struct {
	At   Spot
	Text string
	Side Side
	Size float64 // 0 is that of small text
	Bold bool
	Ink  Ink
	Halo bool // on paper of its own, over what lies below
}

// Side is which part of words is at their spot.
type Side int

// The sides.
const (
	Start Side = iota
	Middle
	End
)

// WidthOf returns the room that words need, in pixels.
func (w Words) WidthOf() float64 { return float64(widthOf(w.style(), w.Text)) }

// WriteDrawing writes a drawing as an SVG document.
func WriteDrawing(w io.Writer, d Drawing) error { return d.write(w, svg) }

// WriteDrawingInline writes a drawing for a page, as [WriteInline] does.
func WriteDrawingInline(w io.Writer, d Drawing) error {
	return d.write(w, func(p picture) ([]byte, error) {
		text, err := svg(p)
		return themed(text), err
	})
}

// WriteDrawingPDF writes a drawing as a PDF document, as [WritePDF] does.
func WriteDrawingPDF(w io.Writer, d Drawing) error { return d.write(w, pdf) }

// maxSide bounds a drawing, in pixels (assumed: ten screens).
const maxSide = 20000

func (d *Drawing) write(w io.Writer, document func(picture) ([]byte, error)) error {
	if !(d.Width > 0 && d.Width <= maxSide && d.Height > 0 && d.Height <= maxSide) {
		return fmt.Errorf("figure %s: %g by %g pixels: allowed are 1 to %d", d.ID, d.Width, d.Height, maxSide)
	}
	if d.Title == "" {
		return errors.New("figure " + d.ID + ": it has no title")
	}
	return writePicture(w, picture{d.ID, d.Title, vg.Length(d.Width), vg.Length(d.Height), d.draw}, document)
}

func (d *Drawing) draw(c vg.Canvas) {
	b := &board{draw.NewCanvas(c, vg.Length(d.Width), vg.Length(d.Height)), d.Height}
	Box{Width: d.Width, Height: d.Height, Fill: Paper, Border: Paper}.draw(b)
	for _, s := range d.Shapes {
		s.draw(b)
	}
}

// board is a canvas that counts from above.
type board struct {
	draw.Canvas
	height float64
}

func (b *board) at(s Spot) vg.Point { return vg.Point{X: vg.Length(s.X), Y: vg.Length(b.height - s.Y)} }

func (s Box) draw(b *board) {
	p := s.outline(b)
	b.SetColor(s.Fill.on())
	b.Fill(p)
	if s.Border != s.Fill {
		b.SetLineStyle(lineStyle(s.Border, 1, s.Dashed))
		b.Stroke(p)
	}
}

// outline returns the path of a box.
func (s Box) outline(b *board) (p vg.Path) {
	low := b.at(Spot{s.At.X, s.At.Y + s.Height})
	w, h, r := vg.Length(s.Width), vg.Length(s.Height), vg.Length(s.Round)
	corner := func(x, y vg.Length) vg.Point { return vg.Point{X: low.X + x, Y: low.Y + y} }
	if r == 0 {
		p.Move(corner(0, 0))
		p.Line(corner(w, 0))
		p.Line(corner(w, h))
		p.Line(corner(0, h))
		p.Close()
		return p
	}
	p.Move(corner(r, 0))
	p.Line(corner(w-r, 0))
	p.Arc(corner(w-r, r), r, -math.Pi/2, math.Pi/2)
	p.Line(corner(w, h-r))
	p.Arc(corner(w-r, h-r), r, 0, math.Pi/2)
	p.Line(corner(r, h))
	p.Arc(corner(r, h-r), r, math.Pi/2, math.Pi/2)
	p.Line(corner(0, r))
	p.Arc(corner(r, r), r, math.Pi, math.Pi/2)
	p.Close()
	return p
}

func lineStyle(i Ink, width float64, dashed bool) draw.LineStyle {
	sty := draw.LineStyle{Color: i.on(), Width: vg.Length(width)}
	if dashed {
		sty.Dashes = []vg.Length{3, 3}
	}
	return sty
}

func (s Stroke) draw(b *board) {
	var points []vg.Point
	for _, p := range s.Path {
		points = append(points, b.at(p))
	}
	b.StrokeLines(lineStyle(s.Ink, s.Width, s.Dashed), points)
}

func (s Area) draw(b *board) {
	var points []vg.Point
	for _, p := range s.Path {
		points = append(points, b.at(p))
	}
	b.FillPolygon(s.Fill.on(), points)
}

func (w Words) style() text.Style {
	size := vg.Length(w.Size)
	if size == 0 {
		size = smallSize
	}
	sty := style(size, w.Ink.on())
	if w.Bold {
		sty = bold(sty)
	}
	sty.YAlign = draw.YCenter
	sty.XAlign = []text.XAlignment{draw.XLeft, draw.XCenter, draw.XRight}[w.Side]
	return sty
}

func (w Words) draw(b *board) {
	sty := w.style()
	if w.Halo {
		width, high := w.WidthOf()+2, float64(sty.Font.Size)+3
		left := w.At.X - width*[]float64{0, 0.5, 1}[w.Side]
		Box{At: Spot{left, w.At.Y - high/2}, Width: width, Height: high, Fill: Paper, Border: Paper}.draw(b)
	}
	b.FillText(sty, b.at(w.At), clean(w.Text))
}
