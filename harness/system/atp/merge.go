package atp

import (
	"fmt"
	"slices"
)

// Merge gives a switch the jobs of all: they share its aggregators. Where one of them needs the
// reference program it is that of all.
func (System) Merge(programs []any) (any, error) {
	out := programs[0].(engineConfig)
	out.Program.Jobs = slices.Clone(out.Program.Jobs)
	for _, p := range programs[1:] {
		next := p.(engineConfig)
		a, b := &out.Program, &next.Program
		switch {
		case a.Aggregators != b.Aggregators:
			return nil, fmt.Errorf("jobs want %s to have %d and %d aggregators: they share one table: give them the same atp.aggregators and scale", a.Node, a.Aggregators, b.Aggregators)
		case a.Age != b.Age:
			return nil, fmt.Errorf("jobs want %s to take aggregators for abandoned after %v and %v: give them the same atp.age", a.Node, a.Age, b.Age)
		}
		if !next.Pipe.Pipeline {
			out.Pipe, out.Ports = next.Pipe, next.Ports
		}
		a.Jobs = append(a.Jobs, b.Jobs...)
	}
	_, err := out.engine() // whether they can be beside one another
	return out, err
}
