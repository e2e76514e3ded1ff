package scenarios

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
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

// Embedded returns the text of an embedded scenario.
func Embedded(name string) ([]byte, error) {
	text, err := catalogue.ReadFile(name + suffix)
	if err != nil {
		return nil, fmt.Errorf("unknown scenario %q: allowed are %s, or the path of a *%s file%s", name, strings.Join(Names(), ", "), suffix, suggest.DidYouMean(name, Names()))
	}
	return text, nil
}

// Jobs lays out every run: for each probability, each system.
func (s *Scenario) Jobs(virtual bool) ([]*job.Job, error) {
	if virtual {
		if err := s.refusePrograms(); err != nil {
			return nil, err
		}
	}
	var jobs []*job.Job
	for _, p := range s.P {
		for _, sys := range s.Systems {
			j, err := s.job(sys, p, virtual)
			if err != nil {
				return nil, fmt.Errorf("scenario %s, %s on %s: %w", s.Name, sys.Name(), sys.Topology, err)
			}
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

func (s *Scenario) job(sys System, p float64, virtual bool) (*job.Job, error) {
	servers := job.Servers(sys.System, s.Hosts)
	g, err := s.graph(sys.Topology, s.Hosts+servers)
	if err != nil {
		return nil, err
	}
	pl, err := plan.New(g)
	if err != nil {
		return nil, err
	}
	return job.New(job.Spec{
		System: sys.System, Plan: pl, Model: s.Model, Scale: s.Scale, Iterations: s.Iterations, MiniBatch: s.MiniBatch,
		Seed: s.Seed, StraggleP: p, Semantics: s.Semantics, Outages: s.Outages, Virtual: virtual, Servers: servers,
		HostPrograms: s.Programs,
	})
}

// graph returns one of the scenario's topologies, scaled.
func (s *Scenario) graph(topology string, hosts int) (*topo.Graph, error) {
	params := gen.Params{Hosts: hosts, Link: s.scaled(s.Link), MTU: s.MTU}
	switch topology {
	case "mx480":
		params.Fabric = s.scaled(s.Fabric)
	case "leaf-spine":
		params.Leaves, params.Spines = 2, 2
		params.Uplink = params.Link
	}
	return gen.ByName(topology, params)
}

// scaled divides rate and queue; times and losses stay.
func (s *Scenario) scaled(l topo.LinkSpec) topo.LinkSpec {
	if l.Rate > 0 {
		l.Rate = max(1, l.Rate/units.Rate(s.Scale))
	}
	if l.Queue > 0 {
		l.Queue = max(1, l.Queue/units.Bytes(s.Scale))
	}
	return l
}

// MarshalYAML writes the scenario with all overrides, as a file that Load reads.
func (s *Scenario) MarshalYAML() ([]byte, error) { return yaml.Marshal(s.file) }

// SetTopology puts every system on one topology.
func (s *Scenario) SetTopology(name string) error {
	if !slices.Contains(gen.Names(), name) {
		return fmt.Errorf("unknown topology %q: allowed are %s%s", name, strings.Join(gen.Names(), ", "), suggest.DidYouMean(name, gen.Names()))
	}
	for i := range s.Systems {
		s.Systems[i].Topology = name
		s.systems[i].Topology = name
	}
	return nil
}

// Options returns every value of the scenario, overrides included, for the
// record of a run.
func (s *Scenario) Options() any { return s.file }
