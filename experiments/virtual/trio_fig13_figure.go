package virtual

import (
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/stat"
)

// modelNames are the models of Trio Table 1 as people write them.
var modelNames = map[string]string{"resnet50": "ResNet50", "vgg11": "VGG11", "densenet161": "DenseNet161"}

// lineName is a system of Fig 13 and how the figure calls it.
type lineName struct{ system, name string }

// lineNames are the systems of Fig 13 as the paper calls them, in its order, and Trio-ML in the
// other reading of ageing.
func lineNames(e *experiment.Env) []lineName {
	return []lineName{
		{trioLine, "Trio-ML"}, {smlLine, "SwitchML-256"}, {compare.Ideal, "Ideal"}, {otherLine(e), otherName(e)},
	}
}

// otherName is how the figure calls Trio-ML in the other reading of ageing.
func otherName(e *experiment.Env) string { return "Trio-ML, " + ageingNames[otherAgeing(e).Age] }

// figure draws iteration times, and below them the speed-up, of which the paper's
// text states two points.
func (s *sweep) figure(rows []compare.Row) (figure.Figure, error) {
	f := figure.Figure{
		ID: "trio.fig13", Title: "Iteration time under stragglers, and how much shorter it is on Trio-ML", Columns: len(trioModels),
		Notes: []string{
			fmt.Sprintf("Means of %d iterations; bars: 95%% intervals. 6 workers, 100 Gbit/s. Ideal is computed: no stragglers.", iterations(s.env)),
			"Trio-ML: " + trioModel + ". Readings: " + s.env.Taken() + ".",
			"1 + 3.75 p: who waits for every server, over the same without stragglers, in expectation.",
			"Paper: Trio §6.2 states the speed-up at p = 16% for ResNet50 and VGG11; that of DenseNet161 is a prediction.",
		},
	}
	p := straggleAxis(s.env)
	for _, m := range trioModels {
		panel := figure.Panel{Title: modelNames[m], X: p, Y: figure.Axis{Label: "iteration time", Unit: "ms", Zero: true}}
		for _, system := range lineNames(s.env) {
			line, err := s.line(rows, system.system, m, func(r compare.Row) stat.Estimate { return r.Iter })
			if err != nil {
				return f, err
			}
			line.Name = system.name
			panel.Series = append(panel.Series, line)
		}
		f.Panels = append(f.Panels, panel)
	}
	speedups, err := s.speedups(rows, p)
	f.Panels = append(f.Panels, speedups...)
	return f, err
}

// straggleAxis has the straggling probabilities of the sweep, in percent.
func straggleAxis(e *experiment.Env) figure.Axis {
	a := figure.Axis{Label: "straggling probability", Unit: "%"}
	for _, p := range testbed.StraggleP(e) {
		a.Ticks = append(a.Ticks, 100*p)
	}
	return a
}

// line is an estimate of one system by straggling probability. The ideal, which
// has no stragglers, is the same at each.
func (s *sweep) line(rows []compare.Row, system, model string, value func(compare.Row) stat.Estimate) (figure.Series, error) {
	var out figure.Series
	for _, p := range testbed.StraggleP(s.env) {
		at := p
		if system == compare.Ideal {
			at = 0
		}
		r, err := testbed.Row(rows, system, model, at)
		if err != nil {
			return out, err
		}
		v := value(r)
		point := figure.Point{X: 100 * p, Y: v.Value}
		if v.Bounded() {
			point.Below, point.Above = v.Half, v.Half
		}
		out.Points = append(out.Points, point)
	}
	return out, nil
}

// expectedLine is what the delays alone come to, in the reading of which [expectedWait] is.
func (s *sweep) expectedLine() (figure.Series, bool) {
	if !s.oneServer() {
		return figure.Series{}, false
	}
	return figure.SeriesOf("1 + 3.75 p", testbed.StraggleP(s.env), func(p *float64) figure.Point {
		return figure.Point{X: 100 * *p, Y: expectedWait(*p)}
	}), true
}

// speedups are the panels of speed-ups over SwitchML-256.
func (s *sweep) speedups(rows []compare.Row, p figure.Axis) (out []figure.Panel, err error) {
	paper := experiment.NewPrinted()
	for _, m := range trioModels {
		panel := figure.Panel{Title: modelNames[m], X: p, Y: figure.Axis{Label: "speed-up (SwitchML = 1)"}}
		for _, system := range []lineName{{trioLine, "Trio-ML"}, {otherLine(s.env), otherName(s.env)}} {
			line, err := s.line(rows, system.system, m, func(r compare.Row) stat.Estimate { return r.Speedup })
			if err != nil {
				return nil, err
			}
			line.Name = system.name
			panel.Series = append(panel.Series, line)
		}
		if expected, ok := s.expectedLine(); ok {
			panel.Series = append(panel.Series, expected)
		}
		if m != "densenet161" {
			stated := paper.Claimed(claims.ID("trio.fig13." + m + ".p16"))
			panel.Marks = []figure.Mark{{X: figure.At(100 * testbed.LastP), Y: figure.At(stated)}}
		}
		out = append(out, panel)
	}
	return out, paper.Err()
}
