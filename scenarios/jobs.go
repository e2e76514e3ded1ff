package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
	"github.com/inalab/inalab/topo/spec"
)

//go:embed *.scenario.yaml
var catalogue embed.FS

const suffix = ".scenario.yaml"

// Names lists the embedded scenarios.
func Names() []string {
	files, err := fs.Glob(catalogue, "*"+suffix)
	if err != nil {
		panic("listing embedded scenarios: " + err.Error()) // the pattern is constant
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, suffix)
	}
	return files
}

// Summary tells a scenario in a line: its purpose, and how long it takes.
func (s *Scenario) Summary() string {
	if s.Takes == "" {
		return s.Description
	}
	return s.Description + "; takes " + s.Takes
}

// DefaultsName is what [Embedded] calls the values that scenarios may leave out.
const DefaultsName = "defaults"

// Embedded returns the text of an embedded scenario, or of the defaults.
func Embedded(name string) ([]byte, error) {
	if name == DefaultsName {
		return defaults, nil
	}
	text, err := catalogue.ReadFile(name + suffix)
	if err != nil {
		return nil, fmt.Errorf("unknown scenario %q: allowed are %s, or the path of a *%s file%s", name, strings.Join(Names(), ", "), suffix, suggest.DidYouMean(name, Names()))
	}
	return text, nil
}

// Sets lays out every run: for each point of the sweep and each probability, each system that
// can run there, with all jobs of the scenario.
func (s *Scenario) Sets(virtual bool) (sets []*job.Set, err error) {
	for _, p := range s.Points() {
		if virtual {
			if err := p.refusePrograms(); err != nil {
				return nil, err
			}
		}
		list, err := p.setsOf(virtual)
		if err != nil {
			return nil, err
		}
		sets = append(sets, list...)
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("scenario %s: nothing can run: %s", s.Name, strings.Join(s.LeftOut(virtual), "; "))
	}
	return sets, nil
}

// Jobs returns the jobs of all runs.
func (s *Scenario) Jobs(virtual bool) (jobs []*job.Job, err error) {
	sets, err := s.Sets(virtual)
	for _, set := range sets {
		jobs = append(jobs, set.Jobs...)
	}
	return jobs, err
}

// setsOf lays out the runs of one point.
func (s *Scenario) setsOf(virtual bool) (sets []*job.Set, err error) {
	for _, p := range s.P {
		for _, sys := range s.Systems {
			set, err := s.set(sys, p, virtual)
			if err != nil && sys.IfPossible {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("scenario %s, %s on %s: %w", s.name(), s.ran(sys), sys.Topology, s.fitting(sys, err))
			}
			sets = append(sets, set)
		}
	}
	return sets, nil
}

// name is that of the scenario and the point of its sweep.
func (s *Scenario) name() string { return strings.TrimSpace(s.Name + " " + s.Point.String()) }

// LeftOut says which systems are left out, at which points of the sweep, and why.
func (s *Scenario) LeftOut(virtual bool) (out []string) {
	points := map[[2]string][]string{} // by system and reason; looked up
	var order [][2]string
	for _, p := range s.Points() {
		for _, sys := range p.Systems {
			if !sys.IfPossible {
				continue
			}
			_, err := p.set(sys, p.P[0], virtual)
			if err == nil {
				continue
			}
			why := [2]string{p.ran(sys) + " on " + sys.Topology.String(), err.Error()}
			if points[why] == nil {
				order = append(order, why)
			}
			points[why] = append(points[why], p.Point.String())
		}
	}
	for _, why := range order {
		text := why[0] + " is left out"
		if at := strings.Join(points[why], ", "); at != "" {
			text += " at " + at
		}
		out = append(out, text+": "+why[1])
	}
	return out
}

// Again returns the scenario with other seeds: each is i above what it was.
func (s *Scenario) Again(i int) *Scenario {
	out := *s
	out.Seed += rng.Root(i)
	out.points = nil
	for _, p := range s.points {
		out.points = append(out.points, p.Again(i))
	}
	return &out
}

// recovers says why a system cannot run on a topology that loses frames, at first or after a
// change.
func recovers(sys job.System, g *topo.Graph, changes []job.LinkChange) error {
	r, ok := sys.(job.Recoverer)
	if !ok {
		return nil
	}
	if g.Loses() {
		return r.Recovers()
	}
	for _, c := range changes {
		if err := r.Recovers(); err != nil && c.Spec.Loses() {
			return &losesAt{c, err}
		}
	}
	return nil
}

// losesAt is a change after which a link loses what a system does not make good for.
type losesAt struct {
	change job.LinkChange
	err    error
}

func (l *losesAt) Error() string { return fmt.Sprintf("%v: %v", l.change, l.err) }

// recovers says why a run cannot be on a topology that loses frames, and where the change
// stands that has it lose some.
func (s *Scenario) recovers(sys System, g *topo.Graph, changes []job.LinkChange) error {
	err := s.allRecover(sys, g, changes)
	var l *losesAt
	if !errors.As(err, &l) {
		return err
	}
	i := slices.IndexFunc(s.At, func(e Event) bool { return e.Link != nil && e.Time == l.change.At })
	return s.doc.Wrong(s.At[i].at, err)
}

