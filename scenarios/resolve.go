package scenarios

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/expect"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/linktext"
	"github.com/inalab/inalab/topo/spec"
)

// Scenario is a resolved scenario: every value is there and makes sense.
type Scenario struct {
	Name, Description string
	Seed              rng.Root
	Model             profiles.Profile
	Iterations        int
	MiniBatch         int
	Scale             int  // see [Load] for one that the file leaves open
	Auto              bool // the file leaves the scale to the program
	Hosts             int  // workers, where a system's topology does not say
	MTU               int
	Link, Fabric      topo.LinkSpec     // before scaling
	Uplink            topo.LinkSpec     // between switches; before scaling
	Links             []linktext.Change // in every topology
	Workers           []WorkerAt        // that do not compute for the model's time
	At                []Event           // what happens during the run, in the order of time
	Systems           []System
	P                 []float64
	Semantics         fault.Semantics
	Outages           []fault.Outage
	Programs          []job.HostProgram // real ones, beside the job; live only
	Tenants           []Tenant          // jobs that share the lab; none: one job on all hosts
	Flows             []job.Flow        // beside the job; rates are scaled
	Interval          units.Duration    // of series; zero: see [job.Set.Interval]
	Transit           []Transit         // programs that frames pass in switches
	Takes             string            // how long it runs, for people
	Expect            []expect.Check    // of its summary
	Point             result.Point      // which one of a sweep it is

	hostsSaid bool        // the file says how many workers there are
	upGraph   *topo.Graph // of a lab that is up, on which it runs; nil: none

	doc     *document    // says where a value stands
	known   []job.System // all that there are, their knobs set
	systems []rawSystem  // of file, to be changed with Systems
	file    any          // as it was decoded: pointer to a schema.file
	points  []*Scenario  // of the sweep; nil: there is none
	axes    []axis       // of the sweep
}

// System is a system, its knobs set, and the topology that it runs on. It is nil where every
// job has one of its own.
type System struct {
	job.System
	Topology   Shape
	IfPossible bool // it is left out where it cannot run
}

// Limits of a scenario.
const (
	MaxIterations = 60000 // below the 2^16 generations that gen_id tells apart
	MaxScale      = 1_000_000
)

// scenarioName is what may become part of a directory's name.
var scenarioName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// Load decodes and resolves a scenario that may run any of the systems. A scale that is left to
// the program is that of a rule, which depends on the scenario alone: the least at which no line
// of a host is faster than 500 Mbit/s, and no gradient larger than 4 MiB. All points of a sweep have
// the same one.
func Load(src Source, systems []job.System) (*Scenario, error) {
	s, err := read(src, systems)
	if err != nil {
		return s, err
	}
	return s.withScale(src, systems)
}

// read is Load but for the rule.
func read(src Source, systems []job.System) (*Scenario, error) {
	schema, err := newSchema(systems)
	if err != nil {
		return nil, err
	}
	d, err := decode(src, schema)
	if err != nil {
		return nil, err
	}
	f := d.raw()
	if len(f.Sweep) == 0 {
		return resolve(d, &f, systems)
	}
	return loadSweep(src, d, &f, systems)
}

// resolve makes a scenario of one point from what its file says.
func resolve(d *document, f *raw, systems []job.System) (*Scenario, error) {
	r := resolver{doc: d, systems: systems}
	s := r.scenario(f)
	s.doc, s.systems, s.file, s.known = d, f.Systems, d.file.Interface(), r.configured
	return s, errors.Join(r.errs...)
}

// resolver collects everything that is wrong.
type resolver struct {
	doc        *document
	systems    []job.System
	configured []job.System // the same, their knobs set
	errs       []error

	base spec.Base     // what topology files leave open
	file *TopologyFile // that of the scenario; nil: it names none
	dir  string        // where topology files are; empty: with the scenario
}

// report keeps an error, once: systems may share a section.
func (r *resolver) report(err error) {
	if !slices.ContainsFunc(r.errs, func(e error) bool { return e.Error() == err.Error() }) {
		r.errs = append(r.errs, err)
	}
}

