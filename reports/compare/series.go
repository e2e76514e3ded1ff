package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/result"
)

// point is one iteration that every worker finished.
type point struct {
	iteration int
	ms        float64 // mean over the workers
}

// series is the iteration times of one cell in the order of iterations.
type series struct {
	points   []point
	warnings []string
}

func (s series) times() []float64 {
	out := make([]float64, len(s.points))
	for i, p := range s.points {
		out[i] = p.ms
	}
	return out
}

// newSeries averages the samples of each iteration that all workers finished but those that
// were away.
func newSeries(c result.Cell) series {
	workers := c.Workers
	if workers == 0 {
		workers = countWorkers(c.Samples)
	}
	var s series
	var partial int
	for _, one := range byIteration(c.Samples) {
		if n := workers - awayIn(c, one); n == 0 || len(one) != n || countWorkers(one) != n {
			partial++
			continue
		}
		s.points = append(s.points, point{one[0].Iteration, meanTime(one)})
	}
	if partial > 0 {
		s.warnings = append(s.warnings, fmt.Sprintf(
			"%d iterations left out: they do not have one sample from each of %d workers", partial, workers))
	}
	if got := len(s.points) + partial; c.Iterations > 0 && got != c.Iterations && c.Ended == nil {
		s.warnings = append(s.warnings, fmt.Sprintf("samples of %d iterations, %d were asked for", got, c.Iterations))
	}
	return s
}

// awayIn counts the workers that are away in an iteration: they ended before, and have no
// sample since.
func awayIn(c result.Cell, one []result.Sample) int {
	now, away := one[0].Iteration, map[int]bool{}
	for _, a := range c.Away {
		back := func(s result.Sample) bool { return s.Worker == a.Worker && s.Iteration >= a.From && s.Iteration <= now }
		if a.From <= now && !slices.ContainsFunc(c.Samples, back) {
			away[a.Worker] = true
		}
	}
	return len(away)
}

// byIteration groups samples, in the order of (iteration, worker) whatever the
// order they were recorded in.
func byIteration(samples []result.Sample) [][]result.Sample {
	sorted := slices.Clone(samples)
	slices.SortStableFunc(sorted, func(a, b result.Sample) int {
		return cmp.Or(cmp.Compare(a.Iteration, b.Iteration), cmp.Compare(a.Worker, b.Worker))
	})
	var out [][]result.Sample
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n].Iteration == sorted[0].Iteration {
			n++
		}
		out = append(out, sorted[:n:n])
		sorted = sorted[n:]
	}
	return out
}

func countWorkers(samples []result.Sample) int {
	seen := map[int]bool{}
	for _, s := range samples {
		seen[s.Worker] = true
	}
	return len(seen)
}

func meanTime(samples []result.Sample) float64 {
	var sum float64
	for _, s := range samples {
		sum += s.End.Sub(s.Start).Milliseconds()
	}
	return sum / float64(len(samples))
}

// degradedBlocks adds up degraded blocks at the worker that saw most of them: each
// worker gets all results.
func degradedBlocks(samples []result.Sample) (degraded int) {
	perWorker := map[int]int{}
	for _, s := range samples {
		perWorker[s.Worker] += s.Degraded
		degraded = max(degraded, perWorker[s.Worker])
	}
	return degraded
}

// lastAccuracy returns the accuracy of the latest iteration that has one; of
// several workers', the highest-numbered one's.
func lastAccuracy(samples []result.Sample) *float64 {
	var last *result.Sample
	for i, s := range samples {
		if s.Accuracy == nil {
			continue
		}
		if last == nil || cmp.Or(cmp.Compare(s.Iteration, last.Iteration), cmp.Compare(s.Worker, last.Worker)) >= 0 {
			last = &samples[i]
		}
	}
	if last == nil {
		return nil
	}
	return last.Accuracy
}
