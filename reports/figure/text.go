package figure

import (
	"image/color"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of text, in pixels. Nothing is smaller than 11.
const (
	titleSize = 15
	labelSize = 12
	smallSize = 11
)

// style returns a style of text that begins at its point, on its base line.
func style(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: draw.XLeft, YAlign: draw.YBottom, Handler: handler{text.Plain{Fonts: font.DefaultCache}},
	}
}

func bold(s text.Style) text.Style {
	s.Font.Weight = 3 // as package font of golang.org/x/image counts; regular is 0
	return s
}

// handler draws text so that its middle or end is where it belongs in whatever
// font the reader has.
type handler struct{ text.Plain }

// Draw implements [text.Handler].
func (h handler) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	h.Plain.Draw(anchored{c, sty.XAlign}, txt, sty, pt)
}

// anchored is a canvas that tells SVG which part of a text is at its point, in
// place of moving the point by the width that the text has here.
type anchored struct {
	vg.Canvas
	align text.XAlignment
}

// FillString implements [vg.Canvas]. vgsvg writes the variant of a font into the
// style of the text as it stands, which is how the anchor gets there.
func (a anchored) FillString(f font.Face, pt vg.Point, s string) {
	anchor := "start"
	switch a.align {
	case draw.XCenter:
		anchor = "middle"
	case draw.XRight:
		anchor = "end"
	}
	pt.X -= vg.Length(a.align) * f.Width(s)
	f.Font.Variant = font.Variant("normal;text-anchor:" + anchor)
	a.Canvas.FillString(f, pt, s)
}

// wider is how much wider than ours the font of a reader may be, in which text
// still has the room it needs.
const wider = 1.16

// widthOf returns the room that a text needs.
func widthOf(sty text.Style, s string) vg.Length { return wider * sty.Width(s) }

// clean keeps what XML may hold: anything else, line ends included, is a space.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || r&0xfffe == 0xfffe {
			return ' '
		}
		return r
	}, s)
}

// wrap breaks text into lines of at most a width. A word that is wider stands
// alone, and is cut.
func wrap(sty text.Style, s string, width vg.Length) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(clean(s)) {
		longer := strings.TrimLeft(line+" "+word, " ")
		if line != "" && widthOf(sty, longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	for i := range lines {
		lines[i] = fit(sty, lines[i], width)
	}
	return lines
}

// fit cuts text that is wider than a width.
func fit(sty text.Style, s string, width vg.Length) string {
	s = clean(s)
	if widthOf(sty, s) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && widthOf(sty, string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// label is what stands along an axis.
func (a *Axis) label() string {
	if a.Unit == "" {
		return a.Label
	}
	return a.Label + " (" + a.Unit + ")"
}

// setFonts makes the texts of a plot ours.
func setFonts(p *plot.Plot) {
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Label = aligned(style(smallSize, dark), a.Tick.Label)
		a.Label.TextStyle = aligned(style(labelSize, black), a.Label.TextStyle)
	}
}

// aligned returns a style that is placed as another one.
func aligned(s, as text.Style) text.Style {
	s.XAlign, s.YAlign = as.XAlign, as.YAlign
	return s
}
