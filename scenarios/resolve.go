package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/harness/fault"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// Scenario is a resolved scenario: every value is there and makes sense.
type Scenario struct {
	Name, Description string
	Seed              rng.Root
	Model             profiles.Profile
	Iterations        int
	MiniBatch         int
	Scale             int
	Hosts             int
	MTU               int
	Link, Fabric      topo.LinkSpec // before scaling
	Systems           []System
	P                 []float64
	Semantics         fault.Semantics
	Trio              job.TrioSpec
	SwitchML          job.SwitchMLSpec

	raw raw
}

// System is a system and the topology that it runs on.
type System struct{ Name, Topology string }

// Limits of a scenario.
const (
	MaxIterations = 60000 // below the 2^16 generations that gen_id tells apart
	MaxScale      = 1_000_000
)

// scenarioName is what may become part of a directory's name.
var scenarioName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// Load decodes and resolves a scenario.
func Load(src Source) (*Scenario, error) {
	d, err := decode(src)
	if err != nil {
		return nil, err
	}
	r := resolver{doc: d}
	s := r.scenario(&d.raw)
	return s, errors.Join(r.errs...)
}

// resolver collects everything that is wrong.
type resolver struct {
	doc  *document
	errs []error
}

func (r *resolver) wrong(path string, err error) {
	if err != nil {
		r.errs = append(r.errs, r.doc.wrong(path, err))
	}
}

// refuse reports a value that is not allowed, or a key that is not there.
func (r *resolver) refuse(path, value, allowed string) {
	if _, _, ok := r.doc.find(path); !ok {
		r.errs = append(r.errs, fmt.Errorf("%s: %s is missing: %s", r.doc.parts[0].name, path, allowed))
		return
	}
	r.wrong(path, fmt.Errorf("%s: %s", value, allowed))
}

func (r *resolver) scenario(f *raw) *Scenario {
	s := &Scenario{
		Name: f.Name, Description: f.Description, Seed: rng.Root(f.Seed), Semantics: fault.Semantics(f.Stragglers.Semantics),
		Iterations: r.between("iterations", f.Iterations, 1, MaxIterations),
		MiniBatch:  r.between("mini-batch", f.MiniBatch, 0, 1000),
		Scale:      r.between("scale", f.Scale, 1, MaxScale),
		Hosts:      r.between("hosts", f.Hosts, 2, topo.MaxHosts),
		MTU:        r.between("mtu", f.MTU, topo.MinMTU, topo.MaxMTU),
		raw:        *f,
	}
	r.oneOf("apiVersion", f.APIVersion, APIVersion)
	r.oneOf("kind", f.Kind, "Scenario")
	if !scenarioName.MatchString(f.Name) {
		r.wrong("name", fmt.Errorf("%q: a scenario needs a name of a-z, 0-9 and -, as its results have it in their directory's", f.Name))
	}
	r.whole("seed")
	var err error
	s.Model, err = profiles.Lookup(f.Model)
	r.wrong("model", err)
	s.Link, s.Fabric = r.link("link", f.Link), r.link("fabric", f.Fabric)
	for i, sys := range f.Systems {
		s.Systems = append(s.Systems, r.system(fmt.Sprintf("systems[%d]", i), sys))
	}
	if len(f.Systems) == 0 {
		r.wrong("systems", fmt.Errorf("at least one system is needed: allowed are %s", strings.Join(job.Systems(), ", ")))
	}
	r.stragglers(s, f.Stragglers)
	s.Trio, s.SwitchML = r.trio(f.Trio), r.switchML(f.SwitchML)
	return s
}

func (r *resolver) stragglers(s *Scenario, f rawStragglers) {
	r.oneOf("stragglers.semantics", f.Semantics, string(fault.OneServer), string(fault.EveryServer))
	for i, text := range f.P {
		p, err := fraction(text)
		r.wrong(fmt.Sprintf("stragglers.p[%d]", i), err)
		if slices.Contains(s.P, p) && err == nil {
			r.wrong(fmt.Sprintf("stragglers.p[%d]", i), fmt.Errorf("%s is given twice", text))
		}
		s.P = append(s.P, p)
	}
	if len(f.P) == 0 {
		r.wrong("stragglers.p", errors.New("at least one probability is needed, as in [0%, 16%]"))
	}
}

