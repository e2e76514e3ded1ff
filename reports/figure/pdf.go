package figure

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// WritePDF writes a figure as a PDF document of one page, which fails as [Write] does. Its fonts are
// Helvetica, which every reader has and whose widths are those of Liberation Sans.
func WritePDF(w io.Writer, f Figure) error { return write(w, &f, pdf) }

// pdf draws a picture.
func pdf(p picture) ([]byte, error) {
	canvas := &pdfCanvas{}
	vg.Initialize(canvas)
	p.draw(canvas)
	return canvas.document(p), nil
}

// pdfCanvas collects the operators of a page (ISO 32000-1, annex A). A pixel is a point.
type pdfCanvas struct {
	ops   bytes.Buffer
	faint []float64 // opacities below 1, each with a graphics state of its number
}

func (c *pdfCanvas) op(format string, args ...any) { fmt.Fprintf(&c.ops, format+"\n", args...) }

// SetLineWidth implements [vg.Canvas].
func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.op("%s w", pdfNumber(float64(w))) }

// SetLineDash implements [vg.Canvas].
func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	var list []string
	for _, d := range pattern {
		list = append(list, pdfNumber(float64(d)))
	}
	c.op("[%s] %s d", strings.Join(list, " "), pdfNumber(float64(offset)))
}

// SetColor implements [vg.Canvas].
func (c *pdfCanvas) SetColor(col color.Color) {
	n := color.NRGBAModel.Convert(col).(color.NRGBA)
	rgb := fmt.Sprintf("%s %s %s", pdfNumber(float64(n.R)/255), pdfNumber(float64(n.G)/255), pdfNumber(float64(n.B)/255))
	c.op("%s rg %s RG /G%d gs", rgb, rgb, c.opacity(float64(n.A)/255))
}

// opacity returns the number of the graphics state of an opacity; 0 is that of 1.
func (c *pdfCanvas) opacity(a float64) int {
	if a >= 1 {
		return 0
	}
	for i, f := range c.faint {
		if f == a {
			return i + 1
		}
	}
	c.faint = append(c.faint, a)
	return len(c.faint)
}

// Rotate implements [vg.Canvas].
func (c *pdfCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.op("%s %s %s %s 0 0 cm", pdfNumber(cos), pdfNumber(sin), pdfNumber(-sin), pdfNumber(cos))
}

// Translate implements [vg.Canvas].
func (c *pdfCanvas) Translate(p vg.Point) { c.op("1 0 0 1 %s cm", pdfPoint(p)) }

// Scale implements [vg.Canvas].
func (c *pdfCanvas) Scale(x, y float64) { c.op("%s 0 0 %s 0 0 cm", pdfNumber(x), pdfNumber(y)) }

// Push implements [vg.Canvas].
func (c *pdfCanvas) Push() { c.op("q") }

// Pop implements [vg.Canvas].
func (c *pdfCanvas) Pop() { c.op("Q") }

// Stroke implements [vg.Canvas].
func (c *pdfCanvas) Stroke(p vg.Path) { c.path(p, "S") }

// Fill implements [vg.Canvas].
func (c *pdfCanvas) Fill(p vg.Path) { c.path(p, "f") }

// DrawImage implements [vg.Canvas]. Figures have no images.
func (*pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("a figure has an image") }

// FillString implements [vg.Canvas]. The font's variant says which part of the text is at the point.
func (c *pdfCanvas) FillString(f font.Face, p vg.Point, s string) {
	face := 1
	if f.Font.Weight > 0 {
		face = 2
	}
	s = pdfASCII.Replace(s)
	switch _, anchor, _ := strings.Cut(string(f.Font.Variant), "anchor:"); anchor {
	case "middle":
		p.X -= f.Width(s) / 2
	case "end":
		p.X -= f.Width(s)
	}
	c.op("BT /F%d %s Tf %s Td (%s) Tj ET", face, pdfNumber(float64(f.Font.Size)), pdfPoint(p), winAnsi(s))
}

