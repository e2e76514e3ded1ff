package virtual

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/chip"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/figure"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// ageingNames say what becomes of the source that an aged block misses.
var ageingNames = map[program.AgePolicy]string{
	program.AgePerBlock: "every block waits", program.AgeAbsent: "absent after the first block",
}

// recoveryFigure draws recovery over the timeout, in time and in timeouts, and
// below the distribution at each timeout for both readings.
func recoveryFigure(all []recovered) figure.Figure {
	timeouts := figure.Axis{Label: "timeout", Unit: "ms", Zero: true}
	inTime := figure.Panel{Title: "Recovery time", X: timeouts, Y: figure.Axis{Label: "recovery", Unit: "ms", Zero: true}}
	inTimeouts := figure.Panel{Title: "Against the timeout", X: timeouts, Y: figure.Axis{Label: "recovery", Unit: "timeouts", Zero: true}}
	f := figure.Figure{
		ID: "trio.fig14", Title: "Recovery from a straggler by the timeout of blocks", Columns: 2,
		Notes: []string{
			fmt.Sprintf("From the first of %d packets back to back to the last result, one of six servers silent; %d phases of the timer threads.", chip.RecoveryPackets, recoveryPhases),
			"Above: medians; bars from 5% to 95% of servers and phases. Below: the share that has recovered by then.",
			chip.Model + ".",
			"Paper: the text of Trio §6.2 withholds how many timeouts it takes, so that nothing is drawn beside.",
		},
	}
	var spread []figure.Panel
	for _, age := range []program.AgePolicy{program.AgePerBlock, program.AgeAbsent} {
		name := ageingNames[age]
		of := slices.DeleteFunc(slices.Clone(all), func(r recovered) bool { return r.age != age })
		inTime.Series = append(inTime.Series, recoveryLine(name, of, func(r *recovered) float64 { return r.timeout.Milliseconds() }))
		inTimeouts.Series = append(inTimeouts.Series, recoveryLine(name, of, func(*recovered) float64 { return 1 }))
		cdf := figure.Panel{Title: "Distribution: " + name, X: figure.Axis{Label: "recovery", Unit: "timeouts"}, Y: figure.Axis{Label: "share of servers"}}
		for i := range of {
			cdf.Series = append(cdf.Series, figure.CDF(fmt.Sprintf("timeout %d ms", of[i].timeout/units.Millisecond), of[i].times))
		}
		spread = append(spread, cdf)
	}
	f.Panels = append([]figure.Panel{inTime, inTimeouts}, spread...)
	return f
}

// recoveryLine is the medians over timeouts, each times what unit says.
func recoveryLine(name string, all []recovered, unit func(*recovered) float64) figure.Series {
	s := figure.Series{Name: name}
	for i := range all {
		r := &all[i]
		u, median := unit(r), r.quantile(0.5)
		s.Points = append(s.Points, figure.Point{
			X: r.timeout.Milliseconds(), Y: u * median, Below: u * (median - r.quantile(0.05)), Above: u * (r.quantile(0.95) - median),
		})
	}
	return s
}