func (r *resolver) system(path string, f rawSystem) System {
	r.oneOf(path+".system", f.System, job.Systems()...)
	r.oneOf(path+".topology", f.Topology, gen.Names()...)
	return System{Name: f.System, Topology: f.Topology}
}

func (r *resolver) trio(f rawTrio) job.TrioSpec {
	r.oneOf("trio.late", f.Late, string(program.LateTombstone), string(program.LateStale), string(program.LateNaive))
	r.oneOf("trio.wake", f.Wake, string(trioml.WakeSkip), string(trioml.WakeNaive))
	if f.Aging == nil {
		r.wrong("trio.aging", errors.New("true or false is needed"))
	}
	return job.TrioSpec{
		Grads:   r.between("trio.gradients", f.Gradients, 1, 4095),
		Window:  r.between("trio.window", f.Window, 1, 65535),
		Threads: r.between("trio.threads", f.Threads, 1, 10000),
		Timeout: r.duration("trio.timeout", f.Timeout),
		Late:    program.LatePolicy(f.Late), Wake: trioml.WakePolicy(f.Wake),
		NoAging: f.Aging != nil && !*f.Aging,
	}
}

func (r *resolver) switchML(f rawSwitchML) job.SwitchMLSpec {
	s := job.SwitchMLSpec{Slots: r.between("switchml.pool", f.Pool, 1, 8192), Unscaled: f.UnscaledPool, Retransmit: f.Retransmit}
	if f.Timeout != "default" {
		s.Timeout = r.duration("switchml.timeout", f.Timeout)
	}
	return s
}

func (r *resolver) link(path string, f rawLink) (s topo.LinkSpec) {
	var err error
	if f.Rate != "" {
		s.Rate, err = units.ParseRate(f.Rate)
		r.wrong(path+".rate", err)
	}
	if f.Delay != "" {
		s.Delay = r.duration(path+".delay", f.Delay)
	}
	if f.Jitter != "" {
		s.Jitter = r.duration(path+".jitter", f.Jitter)
	}
	if s.Jitter > s.Delay {
		r.wrong(path+".jitter", fmt.Errorf("%v exceeds the delay of %v: frames would arrive before they were sent", s.Jitter, s.Delay))
	}
	if f.Queue != "" {
		s.Queue, err = units.ParseBytes(f.Queue)
		r.wrong(path+".queue", err)
	}
	if f.Loss != "" {
		s.Loss, err = fraction(f.Loss)
		r.wrong(path+".loss", err)
	}
	s.LossEvery = r.between(path+".loss-every", f.LossEvery, 0, 1<<30)
	return s
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

func (r *resolver) between(path string, v, lo, hi int) int {
	if r.whole(path) && (v < lo || v > hi) {
		r.refuse(path, strconv.Itoa(v), fmt.Sprintf("allowed are %d to %d", lo, hi))
	}
	return v
}

// whole refuses a fraction, which the decoder would cut off.
func (r *resolver) whole(path string) bool {
	_, n, ok := r.doc.find(path)
	if !ok || n.Type() != ast.FloatType {
		return true
	}
	r.wrong(path, fmt.Errorf("%s: a whole number is needed", n.GetToken().Value))
	return false
}

func (r *resolver) oneOf(path, v string, allowed ...string) {
	if !slices.Contains(allowed, v) {
		r.refuse(path, strconv.Quote(v), "allowed are "+strings.Join(allowed, ", ")+suggest.DidYouMean(v, allowed))
	}
}

// fraction reads a probability: "16%" or "0.16".
func fraction(text string) (float64, error) {
	num, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(num, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, fmt.Errorf("probability %q: write 0%% to 100%%, or 0 to 1", text)
	}
	return v, nil
}