func (c *pdfCanvas) path(p vg.Path, paint string) {
	for _, part := range p {
		switch part.Type {
		case vg.MoveComp:
			c.op("%s m", pdfPoint(part.Pos))
		case vg.LineComp:
			c.op("%s l", pdfPoint(part.Pos))
		case vg.ArcComp:
			c.arc(part)
		case vg.CurveComp:
			c.curve(part)
		case vg.CloseComp:
			c.op("h")
		}
	}
	c.op("%s", paint)
}

// curve draws a cubic curve; figures have no others.
func (c *pdfCanvas) curve(p vg.PathComp) {
	if len(p.Control) != 2 {
		panic("a figure has a curve that is not cubic")
	}
	c.op("%s %s %s c", pdfPoint(p.Control[0]), pdfPoint(p.Control[1]), pdfPoint(p.Pos))
}

// arc draws an arc as cubic curves of a quarter of a circle at most.
func (c *pdfCanvas) arc(p vg.PathComp) {
	n := int(math.Ceil(math.Abs(p.Angle) / (math.Pi / 2)))
	step := p.Angle / float64(n)
	reach := p.Radius * vg.Length(4.0/3*math.Tan(step/4)) // of the control points, along the tangents
	for i := range n {
		a, b := p.Start+float64(i)*step, p.Start+float64(i+1)*step
		from, to := away(p.Pos, a, p.Radius), away(p.Pos, b, p.Radius)
		if i == 0 {
			c.op("%s l", pdfPoint(from))
		}
		c.op("%s %s %s c", pdfPoint(away(from, a+math.Pi/2, reach)), pdfPoint(away(to, b-math.Pi/2, reach)), pdfPoint(to))
	}
}

func pdfPoint(p vg.Point) string { return pdfNumber(float64(p.X)) + " " + pdfNumber(float64(p.Y)) }

// pdfNumber writes a number to a thousandth.
func pdfNumber(v float64) string {
	text := strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 3, 64), "0"), ".")
	if text == "-0" || text == "" {
		return "0"
	}
	return text
}

// pdfASCII replaces the characters of figures that WinAnsi lacks.
var pdfASCII = strings.NewReplacer("≤", "<=", "≥", ">=", "→", "->", "−", "-")

// winAnsi writes a text as the string of a PDF in WinAnsi (ISO 32000-1, annex D). What that lacks is a
// question mark.
func winAnsi(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\' || r == '(' || r == ')':
			b.WriteString(`\` + string(r))
		case r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		case r >= 0xa0 && r <= 0xff:
			fmt.Fprintf(&b, `\%03o`, r)
		case r == '…':
			b.WriteString(`\205`)
		case r == '–':
			b.WriteString(`\226`)
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

// document returns the whole file. The same page gives the same bytes.
func (c *pdfCanvas) document(p picture) []byte {
	var states strings.Builder
	for i, a := range append([]float64{1}, c.faint...) {
		fmt.Fprintf(&states, "/G%d << /ca %s /CA %s >> ", i, pdfNumber(a), pdfNumber(a))
	}
	var page bytes.Buffer
	zip := zlib.NewWriter(&page)
	zip.Write(c.ops.Bytes()) // memory takes all
	zip.Close()
	const helvetica = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica%s /Encoding /WinAnsiEncoding >>"
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %s] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> /ExtGState << %s>> >> >>",
			pdfPoint(vg.Point{X: p.width, Y: p.height}), states.String()),
		fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", page.Len(), page.String()),
		fmt.Sprintf(helvetica, ""), fmt.Sprintf(helvetica, "-Bold"),
		fmt.Sprintf("<< /Title (%s) >>", winAnsi(pdfASCII.Replace(clean(p.title)))),
	}
	return pdfFile(objects)
}

// pdfFile puts objects into a file: the first is the catalogue, the last is about the document.
func pdfFile(objects []string) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	var at []int
	for i, o := range objects {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, len(objects), start)
	return out.Bytes()
}
