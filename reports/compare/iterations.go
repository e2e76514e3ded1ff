package compare

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/stat"
)

// Iteration is one iteration of a run, over the workers that took part in it. Times are in ms.
type Iteration struct {
	Index             int
	Mean, Least, Most float64 // of the workers' times
	Delay             float64 // the longest that was injected into any worker
}

// Iterations returns the iterations of a run that all its workers finished, which its row rests on.
func Iterations(c result.Cell) (out []Iteration) {
	samples := map[int][]result.Sample{} // looked up
	for _, one := range byIteration(c.Samples) {
		samples[one[0].Iteration] = one
	}
	for _, p := range newSeries(c).points {
		i := Iteration{Index: p.iteration, Mean: p.ms, Least: p.ms, Most: p.ms}
		for _, s := range samples[p.iteration] {
			ms := s.End.Sub(s.Start).Milliseconds()
			i.Least, i.Most = min(i.Least, ms), max(i.Most, ms)
			i.Delay = max(i.Delay, s.Delay.Milliseconds())
		}
		out = append(out, i)
	}
	return out
}

// Ratio returns the mean iteration time of one run over that of another, paired by iteration.
func Ratio(over, under result.Cell) stat.Estimate {
	return stat.RatioOfMeans(pair(newSeries(over), newSeries(under)))
}

// IsOf reports whether a row is that of a cell.
func (r *Row) IsOf(c *result.Cell) bool {
	return r.System == c.System && r.Job == c.Job && r.Lab == c.Lab && r.Topology == c.Topology && r.Model == c.Model &&
		r.Clock == c.Clock && r.StraggleP == c.StraggleP && r.Point.Index == c.Point.Index && r.Seed == c.Seed &&
		r.Scale == c.Scale && r.Workers == c.Workers
}
