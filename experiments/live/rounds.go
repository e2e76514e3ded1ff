package live

import (
	"context"
	"slices"
	"strings"

	"github.com/inalab/inalab/reports/stat"
)

// rounds are runs that are carried out so many times, one round after the other and
// each round in another order: what else this machine does then meets all alike.
type rounds struct {
	runs []liveRun
	n    int
	got  [][]ran // by run and round
}

func (x *rounds) carryOut(ctx context.Context, l *lab) error {
	x.got = make([][]ran, len(x.runs))
	for round := range x.n {
		for _, i := range turns(len(x.runs), round) {
			got, err := l.right(ctx, x.runs[i])
			if err != nil {
				return err
			}
			x.got[i] = append(x.got[i], got...)
		}
	}
	return nil
}

// turns returns the order of so many runs in a round.
func turns(runs, round int) (order []int) {
	for k := range runs {
		order = append(order, (k+round)%runs)
	}
	return order
}

// median returns the median of what a value is in each round.
func (x *rounds) median(value func(round int) float64) float64 {
	all := make([]float64, x.n)
	for i := range all {
		all[i] = value(i)
	}
	m, _ := stat.Median(all)
	return m
}

// verdicts says how far the rounds of a run are to be believed: the verdicts that
// were given, each once.
func (x *rounds) verdicts(run int) string {
	var out []string
	for i := range x.got[run] {
		if v := x.got[run][i].Cell.Fidelity.Verdict; !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return strings.Join(out, ", ")
}
