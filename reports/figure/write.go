package figure

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Sizes of a figure, in pixels.
const (
	border    vg.Length = 16
	gap       vg.Length = 10
	rowHeight vg.Length = 330 // of the panels, if they are in one row
	rowOfMany vg.Length = 250
	titleLine vg.Length = 22
	nameLine  vg.Length = 20 // of a panel's title
	noteLine  vg.Length = 15
)

// widths are those of figures by their columns.
var widths = [maxColumns + 1]vg.Length{720, 720, 860, 1000, 1160}

// Write writes a figure as an SVG document. It fails, and writes nothing, where
// a value is not finite, a logarithmic axis meets 0 or less, or a name or label
// is missing; the error names the panel and the point.
func Write(w io.Writer, f Figure) error { return write(w, &f, svg) }

// WriteInline writes a figure as [Write] does, for a page: its colours are those of [Variables].
func WriteInline(w io.Writer, f Figure) error {
	return write(w, &f, func(p picture) ([]byte, error) {
		text, err := svg(p)
		return themed(text), err
	})
}

func write(w io.Writer, f *Figure, document func(picture) ([]byte, error)) error {
	if err := f.check(); err != nil {
		return err
	}
	return writePicture(w, newSheet(f).picture(), document)
}

// picture is what is drawn on a canvas of a size.
type picture struct {
	id, title     string
	width, height vg.Length
	draw          func(vg.Canvas)
}

func writePicture(w io.Writer, p picture, document func(picture) ([]byte, error)) error {
	text, err := document(p)
	if err != nil {
		return fmt.Errorf("figure %s: %w", p.id, err)
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write figure %s: %w", p.id, err)
	}
	return nil
}

// svg draws a picture.
func svg(p picture) ([]byte, error) {
	canvas := vgsvg.NewWith(vgsvg.UseWH(p.width, p.height))
	p.draw(canvas)
	var body bytes.Buffer
	if _, err := canvas.WriteTo(&body); err != nil {
		return nil, err
	}
	return p.document(body.Bytes()), nil
}

// sheet is a figure with everything but its panels set in lines.
type sheet struct {
	*Figure
	looks         looks
	width, height vg.Length
	columns, rows int
	title, notes  []string
	legend        [][]entry
}

func newSheet(f *Figure) *sheet {
	s := &sheet{Figure: f, looks: f.looks(), columns: max(1, f.Columns), width: widths[f.Columns]}
	s.rows = (len(f.Panels) + s.columns - 1) / s.columns
	inner := s.width - 2*border
	s.title = wrap(s.titleStyle(), f.Title, inner)
	s.legend = rows(f.entries(&s.looks), inner)
	for _, n := range f.Notes {
		s.notes = append(s.notes, wrap(style(smallSize, dark), n, inner)...)
	}
	s.height = s.top() + s.panels() + s.bottom()
	return s
}

func (*sheet) titleStyle() text.Style { return bold(style(titleSize, black)) }

// top is what title and legend take.
func (s *sheet) top() vg.Length {
	return border + titleLine*vg.Length(len(s.title)) + legendLine*vg.Length(len(s.legend)) + gap
}

// panels is what the panels take.
func (s *sheet) panels() vg.Length {
	if s.rows == 1 {
		return rowHeight
	}
	return rowOfMany*vg.Length(s.rows) + gap*vg.Length(s.rows-1)
}

// bottom is what the notes take.
func (s *sheet) bottom() vg.Length {
	if len(s.notes) == 0 {
		return border
	}
	return gap + noteLine*vg.Length(len(s.notes)) + border
}

// picture returns the figure as it is drawn.
func (s *sheet) picture() picture {
	return picture{s.ID, s.ID + ": " + s.Title, s.width, s.height, func(c vg.Canvas) {
		s.draw(draw.NewCanvas(c, s.width, s.height))
	}}
}

func (s *sheet) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	in := draw.Crop(c, border, -border, border, -border)
	s.lines(in, s.titleStyle(), titleLine, s.title)
	drawLegend(draw.Crop(in, 0, 0, 0, -titleLine*vg.Length(len(s.title))), s.legend)
	s.drawPanels(draw.Crop(c, border, -border, s.bottom(), -s.top()))
	in.Max.Y = in.Min.Y + noteLine*vg.Length(len(s.notes))
	s.lines(in, style(smallSize, dark), noteLine, s.notes)
}

// lines writes lines of text below the top of a canvas.
func (*sheet) lines(c draw.Canvas, sty text.Style, height vg.Length, lines []string) {
	sty.YAlign = draw.YCenter
	for i, line := range lines {
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y - height*(vg.Length(i)+0.5)}, line)
	}
}

// drawPanels draws the panels with their axes in line, rows and columns.
func (s *sheet) drawPanels(c draw.Canvas) {
	const axis = 60 // what labels and numbers take, about
	tiles := draw.Tiles{Rows: s.rows, Cols: s.columns, PadX: gap, PadTop: s.names(), PadY: gap + s.names()}
	size := tiles.At(c, 0, 0).Size()
	grid := make([][]*plot.Plot, s.rows)
	for i := range s.rows * s.columns {
		var p *plot.Plot
		if i < len(s.Panels) {
			p = s.Panels[i].draw(&s.looks, size.X-axis, size.Y-axis)
		}
		grid[i/s.columns] = append(grid[i/s.columns], p)
	}
	at := plot.Align(grid, tiles, c)
	for i, row := range grid {
		for j, p := range row {
			if p != nil {
				p.Draw(at[i][j])
				s.name(p.DataCanvas(at[i][j]), s.Panels[i*s.columns+j].Title)
			}
		}
	}
}

// names is the room for the titles of panels.
func (s *sheet) names() vg.Length {
	for i := range s.Panels {
		if s.Panels[i].Title != "" {
			return nameLine
		}
	}
	return 0
}

// name writes the title of a panel over its data.
func (*sheet) name(data draw.Canvas, title string) {
	sty := bold(style(labelSize, black))
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	c := vg.Point{X: data.Center().X, Y: data.Max.Y + nameLine/2}
	data.FillText(sty, c, fit(sty, title, data.Size().X))
}

// family is what vgsvg asks for, and fonts what we do: others of the same widths,
// and then whatever is there.
const (
	family = `style="font-family:Liberation Sans;`
	fonts  = `style="font-family:Liberation Sans,Arial,Helvetica,sans-serif;`
)

// document puts what was drawn between a head and an end of our own: sizes in
// pixels, a title for readers that do not see, and no word of who drew it. Text
// of the figure cannot be mistaken for a style, since its quotes are escaped.
func (p *picture) document(drawn []byte) []byte {
	_, drawn, _ = bytes.Cut(drawn, []byte("<svg "))
	_, drawn, _ = bytes.Cut(drawn, []byte(">\n"))
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" role="img">`+"\n",
		float64(p.width), float64(p.height), float64(p.width), float64(p.height))
	fmt.Fprintf(&out, "<title>%s</title>\n", html.EscapeString(clean(p.title)))
	out.Write(bytes.ReplaceAll(drawn, []byte(family), []byte(fonts)))
	return out.Bytes()
}
