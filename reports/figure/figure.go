package figure

import (
	"cmp"
	"slices"
)

// Figure is one picture of one or more panels.
type Figure struct {
	ID      string // also the file's name: letters, digits, "." and "-", as in "trio.fig13"
	Title   string
	Panels  []Panel  // row by row, each from the left; 1 to 12
	Columns int      // panels in a row, 1 to 4; 0 is 1: one below the other
	Notes   []string // what stands below: the model, readings, what is calibrated or assumed

	// Order is names that take the first looks, drawn or not, so that a system looks the same in figures of
	// one page; nil: those drawn, as they come.
	Order []string
}

// Panel is one pair of axes.
type Panel struct {
	Title  string // "" for none
	X, Y   Axis
	Series []Series // what was measured
	Marks  []Mark   // what a paper states
}

// Axis says what is along it.
type Axis struct {
	Label string
	Unit  string // "" for a bare number
	Scale Scale
	Zero  bool      // a linear axis shows 0 as well, wherever the data are
	Ticks []float64 // where numbers stand; nil: chosen
	Names []string  // words in place of the numbers at Ticks; nil: none
}

// Scale is how an axis is divided.
type Scale int

// The scales. The two logarithmic ones differ in their ticks, powers of 10 or
// of 2; neither shows 0 or less.
const (
	Linear Scale = iota
	Log10
	Log2
)

// Series is what was measured of one system. The same name in another panel is
// the same system, and looks the same.
type Series struct {
	Name   string
	Kind   Kind
	Points []Point // none is no error: the legend then says that there are no data
	Aside  bool    // no system: what else is to be seen, in grey
}

// SeriesOf returns a series with a point for each element of a list.
func SeriesOf[E any](name string, list []E, at func(*E) Point) Series {
	s := Series{Name: name}
	for i := range list {
		s.Points = append(s.Points, at(&list[i]))
	}
	return s
}

// Kind is how the points of a series are joined.
type Kind int

// The kinds. Lines and steps take their points in the order given; that of steps
// must not go back in X.
const (
	Line   Kind = iota // straight from point to point
	Points             // not joined
	Steps              // each Y holds up to the next X: distributions, counts by time
)

// Point is a measured value. Below and Above are how far its interval reaches
// from Y, such as half of a 95% interval each; both 0 means that there is none.
type Point struct {
	X, Y         float64
	Below, Above float64 // at least 0
}

// Mark is a value, a range or a bound that a paper states. Along each axis it is
// at one value, between two, or everywhere; so a mark is a point, a bar, a line
// across the panel, or an area.
type Mark struct {
	Name string // in the legend; "" is "paper"
	X, Y Span
}

// Span is where a mark is along one axis: use [At], [Between] or [Everywhere].
type Span struct {
	Low, High float64 // Low <= High
	All       bool    // the whole axis, whatever Low and High are
}

// At is one value.
func At(v float64) Span { return Span{Low: v, High: v} }

// Between is what two values enclose.
func Between(low, high float64) Span { return Span{Low: low, High: high} }

// Everywhere is all of an axis.
func Everywhere() Span { return Span{All: true} }

// point reports whether s is one value.
func (s Span) point() bool { return !s.All && s.Low == s.High }

// name returns what the legend says.
func (m *Mark) name() string { return cmp.Or(m.Name, "paper") }

// CDF returns the distribution of values as a series of steps: the share of them,
// 0 to 1, that is at most X.
func CDF(name string, values []float64) Series {
	s := Series{Name: name, Kind: Steps}
	sorted := slices.Sorted(slices.Values(values))
	for i, v := range sorted {
		if i == 0 {
			s.Points = append(s.Points, Point{X: v})
		}
		if i+1 < len(sorted) && sorted[i+1] == v {
			continue // one step for equal values
		}
		s.Points = append(s.Points, Point{X: v, Y: float64(i+1) / float64(len(sorted))})
	}
	return s
}

// WidthOf returns how wide a figure is drawn, in pixels.
func WidthOf(f Figure) int { return int(widths[min(max(f.Columns, 0), maxColumns)]) }

// Names returns the series of a figure, each once, in the order of their looks.
func (f *Figure) Names() []string {
	l := f.looks()
	return l.order
}