func (s *Scenario) allRecover(sys System, g *topo.Graph, changes []job.LinkChange) error {
	if len(s.Tenants) == 0 || slices.ContainsFunc(s.Tenants, func(t Tenant) bool { return t.System == nil }) {
		if err := recovers(sys.System, g, changes); err != nil {
			return err
		}
	}
	for _, t := range s.Tenants {
		if t.System == nil {
			continue
		}
		err := recovers(t.System, g, changes)
		if l := (*losesAt)(nil); errors.As(err, &l) {
			return err
		}
		if err != nil {
			return s.doc.Wrong(t.at+".system", fmt.Errorf("%s: %w", t.System.Name(), err))
		}
	}
	return nil
}

// set lays a system out over its topology: one job, or those of the scenario.
func (s *Scenario) set(sys System, p float64, virtual bool) (*job.Set, error) {
	workers, servers := s.workers(sys), s.servers(sys)
	g, changes, err := s.graph(sys.Topology, workers+servers)
	switch {
	case err != nil && servers > 0:
		return nil, fmt.Errorf("%w (hosts: %d for workers and %d for servers)", err, workers, servers)
	case err != nil:
		return nil, err
	}
	if err := s.recovers(sys, g, changes); err != nil {
		return nil, err
	}
	pl, err := plan.New(g)
	if err != nil {
		return nil, err
	}
	paces, err := s.paces(pl, workers)
	if err != nil {
		return nil, err
	}
	transit, err := s.transitOf(pl, sys.Topology.File)
	if err != nil {
		return nil, err
	}
	if err := s.flowsOn(pl); err != nil {
		return nil, err
	}
	spec := job.Spec{
		System: sys.System, Plan: pl, Model: s.Model, Scale: s.Scale, Iterations: s.Iterations, MiniBatch: s.MiniBatch,
		Seed: s.Seed, StraggleP: p, Semantics: s.Semantics, Outages: s.Outages, Paces: paces, Virtual: virtual, Servers: servers,
		HostPrograms: s.Programs, Flows: s.Flows, Transit: transit, Collectors: s.collectors(), Changes: changes, Actions: s.actions(), Point: s.Point,
		Interval: s.Interval,
	}
	replayed(&spec)
	if err := s.onFile(sys, &spec, workers); err != nil {
		return nil, err
	}
	set, err := s.layOut(spec)
	if err != nil {
		return nil, err
	}
	return set, errors.Join(s.checkCourse(set), s.checkEngines(sys.Topology.File, set), s.checkScripts(sys.Topology.File, set))
}

// replayed has a job whose model is no network's move made-up values, packet by packet.
func replayed(spec *job.Spec) {
	spec.Replay = spec.Model.Bytes > 0
	spec.Exact = spec.Replay
}

// layOut lays out one job, or those of the scenario.
func (s *Scenario) layOut(spec job.Spec) (*job.Set, error) {
	if len(s.Tenants) > 0 {
		return s.tenants(spec)
	}
	j, err := job.New(spec)
	if err != nil {
		return nil, err
	}
	return job.Alone(j), nil
}

// MarshalYAML writes the scenario with all overrides, as a file that Load reads.
func (s *Scenario) MarshalYAML() ([]byte, error) { return yaml.Marshal(s.file) }

// SetTopology puts every system on one topology: a generated one, or that of a file.
func (s *Scenario) SetTopology(name string) error {
	word := rawShape{Generator: name, word: true}
	isFile := strings.HasSuffix(name, fileSuffix)
	if isFile {
		word = rawShape{File: name, word: true}
	} else if !slices.Contains(gen.Names(), name) {
		return fmt.Errorf("unknown topology %q: allowed are %s, or the path of a *%s file%s", name, strings.Join(gen.Names(), ", "), spec.Suffix, suggest.DidYouMean(name, gen.Names()))
	}
	for _, a := range s.axes {
		if slices.ContainsFunc(a.keys, func(k string) bool { return k == "topology" || strings.HasPrefix(k, "topology.") }) {
			return fmt.Errorf("topology %s for every system: %s sweeps it: set the values, as in --set 'sweep=[...]'", name, s.doc.name)
		}
	}
	all := []*Scenario{s}
	if s.points != nil {
		all = append(slices.Clone(s.points), s)
	}
	for _, p := range all {
		shape := Shape{Generator: name}
		if isFile {
			r := resolver{doc: p.doc, systems: p.known, base: p.base(), dir: "."}
			if shape = r.shape("topology", &word); len(r.errs) > 0 {
				return errors.Join(r.errs...)
			}
			p.Transit = append(slices.Clip(p.Transit), shape.File.transit...)
			p.takeHosts(shape.File, reflect.ValueOf(p.file))
		}
		for i := range p.Systems {
			p.Systems[i].Topology = shape
		}
		for i := range p.systems { // of the file
			p.systems[i].Topology = &word
		}
		if len(p.systems) == 0 {
			byKey(reflect.ValueOf(p.file).Elem(), "topology").Set(reflect.ValueOf(word))
		}
	}
	return nil
}

// Options returns every value of the scenario, overrides included, for the
// record of a run.
func (s *Scenario) Options() any { return s.file }
