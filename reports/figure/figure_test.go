package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
)

// small has one of each: a line with intervals, points, steps, and marks of
// every form.
func small() Figure {
	return Figure{
		ID: "trio.fig99", Title: "Time by packet", Columns: 2, Notes: []string{"Model: a line. Bars: 95% intervals."},
		Panels: []Panel{
			{
				Title: "latency", X: Axis{Label: "gradients", Scale: Log2}, Y: Axis{Label: "latency", Unit: "us", Zero: true},
				Series: []Series{
					{Name: "A", Points: []Point{{X: 64, Y: 30, Below: 2, Above: 3}, {X: 256, Y: 55}, {X: 1024, Y: 160, Below: 9, Above: 9}}},
					{Name: "B", Kind: Points, Points: []Point{{X: 64, Y: 40}, {X: 1024, Y: 90}}},
				},
				Marks: []Mark{{X: At(64), Y: At(30)}, {Name: "plateau", X: Between(512, 1024), Y: Everywhere()}},
			},
			{
				Title: "spread", X: Axis{Label: "latency", Unit: "us", Scale: Log10}, Y: Axis{Label: "share", Ticks: []float64{0, 0.5, 1}},
				Series: []Series{CDF("A", []float64{30, 10, 30, 200})},
				Marks:  []Mark{{Name: "range", X: Between(20, 40), Y: At(0.5)}, {Name: "range", X: At(100), Y: Between(0.6, 0.9)}},
			},
		},
	}
}

// written returns the SVG of a figure.
func written(t interface {
	Helper()
	Fatal(...any)
}, f Figure) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	golden.Equal(t, "small.svg", written(t, small()))
}

func TestSameBytes(t *testing.T) {
	first := written(t, small())
	for range 5 {
		if written(t, small()) != first {
			t.Fatal("the same figure gave other bytes")
		}
	}
}

func TestCDF(t *testing.T) {
	values := []float64{3, 1, 3, 2}
	want := []Point{{X: 1}, {X: 1, Y: 0.25}, {X: 2, Y: 0.5}, {X: 3, Y: 1}}
	if s := CDF("a", values); !slices.Equal(s.Points, want) || s.Kind != Steps || s.Name != "a" {
		t.Errorf("%+v", s)
	}
	if !slices.Equal(values, []float64{3, 1, 3, 2}) {
		t.Error("the values were sorted in place")
	}
	if s := CDF("a", nil); len(s.Points) != 0 {
		t.Errorf("of nothing: %+v", s)
	}
}

// What has no data says so, in the legend and in the panel.
func TestEmpty(t *testing.T) {
	f := small()
	f.Panels[0].Series = append(f.Panels[0].Series, Series{Name: "C"})
	f.Panels = append(f.Panels, Panel{X: Axis{Label: "x", Scale: Log10}, Y: Axis{Label: "y"}, Series: []Series{{Name: "A"}}})
	texts := textsOf(t, written(t, f))
	for text, want := range map[string]int{"C (no data)": 1, "no data": 1, "A": 1, "A (no data)": 0} {
		if n := count(texts, text); n != want {
			t.Errorf("%q is there %d times, want %d", text, n, want)
		}
	}
}

