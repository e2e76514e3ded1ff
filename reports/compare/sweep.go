package compare

import (
	"cmp"
	"slices"
)

// Sweep is the rows of one setting, turned so that each system is a line over
// the straggle probability: the shape of Trio's figures 13 and 14.
type Sweep struct {
	Model   string
	Clock   string
	Seed    uint64
	Scale   int
	Workers int
	P       []float64 // ascending
	Lines   []Line    // in the order of [Rows]
}

// Line is one system over the probabilities of its sweep.
type Line struct {
	System   string
	Topology string
	Cells    []*Row // one per probability; nil where the system did not run
}

// Sweeps groups rows by everything but system and straggle probability. Of rows
// that are alike in all, the first counts.
func Sweeps(rows []Row) []Sweep {
	var out []Sweep
	for _, r := range rows {
		if slices.IndexFunc(out, func(s Sweep) bool { return s.holds(r) }) >= 0 {
			continue
		}
		out = append(out, newSweep(rows, Sweep{Model: r.Model, Clock: r.Clock, Seed: r.Seed, Scale: r.Scale, Workers: r.Workers}))
	}
	slices.SortStableFunc(out, func(a, b Sweep) int {
		return cmp.Or(
			cmp.Compare(a.Model, b.Model), cmp.Compare(a.Clock, b.Clock), cmp.Compare(a.Scale, b.Scale),
			cmp.Compare(a.Workers, b.Workers), cmp.Compare(a.Seed, b.Seed),
		)
	})
	return out
}

func (s Sweep) holds(r Row) bool {
	return s.Model == r.Model && s.Clock == r.Clock && s.Seed == r.Seed && s.Scale == r.Scale && s.Workers == r.Workers
}

func newSweep(rows []Row, s Sweep) Sweep {
	var systems [][2]string // system, topology
	for _, r := range rows {
		if !s.holds(r) {
			continue
		}
		if !slices.Contains(s.P, r.StraggleP) {
			s.P = append(s.P, r.StraggleP)
		}
		if key := [2]string{r.System, r.Topology}; !slices.Contains(systems, key) {
			systems = append(systems, key)
		}
	}
	slices.Sort(s.P)
	slices.SortFunc(systems, func(a, b [2]string) int {
		return cmp.Or(compareSystems(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	for _, key := range systems {
		line := Line{System: key[0], Topology: key[1], Cells: make([]*Row, len(s.P))}
		for i := range rows {
			r := &rows[i]
			if !s.holds(*r) || r.System != line.System || r.Topology != line.Topology {
				continue
			}
			if at := slices.Index(s.P, r.StraggleP); line.Cells[at] == nil {
				line.Cells[at] = r
			}
		}
		s.Lines = append(s.Lines, line)
	}
	return s
}