func (r *resolver) wrong(path string, err error) {
	if err != nil {
		r.report(r.doc.Wrong(path, err))
	}
}

// refuse reports a value that is not allowed, or a key that is not there.
func (r *resolver) refuse(path, value, allowed string) {
	if _, _, ok := r.doc.find(path); !ok {
		r.report(fmt.Errorf("%s: %s is missing: %s", r.doc.name, path, allowed))
		return
	}
	r.wrong(path, fmt.Errorf("%s: %s", value, allowed))
}

func (r *resolver) scenario(f *raw) *Scenario {
	s := &Scenario{
		Name: f.Name, Description: f.Description, Seed: rng.Root(f.Seed), Semantics: fault.Semantics(f.Stragglers.Semantics),
		Iterations: r.between("iterations", f.Iterations, 1, MaxIterations),
		MiniBatch:  r.between("mini-batch", f.MiniBatch, 0, 1000),
		Hosts:      r.between("hosts", f.Hosts, 2, topo.MaxHosts),
		MTU:        r.between("mtu", f.MTU, topo.MinMTU, topo.MaxMTU),
	}
	s.Scale, s.Auto = r.scale(f.Scale)
	r.oneOf("apiVersion", f.APIVersion, APIVersion)
	r.oneOf("kind", f.Kind, FileKind)
	if !scenarioName.MatchString(f.Name) {
		r.wrong("name", fmt.Errorf("%q: a scenario needs a name of a-z, 0-9 and -, as its results have it in their directory's", f.Name))
	}
	r.whole("seed")
	s.Model = r.model("model", f.Model, s.Scale)
	s.Link, s.Fabric = r.link("link", f.Link, topo.LinkSpec{}), r.link("fabric", f.Fabric, topo.LinkSpec{})
	s.Uplink = r.link("uplink", f.Uplink, s.Link)
	s.Links = r.linksAt("links", f.Links)
	s.Workers = r.workersAt(f.Workers)
	r.base, s.hostsSaid = s.base(), r.said("hosts")
	shape := r.shape("topology", &f.Topology)
	byKey(r.doc.file.Elem(), "topology").Set(reflect.ValueOf(f.Topology)) // with its sources
	r.file = shape.File
	s.takeHosts(r.file, r.doc.file)
	r.configure(f)
	s.Systems = r.systemsOf(f, shape)
	r.stragglers(s, f.Stragglers)
	s.Programs = r.programs(f.Programs, s.Hosts)
	s.Tenants = r.tenants(f.Jobs, s.Scale)
	r.checkTimeouts(s)
	s.Flows = r.flows(f.Flows, s.Scale, s.MTU)
	s.Interval = r.interval(f.Interval)
	s.Transit = append(r.transit(f.Transit), transitOfFiles(s.Systems)...)
	s.At = r.events(s, f.At)
	s.Takes, s.Expect = f.Takes, r.expectations(f)
	return s
}

func (r *resolver) stragglers(s *Scenario, f rawStragglers) {
	r.oneOf("stragglers.semantics", f.Semantics, fault.Readings()...)
	for i, text := range f.P {
		p, err := linktext.Fraction(text)
		r.wrong(fmt.Sprintf("stragglers.p[%d]", i), err)
		if slices.Contains(s.P, p) && err == nil {
			r.wrong(fmt.Sprintf("stragglers.p[%d]", i), fmt.Errorf("%s is given twice", text))
		}
		s.P = append(s.P, p)
	}
	if len(f.P) == 0 {
		r.wrong("stragglers.p", errors.New("at least one probability is needed, as in [0%, 16%]"))
	}
	for i, o := range f.Outages {
		at := fmt.Sprintf("stragglers.outages[%d]", i)
		out := fault.Outage{
			Worker:    r.between(at+".worker", o.Worker, 0, s.Hosts-1),
			Iteration: r.between(at+".iteration", o.Iteration, 0, s.Iterations-1),
			For:       r.duration(at+".for", o.For),
		}
		if out.For == 0 && o.For != "" {
			r.wrong(at+".for", errors.New("write a time above 0, as in 3s"))
		}
		s.Outages = append(s.Outages, out)
	}
}

