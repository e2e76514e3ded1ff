package main

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/scenarios"
)

// happenings returns what happens in the runs of a scenario, at any point of its sweep, of a
// kind.
func happenings(s *scenarios.Scenario, of func(scenarios.Event) bool) (out []string) {
	for _, p := range s.Points() {
		for _, e := range p.At {
			if text := e.String(); of(e) && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// changes are the events that no record tells of; all others change what becomes of a job.
func changes(e scenarios.Event) bool { return e.Link != nil }

// happened returns what happened in the runs, and what did not because they were over before.
func (r *recording) happened() (out []string) {
	runs, missed := map[string]int{}, map[string]int{} // by what happens; looked up
	for _, lab := range r.labs() {
		for _, p := range r.scenario.Points() {
			if p.Point.Index != lab[0].Point.Index {
				continue
			}
			for _, e := range p.At {
				if runs[e.String()]++; end(lab) < e.Time {
					missed[e.String()]++
				}
			}
		}
	}
	for _, text := range happenings(r.scenario, changes) {
		if n := missed[text]; n > 0 {
			text += fmt.Sprintf("; %d of %d runs were over before", n, runs[text])
		}
		out = append(out, text)
	}
	return out
}

// labs returns the cells that were run, those of jobs that shared a lab together.
func (r *recording) labs() (out [][]result.Cell) {
	for _, c := range r.measured() {
		i := slices.IndexFunc(out, func(lab []result.Cell) bool { return lab[0].SharesLab(&c) })
		if i < 0 {
			i, out = len(out), append(out, nil)
		}
		out[i] = append(out[i], c)
	}
	return out
}

// end returns when the last iteration of the jobs of a lab ended.
func end(lab []result.Cell) (last units.Time) {
	for _, c := range lab {
		for _, s := range c.Samples {
			last = max(last, s.End)
		}
	}
	return last
}