// Each change to a good figure is refused, with what is wrong and where.
func TestRefused(t *testing.T) {
	first := func(f *Figure) *Panel { return &f.Panels[0] }
	point := func(p Point) func(*Figure) {
		return func(f *Figure) { first(f).Series[0].Points[1] = p }
	}
	for want, change := range map[string]func(*Figure){
		`panel 1 "latency": series "A", point 2: value NaN of "latency" has no place`: point(Point{X: 128, Y: math.NaN()}),
		`point 2: value +Inf of "gradients" has no place`:                             point(Point{X: math.Inf(1), Y: 1}),
		`point 2: value 0 of "gradients": a logarithmic axis shows values above 0`:    point(Point{X: 0, Y: 1}),
		`point 2: end of the interval +Inf of "latency"`:                              point(Point{X: 128, Y: 1, Above: math.Inf(1)}),
		`the interval reaches -1 below`:                                               point(Point{X: 128, Y: 1, Below: -1}),
		`value 1e+200 of "latency": more than 1e+100; take a larger unit`:             point(Point{X: 128, Y: 1e200}),
		`value 1e-200 of "gradients": less than 1e-100; take a smaller unit`:          point(Point{X: 1e-200, Y: 1}),
		`figure "a/b": the id names a file`:                                           func(f *Figure) { f.ID = "a/b" },
		`no title`:                                                                    func(f *Figure) { f.Title = "" },
		`0 panels: 1 to 12`:                                                           func(f *Figure) { f.Panels = nil },
		`5 columns: 1 to 4`:                                                           func(f *Figure) { f.Columns = 5 },
		`axis X: there is no label`:                                                   func(f *Figure) { first(f).X.Label = "" },
		`axis Y: unknown scale 7`:                                                     func(f *Figure) { first(f).Y.Scale = 7 },
		`axis X: a logarithmic axis does not reach 0`:                                 func(f *Figure) { first(f).X.Zero = true },
		`tick 0 of "gradients": a logarithmic axis`:                                   func(f *Figure) { first(f).X.Ticks = []float64{0} },
		`series 2 is called "A": a name of its own`:                                   func(f *Figure) { first(f).Series[1].Name = "A" },
		`series "A", unknown kind 9`:                                                  func(f *Figure) { first(f).Series[0].Kind = 9 },
		`series "B", point 2: steps go back from 64 to 2`:                             func(f *Figure) { first(f).Series[1] = Series{Name: "B", Kind: Steps, Points: []Point{{X: 64}, {X: 2}}} },
		`series "A", 20001 points: at most 20000`:                                     func(f *Figure) { first(f).Series[0].Points = make([]Point, maxPoints+1) },
		`mark "paper": value 0 of "gradients": a logarithmic axis`:                    func(f *Figure) { first(f).Marks[0].X = At(0) },
		`mark "paper": 2 to 1 of "latency": the lower comes first`:                    func(f *Figure) { first(f).Marks[0].Y = Between(2, 1) },
		`mark "paper" is everywhere`:                                                  func(f *Figure) { first(f).Marks[0] = Mark{X: Everywhere(), Y: Everywhere()} },
		`4 names of marks: at most 3 can be told apart`:                               func(f *Figure) { first(f).Marks = append(first(f).Marks, Mark{Name: "4", X: At(64)}) },
		`17 names of series: at most 16 can be told apart`: func(f *Figure) {
			for i := range 15 {
				first(f).Series = append(first(f).Series, Series{Name: string(rune('c' + i))})
			}
		},
	} {
		f := small()
		change(&f)
		var b strings.Builder
		if err := Write(&b, f); err == nil || !strings.Contains(err.Error(), want) || b.Len() > 0 {
			t.Errorf("error %v, %d bytes; want %q", err, b.Len(), want)
		}
	}
}

// No two series of a figure look the same.
func TestLooksDiffer(t *testing.T) {
	var l looks
	seen := map[any]bool{}
	for i := range maxSeries {
		l.order = append(l.order, string(rune('a'+i)))
		g := l.of(l.order[i]).glyph
		g.Radius = 0
		seen[g] = true
	}
	if len(seen) != maxSeries {
		t.Errorf("%d looks of %d series", len(seen), maxSeries)
	}
}

// Any figure of finite values becomes a document whose numbers are numbers.
func TestAnyFigure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Figure{ID: "any", Title: rapid.StringN(1, 80, -1).Draw(t, "title"), Columns: rapid.IntRange(0, maxColumns).Draw(t, "columns")}
		for range rapid.IntRange(1, 5).Draw(t, "panels") {
			f.Panels = append(f.Panels, drawPanel(t))
		}
		svg := written(t, f)
		textsOf(t, svg)
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Fatalf("not a number in\n%s", svg)
		}
	})
}

func drawPanel(t *rapid.T) Panel {
	scale := rapid.SampledFrom([]Scale{Linear, Log10, Log2})
	p := Panel{X: Axis{Label: "x", Scale: scale.Draw(t, "x")}, Y: Axis{Label: "y", Scale: scale.Draw(t, "y")}}
	value := func(a Axis) float64 {
		v := rapid.OneOf(rapid.Float64Range(1e-100, 1e100), rapid.Float64Range(0.1, 1000), rapid.Just(7.0)).Draw(t, "value")
		if a.Scale == Linear && rapid.Bool().Draw(t, "negative") {
			return -v
		}
		return v
	}
	s := Series{Name: "s", Kind: rapid.SampledFrom([]Kind{Line, Points}).Draw(t, "kind")}
	for range rapid.IntRange(0, 5).Draw(t, "points") {
		s.Points = append(s.Points, Point{X: value(p.X), Y: value(p.Y)})
	}
	p.Series = append(p.Series, s)
	if rapid.Bool().Draw(t, "marked") {
		p.Marks = append(p.Marks, Mark{X: At(value(p.X)), Y: Everywhere()})
	}
	return p
}
