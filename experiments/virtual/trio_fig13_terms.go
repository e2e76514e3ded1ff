package virtual

import (
	"fmt"
	"math"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/render"
)

// delayMean is the mean of a delay, in typical iteration times (Trio §6.1).
const delayMean = (fault.MinDelay + fault.MaxDelay) / 2

// expectedWait is what one that waits for every server takes under stragglers, over what it
// takes without: 1 + 3 x 1.25 p, where one server may straggle in an iteration.
func expectedWait(p float64) float64 { return 1 + fault.DefaultPoints*delayMean*p }

// waitDeviation is the standard deviation of what n iterations draw around [expectedWait]: of
// each of three points, a delay that is uniform between two bounds with probability p.
func waitDeviation(p float64, n int) float64 {
	const width = fault.MaxDelay - fault.MinDelay
	const square = delayMean*delayMean + width*width/12
	return math.Sqrt(fault.DefaultPoints * (p*square - p*p*delayMean*delayMean) / float64(n))
}

// oneServer reports whether [expectedWait] is of the reading that is taken.
func (s *sweep) oneServer() bool {
	return fault.Semantics(s.env.Reading("trio.straggle-semantics")) == fault.OneServer
}

// laid returns the job of SwitchML at one point.
func (s *sweep) laid(model string, p float64) *job.Job {
	for _, chain := range s.chains {
		for _, j := range chain {
			if j.System.Name() == smlLine && j.Model.Name == model && j.StraggleP == p {
				return j
			}
		}
	}
	return nil
}

// drawnWait is what the schedule of a job has one pay that waits for every server, as
// [expectedWait] says it.
func drawnWait(j *job.Job) float64 {
	var paid units.Duration
	for i := range j.Iterations {
		paid += j.Schedule.Paid(i)
	}
	return 1 + float64(paid)/float64(j.Iterations)/float64(j.Typical)
}

// drawTable holds the schedule against its expectation.
func (s *sweep) drawTable() claims.Table {
	t := claims.Table{
		ID: "trio.fig13.draw", Title: "What who waits for every server takes, over the same without stragglers: expected and drawn",
		Columns: []claims.Column{{Name: "p", Unit: "%"}, {Name: "expected"}, {Name: "deviation of a draw"}, {Name: "drawn"}, {Name: "drawn over expected"}},
		Notes: []string{
			fmt.Sprintf("Expected: 1 + 3 x 1.25 p. Drawn: the schedule of the seed, %d iterations, in typical iteration times. All systems and models meet it.", iterations(s.env)),
			"The deviation is the standard one of a mean of so many iterations.",
		},
	}
	for _, p := range testbed.StraggleP(s.env) {
		if p == 0 {
			continue
		}
		drawn := drawnWait(s.laid(trioModels[0], p))
		expected, deviation, over := render.NA(), render.NA(), render.NA()
		if s.oneServer() {
			expected, deviation = render.Number(expectedWait(p), 3), render.Number(waitDeviation(p, iterations(s.env)), 3)
			over = render.Number(drawn/expectedWait(p), 3)
		}
		t.Add(render.Percent(p), expected, deviation, render.Number(drawn, 3), over)
	}
	return t
}

// terms are the factors of a speed-up over SwitchML at the last probability:
//
//	speed-up = 1 + 3.75 p             expected of who waits for every server
//	           x drawn / expected     by the schedule of the seed
//	           x unit                 delays are in other units than SwitchML's iterations
//	           x gap                  SwitchML / Trio-ML, both without stragglers
//	           x left                 Trio-ML without / with stragglers
type terms struct {
	wait, expectedWait float64        // drawn, as [drawnWait]; the latter is NaN in another reading of who may straggle
	smlCalm, sml       units.Duration // iterations of SwitchML without and with stragglers
	trioCalm, trio     units.Duration // of Trio-ML
}

// termsOf takes the terms of a model from rows.
func (s *sweep) termsOf(rows []compare.Row, line, model string) (terms, error) {
	t := terms{wait: drawnWait(s.laid(model, testbed.LastP)), expectedWait: math.NaN()}
	if s.oneServer() {
		t.expectedWait = expectedWait(testbed.LastP)
	}
	for _, at := range []struct {
		line string
		p    float64
		to   *units.Duration
	}{{smlLine, 0, &t.smlCalm}, {smlLine, testbed.LastP, &t.sml}, {line, 0, &t.trioCalm}, {line, testbed.LastP, &t.trio}} {
		r, err := testbed.Row(rows, at.line, model, at.p)
		if err != nil {
			return t, err
		}
		*at.to = units.Millisecond.Scale(r.Iter.Value)
	}
	return t, nil
}

