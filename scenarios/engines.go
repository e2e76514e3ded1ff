package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/program/user"
	"github.com/inalab/inalab/topo/spec"
)

// Engines lists the engines that a switch of a topology file may name: those that some system runs on, and the
// one that runs none.
func Engines(systems []job.System) []string {
	out := []string{user.Chip, job.EngineForward}
	for _, s := range systems {
		if e, ok := s.(job.Engined); ok {
			out = append(out, e.Engines()...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// UnknownEngines says which engines of a topology file there are none of, and which cannot run the program
// that their switch names.
func UnknownEngines(t *spec.Topology, lab *spec.Lab, systems []job.System) (out []error) {
	known := Engines(systems)
	for _, e := range lab.Engines {
		if !slices.Contains(known, e.Text) {
			out = append(out, t.Wrong(e.Path, fmt.Errorf("there is no engine %q: allowed are %s%s", e.Text, strings.Join(known, ", "), suggest.DidYouMean(e.Text, known))))
		}
		if e.Text != user.Chip && slices.ContainsFunc(lab.Programs, func(p spec.Word) bool { return p.Node == e.Node }) {
			out = append(out, t.Wrong(e.Path, fmt.Errorf("switch %s runs a program, and %s runs none of a user's own: write engine: %s, or leave it out", e.Node, e.Text, user.Chip)))
		}
	}
	return out
}

// checkEngines refuses a run whose programs need other engines than a topology file says.
func (s *Scenario) checkEngines(f *TopologyFile, set *job.Set) error {
	if f == nil {
		return nil
	}
	lab, err := f.Resolve(s.base())
	if err != nil {
		return err
	}
	for _, e := range lab.Engines {
		for _, j := range set.Jobs {
			needed := j.EngineOn(e.Node)
			if needed == "" || needed == e.Text {
				continue
			}
			return f.Wrong(e.Path, fmt.Errorf("switch %s has engine %s, and %s runs there on %s: %s", e.Node, e.Text, j.System.Name(), needed, otherwise(j.System, e.Text)))
		}
	}
	return nil
}

// otherwise says how an engine and a system could agree.
func otherwise(sys job.System, engine string) string {
	if own, ok := sys.(job.Engined); ok && slices.Contains(own.Engines(), engine) {
		return fmt.Sprintf("a knob of %s has it run on %s; or leave the engine out", sys.Name(), engine)
	}
	return "leave the engine out, or run another system"
}

// fitting adds to the error of a topology file which systems it fits, and which topologies fit the system.
func (s *Scenario) fitting(sys System, err error) error {
	if few := (*tooFewHosts)(nil); sys.Topology.File == nil || sys.System == nil || errors.As(err, &few) {
		return err
	}
	var systems []string
	for _, o := range s.known {
		if s.fits(o, sys.Topology) {
			systems = append(systems, o.Name())
		}
	}
	hint := "no system runs on this file"
	if len(systems) > 0 {
		hint = "on this file run " + strings.Join(systems, ", ")
	}
	return fmt.Errorf("%w\n%s; %s runs on %s", err, hint, sys.Name(), strings.Join(RunsOn(sys.System), ", "))
}

// fits reports whether a system runs on a topology.
func (s *Scenario) fits(sys job.System, shape Shape) bool {
	_, err := s.set(System{System: sys, Topology: shape}, s.P[0], true)
	return err == nil
}
