package page

import "fmt"

// Gauge is a number on a line: between what it should be, what is stated, and what came out. What is nil is not
// drawn, and what should be goes to the end of the line then. In Markdown there is none.
type Gauge struct {
	Label             string // for readers that do not see
	Low, High         *float64
	Stated, Measured  *float64
	HalfWidth         *float64 // of the interval of what came out
	ExpectFrom, Until *float64 // a span without a middle, in place of what came out
}

func (Gauge) markdown(*markdown) {}

func (b Gauge) html() (string, any, error) {
	g := gauge{Label: b.Label, scale: b.scale()}
	if b.Low != nil || b.High != nil {
		g.Band = g.span(b.Low, b.High)
	}
	if b.Measured != nil && b.HalfWidth != nil {
		low, high := *b.Measured-*b.HalfWidth, *b.Measured+*b.HalfWidth
		g.Interval = g.span(&low, &high)
	}
	if b.ExpectFrom != nil && b.Until != nil {
		g.Expected = g.span(b.ExpectFrom, b.Until)
	}
	g.Stated, g.Measured = g.at(b.Stated), g.at(b.Measured)
	return "gauge", g, nil
}

// gauge is a gauge on its way to HTML; places are from 0 to [gaugeWidth].
type gauge struct {
	scale
	Label                    string
	Band, Interval, Expected *span
	Stated, Measured         *string
}

type span struct{ From, Width string }

// gaugeWidth is that of the drawing, in pixels.
const gaugeWidth = 220

// scale is what stands at both ends of a gauge.
type scale struct{ low, high float64 }

// scale has room for everything, and some more.
func (b Gauge) scale() scale {
	var s scale
	first := true
	add := func(x *float64, by float64) {
		if x == nil {
			return
		}
		if v := *x + by; first {
			s, first = scale{v, v}, false
		} else {
			s = scale{min(s.low, v), max(s.high, v)}
		}
	}
	for _, x := range []*float64{b.Low, b.High, b.Stated, b.Measured, b.ExpectFrom, b.Until} {
		add(x, 0)
	}
	if b.HalfWidth != nil {
		add(b.Measured, *b.HalfWidth)
		add(b.Measured, -*b.HalfWidth)
	}
	room := 0.12 * (s.high - s.low)
	if room <= 0 {
		room = 1
	}
	return scale{s.low - room, s.high + room}
}

func (s scale) place(x float64) float64 {
	return min(gaugeWidth, max(0, gaugeWidth*(x-s.low)/(s.high-s.low)))
}

func (s scale) at(x *float64) *string {
	if x == nil {
		return nil
	}
	out := pixels(s.place(*x))
	return &out
}

// span is between two numbers, or from or to an end of the line. It can always be seen.
func (s scale) span(low, high *float64) *span {
	from, to := 0.0, float64(gaugeWidth)
	if low != nil {
		from = s.place(*low)
	}
	if high != nil {
		to = s.place(*high)
	}
	const least = 3
	if to-from < least {
		from, to = (from+to-least)/2, (from+to+least)/2
	}
	return &span{pixels(from), pixels(to - from)}
}

func pixels(x float64) string { return fmt.Sprintf("%.1f", x) }
