package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The legend, in pixels.
const (
	sampleWidth  vg.Length = 30
	sampleHeight vg.Length = 12
	legendLine   vg.Length = 19
	legendGap    vg.Length = 18 // between entries
)

// entry is a name with a sample of its look.
type entry struct {
	name   string
	sample func(c *draw.Canvas)
}

// entries lists the names of a figure: series first, then what papers state.
func (f *Figure) entries(l *looks) (out []entry) {
	for _, name := range l.series {
		e := entry{name: name, sample: func(c *draw.Canvas) { f.sampleOf(name).sample(c, l.of(name)) }}
		if l.empty[name] {
			e.name += " (no data)"
		}
		out = append(out, e)
	}
	for _, name := range l.marks {
		out = append(out, entry{name: name, sample: func(c *draw.Canvas) {
			drawnMark{Mark: f.markOf(name), look: l.paper(name)}.sample(c)
		}})
	}
	return out
}

// sampleOf returns the first series of a name that has points, or else the first.
func (f *Figure) sampleOf(name string) (found *Series) {
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			if s := &f.Panels[i].Series[j]; s.Name == name && (found == nil || len(found.Points) == 0) {
				found = s
			}
		}
	}
	return found
}

// markOf returns the first mark of a name.
func (f *Figure) markOf(name string) *Mark {
	for i := range f.Panels {
		for j := range f.Panels[i].Marks {
			if m := &f.Panels[i].Marks[j]; m.name() == name {
				return m
			}
		}
	}
	return nil
}

// sample draws what stands for a series in the legend.
func (s *Series) sample(c *draw.Canvas, l look) {
	mid := c.Center()
	if s.Kind != Points {
		c.StrokeLine2(l.line, c.Min.X, mid.Y, c.Max.X, mid.Y)
	}
	if s.marked() {
		c.DrawGlyph(l.glyph, mid)
	}
}

// sample draws what stands for a mark in the legend.
func (d drawnMark) sample(c *draw.Canvas) {
	mid := c.Center()
	r := vg.Rectangle{Min: c.Min, Max: c.Max}
	if d.X.point() {
		r.Min.X, r.Max.X = mid.X, mid.X
	}
	if d.Y.point() {
		r.Min.Y, r.Max.Y = mid.Y, mid.Y
	}
	d.in(c, r)
}

// rows breaks entries into lines of at most a width.
func rows(entries []entry, width vg.Length) (out [][]entry) {
	sty, used := style(labelSize, black), width
	for _, e := range entries {
		e.name = fit(sty, e.name, width-sampleWidth-legendGap)
		w := sampleWidth + legendGap + widthOf(sty, e.name)
		if used+w > width {
			out, used = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], e)
		used += w
	}
	return out
}

// drawLegend draws the lines of a legend below the top of a canvas.
func drawLegend(c draw.Canvas, lines [][]entry) {
	sty := style(labelSize, black)
	sty.YAlign = draw.YCenter
	for i, line := range lines {
		x, y := c.Min.X, c.Max.Y-legendLine*(vg.Length(i)+0.5)
		for _, e := range line {
			box := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y - sampleHeight/2}, Max: vg.Point{X: x + sampleWidth, Y: y + sampleHeight/2},
			}}
			e.sample(&box)
			c.FillText(sty, vg.Point{X: x + sampleWidth + 5, Y: y}, e.name)
			x += sampleWidth + legendGap + widthOf(sty, e.name)
		}
	}
}
