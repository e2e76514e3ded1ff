package manager

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// skipPercent is the share of communication below which a model is not worth it (XAgg §V).
const skipPercent = 10

// Worker is what the first round, over the PS alone, said of a worker.
type Worker struct {
	Name     string
	Training units.Duration // t1
	Transfer units.Duration // t2
}

// total returns t = t1 + t2.
func (w *Worker) total() units.Duration { return w.Training + w.Transfer }

// Skip reports whether the communication of all workers takes so small a share of their time that
// the model needs no aggregators: below 10% (XAgg §V). The share is that of the sums over workers
// (assumed).
func Skip(workers []Worker) bool {
	var transfer, total float64
	for i := range workers {
		transfer += float64(workers[i].Transfer)
		total += float64(workers[i].total())
	}
	return 100*transfer < skipPercent*total
}

// byTime returns the workers, the slowest first, and by name where all are equal.
func byTime(workers []Worker) []Worker {
	sorted := slices.Clone(workers)
	slices.SortFunc(sorted, func(a, b Worker) int {
		return cmp.Or(cmp.Compare(b.total(), a.total()), inOrder(a.Name, b.Name))
	})
	return sorted
}
