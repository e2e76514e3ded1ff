package job

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
)

// Name names the system of the jobs; of several systems all, each with the number of its
// jobs, as in "2 switchml256 + ring".
func (s *Set) Name() string {
	var list []System
	for _, j := range s.Jobs {
		list = append(list, j.System)
	}
	return NameOf(list)
}

// Lab is the name where jobs are of several systems, and else empty: for records.
func (s *Set) Lab() string {
	if name := s.Name(); name != s.First().System.Name() {
		return name
	}
	return ""
}

// NameOf is [Set.Name] of jobs with such systems.
func NameOf(systems []System) string {
	all := Names(systems)
	var words []string
	for i, name := range all {
		n := 0
		for _, other := range all {
			if other == name {
				n++
			}
		}
		switch {
		case n == len(all):
			return name
		case slices.Contains(all[:i], name):
		case n == 1:
			words = append(words, name)
		default:
			words = append(words, fmt.Sprintf("%d %s", n, name))
		}
	}
	return strings.Join(words, " + ")
}

// Cells returns the records of the jobs of a run, without its results.
func (s *Set) Cells() (out []result.Cell) {
	for _, j := range s.Jobs {
		c := j.Cell()
		c.Lab = s.Lab()
		out = append(out, c)
	}
	return out
}

// label names a job among several.
func (j *Job) label() string {
	if j.Name != "" {
		return "job " + j.Name
	}
	return fmt.Sprintf("job %d", j.ID)
}