// unit is what it matters that delays are measured by the ideal's iteration time, and not
// by SwitchML's.
func (t *terms) unit() float64 { return t.sml.Seconds() / t.smlCalm.Seconds() / t.wait }

// gap is that of the systems without stragglers.
func (t *terms) gap() float64 { return t.smlCalm.Seconds() / t.trioCalm.Seconds() }

// left is what stragglers cost Trio-ML.
func (t *terms) left() float64 { return t.trioCalm.Seconds() / t.trio.Seconds() }

func (t *terms) speedup() float64 { return t.sml.Seconds() / t.trio.Seconds() }

// atExpected returns the iterations with stragglers if the schedule drew what is expected:
// what stragglers cost either system is taken to grow with the delays.
func (t *terms) atExpected() (sml, trio float64) {
	if math.IsNaN(t.expectedWait) {
		return math.NaN(), math.NaN()
	}
	share := (t.expectedWait - 1) / (t.wait - 1)
	return (t.smlCalm + (t.sml - t.smlCalm).Scale(share)).Seconds(), (t.trioCalm + (t.trio - t.trioCalm).Scale(share)).Seconds()
}

// needed returns the iteration of SwitchML without stragglers that gives a speed-up at the
// expected delays, nothing else changed.
func (t *terms) needed(speedup float64) units.Duration {
	sml, trio := t.atExpected()
	return units.Second.Scale(speedup*trio - (sml - t.smlCalm.Seconds()))
}

// termTable splits the speed-ups of all models, in both readings of ageing.
func (s *sweep) termTable(rows []compare.Row) (claims.Table, error) {
	t := claims.Table{
		ID: "trio.fig13.terms", Title: "Speed-up over SwitchML at p = 16% by its factors",
		Columns: []claims.Column{
			{Name: "model"}, {Name: "Trio-ML"}, {Name: "1 + 3.75 p"}, {Name: "drawn over expected"}, {Name: "unit of delays"}, {Name: "gap at p = 0"}, {Name: "left on Trio-ML"},
			{Name: "speed-up"}, {Name: "expected speed-up"}, {Name: "SwitchML at p = 0", Unit: "ms"}, {Name: "Trio-ML at p = 0", Unit: "ms"}, {Name: "SwitchML at p = 0 for the paper's", Unit: "ms"},
		},
		Notes: []string{
			"The speed-up is the product of the five factors before it. All runs are of the sweep of Fig 13, on the reference programs.",
			"Unit of delays: they are measured by the ideal's iteration time, for both systems. Gap: SwitchML over Trio-ML. Left: Trio-ML without stragglers over Trio-ML with.",
			"Expected: the schedule drew what 1 + 3.75 p says, and what stragglers cost grows with the delays.",
			"The last column is what SwitchML would have to take without stragglers for the speed-up that the paper states, at the expected delays and all else as it is.",
		},
	}
	paper := experiment.NewPrinted()
	for _, m := range trioModels {
		for _, line := range []string{trioLine, otherLine(s.env)} {
			at, err := s.termsOf(rows, line, m)
			if err != nil {
				return t, err
			}
			t.Add(slices.Concat([]render.Cell{render.Text(m), render.Text(line)}, at.cells(m, paper))...)
		}
	}
	return t, paper.Err()
}

// statedModels are those whose speed-up the paper states.
var statedModels = []string{"resnet50", "vgg11"}

// cells are a line of the table of terms, from the first factor on.
func (t *terms) cells(model string, paper *experiment.Printed) []render.Cell {
	factor := func(x float64) render.Cell {
		if math.IsNaN(x) {
			return render.NA()
		}
		return render.Number(x, 3)
	}
	sml, trio := t.atExpected()
	needed := render.NA()
	if slices.Contains(statedModels, model) && !math.IsNaN(t.expectedWait) {
		needed = render.Number(t.needed(paper.Claimed(claims.ID("trio.fig13."+model+".p16"))).Milliseconds(), 1)
	}
	return []render.Cell{
		factor(t.expectedWait), factor(t.wait / t.expectedWait), factor(t.unit()), factor(t.gap()), factor(t.left()),
		factor(t.speedup()), factor(sml / trio), render.Number(t.smlCalm.Milliseconds(), 1), render.Number(t.trioCalm.Milliseconds(), 1), needed,
	}
}
