package compare

import (
	"cmp"
	"fmt"
)

// Fairness says how evenly the jobs of one model that shared a lab got on, of whatever
// systems they were: Jain's index over
// the rates of their iterations (Jain, Chiu and Hawe, 1984), 1 where all are alike and 1/n
// where one of n has all. There is a line for each run of several such jobs.
func Fairness(rows []Row) (out []string) {
	seen := map[string]bool{}
	for i := range rows {
		name := rows[i].lab()
		if rows[i].Job == "" || rows[i].Computed || seen[name] {
			continue
		}
		seen[name] = true
		if index, n := jain(rows, name); n > 1 {
			out = append(out, fmt.Sprintf("fairness, %s: Jain's index over the rates of iterations of %d jobs is %.3f", name, n, index))
		}
	}
	return out
}

// lab names the run that a row is of, and the model.
func (r *Row) lab() string {
	return fmt.Sprintf("%s on %s at %s, seed %d, %s", cmp.Or(r.Lab, r.System), r.Topology, r.Point.At(r.StraggleP), r.Seed, r.Model)
}

// jain returns the index over the rows of a lab that have a time to believe, and how many they are.
func jain(rows []Row, lab string) (index float64, n int) {
	var sum, squares float64
	for i := range rows {
		ms, ok := rows[i].Time()
		if rows[i].Job == "" || rows[i].Computed || rows[i].Invalid() || !ok || ms <= 0 || rows[i].lab() != lab {
			continue
		}
		n++
		sum += 1 / ms
		squares += 1 / ms / ms
	}
	if n == 0 {
		return 0, 0
	}
	return sum * sum / (float64(n) * squares), n
}
