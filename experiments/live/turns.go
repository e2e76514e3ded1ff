package live

import (
	"context"
	"slices"

	"github.com/inalab/inalab/reports/stat"
)

// inTurns carries each run out so many times, one round after the other and each
// round in another order: what else this machine does then meets all alike. The
// results are by run and round.
func (l *lab) inTurns(ctx context.Context, rounds int, runs []liveRun) ([][]ran, error) {
	out := make([][]ran, len(runs))
	for round := range rounds {
		for _, i := range turns(len(runs), round) {
			got, err := l.right(ctx, runs[i])
			if err != nil {
				return nil, err
			}
			out[i] = append(out[i], got...)
		}
	}
	return out, nil
}

// turns returns the order of so many runs in a round.
func turns(runs, round int) (order []int) {
	for k := range runs {
		order = append(order, (k+round)%runs)
	}
	return order
}

// medianOf returns the median of what a value is in each round.
func medianOf(rounds int, value func(round int) float64) float64 {
	all := make([]float64, rounds)
	for i := range all {
		all[i] = value(i)
	}
	m, _ := stat.Median(all)
	return m
}

// verdicts says how far the rounds of a run are to be believed: the verdicts that
// were given, each once.
func verdicts(rounds []ran) (out []string) {
	for i := range rounds {
		if v := rounds[i].Cell.Fidelity.Verdict; !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
