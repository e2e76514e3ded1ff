package live

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/onehop"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
)

// sweep is XDP at all sizes, in many short rounds. Sizes are compared within a round, and the median of rounds decides:
// how fast the machine is in an hour, or in some of the rounds, then has no say.
type sweep struct {
	onehops
	values []int
}

// sweepFor is how long a measurement of a sweep lasts, so that a round of all sizes is over in a few seconds.
const sweepFor = 150 * time.Millisecond

func newSweep(e *experiment.Env, values []int) sweep {
	// Of 12 rounds two may be out of line at either end of an interval, of 15 three ([stat.MedianInterval]).
	x := sweep{onehops: onehops{n: experiment.Cut(e, 15, 12)}, values: values}
	for _, n := range values {
		x.add(onehop.Config{Aggregator: onehop.XDP, Values: n, For: sweepFor})
	}
	return x
}

// leastRounds is how many rounds bound a median at all ([stat.MedianInterval]).
const leastRounds = 6

// keep leaves out rounds in which a size had no packet: this machine ran something else for all of that time.
func (x *sweep) keep() error {
	var whole []int
	for round := range x.n {
		idle := func(rounds []onehop.Result) bool { return rounds[round].CoreRate() == 0 }
		if !slices.ContainsFunc(x.got, idle) {
			whole = append(whole, round)
		}
	}
	if len(whole) < leastRounds {
		return fmt.Errorf("sizes of packets: %w: packets of all sizes came through in %d of %d rounds, %d are needed", ErrBusy, len(whole), x.n, leastRounds)
	}
	for i, rounds := range x.got {
		x.got[i] = nil
		for _, round := range whole {
			x.got[i] = append(x.got[i], rounds[round])
		}
	}
	return nil
}

// perRound is a value of each round.
func (x *sweep) perRound(value func(round int) float64) []float64 {
	all := make([]float64, len(x.got[0]))
	for round := range all {
		all[round] = value(round)
	}
	return all
}

// ratios is the rate of one size over that of another, by round.
func (x *sweep) ratios(i, over int) []float64 {
	return x.perRound(func(round int) float64 { return x.got[i][round].CoreRate() / x.got[over][round].CoreRate() })
}

// usual is the rate of a round, over all sizes: their geometric mean.
func (x *sweep) usual(round int) float64 {
	sum := 0.0
	for i := range x.values {
		sum += math.Log(x.got[i][round].CoreRate())
	}
	return math.Exp(sum / float64(len(x.values)))
}

// rates are the rates of the sizes, each by what it is to that of its round.
func (x *sweep) rates() []float64 {
	middle, _ := stat.Median(x.perRound(x.usual))
	out := make([]float64, len(x.values))
	for i := range out {
		m, _ := stat.Median(x.perRound(func(round int) float64 { return x.got[i][round].CoreRate() / x.usual(round) }))
		out[i] = m * middle
	}
	return out
}

// alike reports whether a size and the next cannot be told apart: what one is to the other may be 1.
func (x *sweep) alike(i int) bool {
	low, high := stat.MedianInterval(x.ratios(i+1, i))
	return low <= 1 && high >= 1
}

// fall is by how much the smallest packets come faster than the largest.
func (x *sweep) fall() claims.Measured {
	all := x.ratios(0, len(x.values)-1)
	m, _ := stat.Median(all)
	low, high := stat.MedianInterval(all)
	return claims.Number(m).Noting("%.3g to %.3g with 95%%", low, high).
		UndecidedBetween([]claims.Measured{claims.Number(low), claims.Number(high)}, "the ratio is %.3g to %.3g with 95%% in %d rounds", low, high, len(all))
}

// series is the rates by size. Where neighbours cannot be told apart, either may be the faster one.
func (x *sweep) series() claims.Measured {
	rates, alike, same := x.rates(), make([]bool, len(x.values)), []string{}
	for i := range len(rates) - 1 {
		if alike[i] = x.alike(i); alike[i] {
			same = append(same, fmt.Sprintf("%d and %d", x.values[i], x.values[i+1]))
		}
	}
	var allowed []claims.Measured
	if len(same) > 0 {
		falling := reordered(rates, alike, func(a, b float64) bool { return a >= b })
		rising := reordered(rates, alike, func(a, b float64) bool { return a <= b })
		allowed = []claims.Measured{claims.Series(x.points(falling)...), claims.Series(x.points(rising)...)}
	}
	return claims.Series(x.points(rates)...).
		UndecidedBetween(allowed, "%d rounds do not tell the rates of %s values apart", len(x.got[0]), strings.Join(same, ", or of "))
}

// reordered is rates of which neighbours that are alike change places where they are in another order. Each does so once.
func reordered(rates []float64, alike []bool, ordered func(a, b float64) bool) []float64 {
	out := slices.Clone(rates)
	for i := 0; i < len(out)-1; i++ {
		if alike[i] && !ordered(out[i], out[i+1]) {
			out[i], out[i+1] = out[i+1], out[i]
			i++
		}
	}
	return out
}

func (x *sweep) points(rates []float64) (out []claims.Point) {
	for i, n := range x.values {
		out = append(out, claims.Point{X: float64(n), Y: rates[i] / 1e6})
	}
	return out
}

func (x *sweep) table() claims.Table {
	t := claims.Table{
		ID: "xagg.fig6.sweep", Title: "Packets that XDP adds and sends on, on a core of its own, by values of a packet",
		Columns: []claims.Column{{Name: "values"}, {Name: "packets", Unit: "Mpps"}, {Name: "over the size before"}, {Name: "from"}, {Name: "to"}, {Name: "told apart"}},
		Notes:   []string{fmt.Sprintf("Median of what a size is to all sizes of a round, of %d rounds in turns. From and to hold the median of the ratio with 95%%: sizes are told apart if 1 is not between.", len(x.got[0]))},
	}
	rates := x.rates()
	for i, n := range x.values {
		row := []render.Cell{render.Int(n), render.Number(rates[i]/1e6, 3), render.NA(), render.NA(), render.NA(), render.NA()}
		if i > 0 {
			ratios := x.ratios(i, i-1)
			m, _ := stat.Median(ratios)
			low, high := stat.MedianInterval(ratios)
			row = append(row[:2], render.Number(m, 3), render.Number(low, 3), render.Number(high, 3), render.Bool(!x.alike(i-1)))
		}
		t.Add(row...)
	}
	return t
}