// configure sets the knobs of the systems that are run. The sections of others
// may be left out; what they say is checked all the same.
func (r *resolver) configure(f *raw) {
	for _, sys := range r.systems {
		run := slices.ContainsFunc(f.Systems, func(e rawSystem) bool { return e.System == sys.Name() }) ||
			slices.ContainsFunc(f.Jobs, func(e rawJob) bool { return e.System == sys.Name() })
		r.configured = append(r.configured, job.Configure(sys, &knobs{r: r, run: run}))
	}
}

// system returns the system that stands at a path; nil: there is none of that name.
func (r *resolver) system(path, name string) job.System {
	r.oneOf(path, name, job.Names(r.systems)...)
	sys, _ := job.Find(r.configured, name)
	return sys
}

// systemsOf returns the systems that are run.
func (r *resolver) systemsOf(f *raw, shape Shape) (out []System) {
	for i, e := range f.Systems {
		path := fmt.Sprintf("systems[%d]", i)
		named := path + ".system"
		if e.word {
			named = path
		}
		sys, at := r.system(named, e.System), shape
		if e.Topology != nil {
			at = r.shape(path+".topology", e.Topology)
		}
		if allNamed(f.Jobs) && slices.ContainsFunc(out, func(o System) bool { return reflect.DeepEqual(o.Topology, at) }) {
			r.wrong(path, errors.New("every job has a system of its own, and would run again on the same topology: leave the entry out"))
		}
		if sys != nil {
			out = append(out, System{sys, at, e.IfPossible})
		}
	}
	switch {
	case len(f.Systems) > 0:
	case allNamed(f.Jobs):
		return []System{{Topology: shape}}
	case len(f.Jobs) > 0:
		r.wrong("systems", fmt.Errorf("at least one system is needed for jobs that name none: allowed are %s; or give each entry of jobs a system", strings.Join(job.Names(r.systems), ", ")))
	default:
		r.wrong("systems", fmt.Errorf("at least one system is needed: allowed are %s", strings.Join(job.Names(r.systems), ", ")))
	}
	return out
}

func (r *resolver) duration(path, text string) units.Duration {
	if text == "" {
		r.refuse(path, `""`, "write a time, as in 10ms")
		return 0
	}
	d, err := units.ParseDuration(text)
	r.wrong(path, err)
	return d
}

func (r *resolver) rate(path, text string) units.Rate {
	if text == "" {
		r.refuse(path, `""`, "write a rate, as in 60Gbit/s")
		return 0
	}
	rate, err := units.ParseRate(text)
	r.wrong(path, err)
	return rate
}

// interval reads that of series, which may be left out.
func (r *resolver) interval(text string) units.Duration {
	if text == "" {
		return 0
	}
	before := len(r.errs)
	d := r.duration("interval", text)
	if d == 0 && len(r.errs) == before {
		r.wrong("interval", errors.New("write a time above 0, as in 10ms"))
	}
	return d
}

func (r *resolver) between(path string, v, lo, hi int) int {
	if r.whole(path) && (v < lo || v > hi) {
		r.refuse(path, strconv.Itoa(v), fmt.Sprintf("allowed are %d to %d", lo, hi))
	}
	return v
}

// whole refuses a fraction, which the decoder would cut off.
func (r *resolver) whole(path string) bool {
	err := r.doc.Whole(path)
	if err != nil {
		r.report(err)
	}
	return err == nil
}

func (r *resolver) oneOf(path, v string, allowed ...string) {
	if !slices.Contains(allowed, v) {
		r.refuse(path, strconv.Quote(v), "allowed are "+strings.Join(allowed, ", ")+suggest.DidYouMean(v, allowed))
	}
}
