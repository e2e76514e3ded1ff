package compare

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// share fills in how evenly the jobs of one model that shared a lab got on, of whatever systems they
// were: Jain's index over the rates of their iterations (Jain, Chiu and Hawe, 1984), 1 where all are alike and
// 1/n where one of n has all. Rows that are not to be believed have no part in it.
func share(rows []Row) {
	for i := range rows {
		if r := &rows[i]; r.shares() {
			if index, n := jain(rows, r.lab()); n > 1 {
				r.Jain = &index
			}
		}
	}
}

// shares reports whether a row is of one of several jobs, and can be held against the others.
func (r *Row) shares() bool {
	ms, ok := r.Time()
	return r.Job != "" && !r.Computed && !r.Invalid() && ok && ms > 0
}

// lab names the run that a row is of, and the model.
func (r *Row) lab() string {
	return fmt.Sprintf("%s on %s at %s, seed %d, %s", cmp.Or(r.Lab, r.System), r.Topology, r.Point.At(r.StraggleP), r.Seed, r.Model)
}

// jain returns the index over the rows of a lab, and how many they are.
func jain(rows []Row, lab string) (index float64, n int) {
	var sum, squares float64
	for i := range rows {
		if !rows[i].shares() || rows[i].lab() != lab {
			continue
		}
		ms, _ := rows[i].Time()
		n++
		sum += 1 / ms
		squares += 1 / ms / ms
	}
	if n == 0 {
		return 0, 0
	}
	return sum * sum / (float64(n) * squares), n
}

// throughput returns the payload that came to a worker of a job in the time of its iterations, in bit/s; nil where
// no series was recorded.
func throughput(c *result.Cell) *float64 {
	var busy units.Duration // of all workers
	for i := range c.Samples {
		busy += c.Samples[i].End.Sub(c.Samples[i].Start)
	}
	for i := range c.Throughput {
		if t := &c.Throughput[i]; t.Kind == result.KindJob && busy > 0 {
			rate := 8 * float64(t.Sum()) / busy.Seconds()
			return &rate
		}
	}
	return nil
}
