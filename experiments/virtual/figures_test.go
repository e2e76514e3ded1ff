package virtual

import (
	"math"
	"slices"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/stat"
)

// sweepRows are results of Fig 13 in which SwitchML takes 100 ms more for each
// step of the probability, and a single iteration of Trio-ML has no interval.
func sweepRows(e *experiment.Env) (rows []compare.Row) {
	for i, p := range testbed.StraggleP(e) {
		for _, m := range trioModels {
			rows = append(rows,
				compare.Row{System: "trioml", Model: m, StraggleP: p, Iter: stat.Estimate{Value: 100, Half: math.Inf(1), N: 1}, Speedup: stat.Estimate{Value: 1 + float64(i), Half: 0.25, N: 9}},
				compare.Row{System: otherLine(e), Model: m, StraggleP: p, Iter: stat.Estimate{Value: 95, Half: 5, N: 9}, Speedup: stat.Estimate{Value: 2 + float64(i), Half: 0.25, N: 9}},
				compare.Row{System: "switchml256", Model: m, StraggleP: p, Iter: stat.Estimate{Value: 100 * float64(i+1), Half: 5, N: 9}})
			if p == 0 {
				rows = append(rows, compare.Row{System: compare.Ideal, Model: m, Computed: true, Iter: stat.Estimate{Value: 90}})
			}
		}
	}
	return rows
}

func TestFig13Figure(t *testing.T) {
	e := experimenttest.NewEnv(t)
	e.Quick = false
	s := &sweep{env: e}
	f, err := s.figure(sweepRows(e))
	if err != nil {
		t.Fatal(err)
	}
	experimenttest.Drawable(t, f)
	if len(f.Panels) != 2*len(trioModels) || f.Columns != len(trioModels) {
		t.Fatalf("%d panels in %d columns", len(f.Panels), f.Columns)
	}
	at := func(panel, series, point int) figure.Point { return f.Panels[panel].Series[series].Points[point] }
	for got, want := range map[figure.Point]figure.Point{
		at(0, 0, 4): {X: 16, Y: 100},                         // one iteration has no interval
		at(1, 1, 3): {X: 12, Y: 400, Below: 5, Above: 5},     // SwitchML
		at(2, 2, 2): {X: 8, Y: 90},                           // the ideal, whatever p
		at(0, 3, 1): {X: 4, Y: 95, Below: 5, Above: 5},       // the other reading of ageing
		at(3, 0, 4): {X: 16, Y: 5, Below: 0.25, Above: 0.25}, // speed-up
		at(4, 1, 0): {Y: 2, Below: 0.25, Above: 0.25},        // that in the other reading
		at(5, 2, 4): {X: 16, Y: 1.6},                         // 1 + 3.75 p
	} {
		if got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	// The paper's text has two of the three speed-ups.
	want := [][]figure.Mark{{{X: figure.At(16), Y: figure.At(1.72)}}, {{X: figure.At(16), Y: figure.At(1.8)}}, nil}
	for i, p := range f.Panels {
		if i < 3 && p.Marks != nil || i >= 3 && !slices.Equal(p.Marks, want[i-3]) {
			t.Errorf("panel %d is marked %+v", i, p.Marks)
		}
	}
	if _, err := s.figure(sweepRows(e)[1:]); err == nil {
		t.Error("a missing run is not missed")
	}
}

func TestRecoveryFigure(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, many times slower under the race detector, which shorter experiments here exercise as well")
	}
	x := fig14()
	found := experimenttest.Run(t, &x)
	f := found.Figures[0]
	p := found.Predicted["trio.fig14.recovery"]
	line := f.Panels[1].Series[0] // in timeouts, of what is predicted
	for _, pt := range line.Points {
		if !(p.Low <= pt.Y-pt.Below && pt.Y+pt.Above <= p.High) {
			t.Errorf("%s: %+v is not within %v to %v", line.Name, pt, p.Low, p.High)
		}
	}
	for _, panel := range f.Panels[2:] { // distributions
		for _, s := range panel.Series {
			if last := s.Points[len(s.Points)-1]; len(panel.Series) != len(recoveryTimeouts) || last.Y != 1 {
				t.Errorf("%s, %s ends at %+v", panel.Title, s.Name, last)
			}
		}
	}
}

func TestLossFigures(t *testing.T) {
	var runs []underLoss
	for i, p := range testbed.LossRates {
		took := units.Duration(i+1) * units.Second
		runs = append(runs, underLoss{p: p, smlTook: took, ringTook: took * units.Duration(i+1), sent: &sending{buckets: []int{7, 7, i}}})
	}
	six, seven := fig6Figure(runs), fig7Figure(runs)
	experimenttest.Drawable(t, six)
	experimenttest.Drawable(t, seven)
	if got := six.Panels[0].Series[1].Points; len(got) != 3 || got[2] != (figure.Point{X: 1, Y: 16}) {
		t.Errorf("the ring: %+v", got)
	}
	if got := seven.Panels[0].Series[3].Points; !slices.Equal(got, []figure.Point{{Y: 7}, {X: 10, Y: 7}, {X: 20, Y: 3}, {X: 30}}) {
		t.Errorf("packets: %+v", got)
	}
}

func TestPoolFigure(t *testing.T) {
	sweeps := map[units.Rate]swept{}
	for _, l := range testbed.LinkRates {
		var points []pooled
		for _, s := range pools {
			points = append(points, pooled{slots: s, call: call{mib: tensorMiB}, took: units.Second / units.Duration(s), blocks: 1000})
		}
		sweeps[l.Rate] = swept{line: points, dpdk: points}
	}
	f, err := poolFigure(sweeps, "a model")
	if err != nil {
		t.Fatal(err)
	}
	experimenttest.Drawable(t, f)
	for i, want := range []float64{128, 512, 128, 512} { // SwitchML App C
		if got := f.Panels[i].Marks[0].X; got != figure.At(want) {
			t.Errorf("panel %d: the paper's pool at %+v, want %v", i, got, want)
		}
	}
}
