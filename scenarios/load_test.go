package scenarios

import (
	"reflect"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	triomlsystem "github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo"
)

// embedded returns the text of the straggler scenario.
func embedded(t testing.TB) string {
	t.Helper()
	text, err := Embedded("straggler")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// load loads the straggler scenario with overrides.
func load(t testing.TB, set ...string) *Scenario {
	t.Helper()
	s, err := Load(Source{Name: "straggler.scenario.yaml", Text: []byte(embedded(t)), Set: set}, system.All())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEveryEmbeddedScenarioLoads(t *testing.T) {
	names := Names()
	if len(names) == 0 {
		t.Fatal("the catalogue is empty")
	}
	for _, name := range names {
		text, err := Embedded(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Load(Source{Name: name, Text: text}, system.All())
		if err != nil {
			t.Fatal(err)
		}
		if s.Name != name || s.Description == "" {
			t.Errorf("file %s holds scenario %q, described as %q", name, s.Name, s.Description)
		}
	}
}

func TestUnknownScenario(t *testing.T) {
	for name, want := range map[string]string{
		"stragler":     `unknown scenario "stragler": allowed are CATALOGUE, or the path of a *.scenario.yaml file; did you mean "straggler"?`,
		"no-such":      `unknown scenario "no-such": allowed are CATALOGUE, or the path of a *.scenario.yaml file`,
		"../straggler": `unknown scenario "../straggler": allowed are CATALOGUE, or the path of a *.scenario.yaml file; did you mean "straggler"?`,
	} {
		want = strings.Replace(want, "CATALOGUE", strings.Join(Names(), ", "), 1)
		if _, err := Embedded(name); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", name, err, want)
		}
	}
}

var rack = Shape{Generator: "rack"}

// What the file says is what the paper's section 6.1 asks for.
func TestStragglerScenario(t *testing.T) {
	s := load(t)
	s.doc, s.systems, s.known, s.file, s.hostsSaid, s.Description, s.Takes, s.Expect = nil, nil, nil, nil, false, "", "", nil
	want := &Scenario{
		Name: "straggler", Seed: 1, Model: s.Model, Iterations: 40, Scale: 200, Auto: true, Hosts: 6, MTU: 9000,
		Link:   topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: units.Microsecond, Queue: 1600 * units.MiB},
		Uplink: topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: units.Microsecond, Queue: 1600 * units.MiB},
		Fabric: topo.LinkSpec{Rate: 400 * units.GbitPerSecond, Delay: units.Microsecond},
		Systems: []System{{System: ring.System{Transport: stream.TCP}, Topology: rack}, {System: switchml.System{Elements: 256, Slots: 512, Pipe: switchml.Pipe{Pipeline: true}}, Topology: rack}, {System: triomlsystem.System{
			Grads: 1024, Window: 4096, Timeout: 10 * units.Millisecond, Threads: 100,
			Late: program.LateTombstone, Age: program.AgePerBlock, Wake: trioml.WakeSkip,
		}, Topology: Shape{Generator: "mx480"}}},
		P: []float64{0, 0.04, 0.08, 0.16}, Semantics: fault.OneServer,
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
	if s.Model.Name != "resnet50" {
		t.Errorf("model %s", s.Model.Name)
	}
}

func TestOverrides(t *testing.T) {
	s := load(t,
		"seed=7", "seed=8", "model=vgg11", "link.rate=25Gbit/s", "link.loss=0.1%", "link.loss-every=500", "mini-batch=32",
		"stragglers.p=[16%, 0.5]", "stragglers.semantics=every-server", "trio.wake=naive", "trio.aging=false",
		"trio.stragglers=notify", "trio.look=50ms", "trio.permanent-after=4", "stragglers.outages=[{worker: 3, iteration: 5, for: 2s}]",
		"switchml.retransmit=true", "switchml.timeout=2ms", "switchml.unscaled-pool=true", "switchml.faithful=true", "switchml.pipe=pipeline", "switchml.timing=tofino",
		"systems=[{system: switchml64, topology: rack}, {system: trioml, topology: rack}]",
	)
	trio := s.Systems[1].System.(triomlsystem.System)
	for what, ok := range map[string]bool{
		"the last seed":      s.Seed == 8,
		"model":              s.Model.Name == "vgg11",
		"rate":               s.Link.Rate == 25*units.GbitPerSecond,
		"loss":               s.Link.Loss == 0.001 && s.Link.LossEvery == 500,
		"its neighbours":     s.Link.Delay == units.Microsecond && s.Link.Queue == 1600*units.MiB,
		"mini-batch":         s.MiniBatch == 32,
		"list":               reflect.DeepEqual(s.P, []float64{0.16, 0.5}),
		"semantics":          s.Semantics == fault.EveryServer,
		"wake and aging":     trio.Wake == trioml.WakeNaive && trio.NoAging,
		"notices":            reflect.DeepEqual(trio.PFE.Stragglers, &program.Stragglers{Look: 50 * units.Millisecond, PermanentAfter: 4}),
		"outages":            reflect.DeepEqual(s.Outages, []fault.Outage{{Worker: 3, Iteration: 5, For: 2 * units.Second}}),
		"rest of trio":       trio.Window == 4096 && trio.Late == program.LateTombstone,
		"switchml":           reflect.DeepEqual(s.Systems[0], System{System: switchml.System{Elements: 64, Slots: 512, Unscaled: true, Retransmit: true, Timeout: 2 * units.Millisecond, Faithful: true, Pipe: switchml.Pipe{Pipeline: true, Timed: true}}, Topology: rack}),
		"systems":            len(s.Systems) == 2 && reflect.DeepEqual(s.Systems[1].Topology, rack),
		"what was not named": s.Hosts == 6 && s.Scale == 127 && s.Auto, // by the rule, for 507 MiB
	} {
		if !ok {
			t.Errorf("%s is wrong: %+v", what, s)
		}
	}
}

// same compares what two scenarios say, wherever it stands.
func same(a, b *Scenario) bool {
	x, y := *a, *b
	x.doc, y.doc, x.Auto = nil, nil, y.Auto // what is written of a scenario has the number
	return reflect.DeepEqual(x, y)
}

func TestMarshalledScenarioLoadsAgain(t *testing.T) {
	for _, set := range [][]string{
		nil,
		{"seed=18446744073709551615", "mini-batch=16", "link={rate: unlimited, delay: 2us, jitter: 1us, loss: 1%, loss-every: 3}"},
		{"stragglers.outages=[{worker: 0, iteration: 39, for: 1ms}, {worker: 5, iteration: 0, for: 2s}]", "trio.stragglers=notify", "trio.look=1s"},
		{"stragglers.p=[0, 100%]", "trio.aging=false", "switchml.timeout=1ms", "systems=[{system: ring, topology: leaf-spine}]"},
		{`description='a "quoted" # text: with marks'`},
		{`programs=[{host: h0, command: [sh, -c, "echo 'a: b' # c"]}, {host: h5, command: [iperf3, --server]}]`},
	} {
		s := load(t, set...)
		text, err := s.MarshalYAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Load(Source{Name: "again", Text: text}, system.All())
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !same(again, s) {
			t.Errorf("got  %+v\nwant %+v\nfrom\n%s", again, s, text)
		}
		if !strings.HasPrefix(string(text), "apiVersion: inalab/v1\nkind: Scenario\n") {
			t.Errorf("begins otherwise:\n%s", text)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(embedded(f)), "trio.wake=naive")
	f.Add([]byte("apiVersion: inalab/v1\nsystems: [{system: ring}]\nstragglers: {p: [1e9, nan]}\n"), "link.rate=-1Gbit/s")
	f.Add([]byte("a: &a [*a, *a]\n<<: *a\n"), "a.b.c=[[[")
	f.Add([]byte("seed: 1\n---\nseed: 2\n"), "=")
	f.Add([]byte("? {a: b}\n: |\n  text\n"), "seed=~")
	f.Fuzz(func(t *testing.T, text []byte, set string) {
		for _, sets := range [][]string{nil, {set}} {
			s, err := Load(Source{Name: "fuzz", Text: text, Set: sets}, system.All())
			if err != nil {
				continue
			}
			out, err := s.MarshalYAML()
			if err != nil {
				t.Fatal(err)
			}
			again, err := Load(Source{Name: "again", Text: out}, system.All())
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if !same(again, s) {
				t.Fatalf("got  %+v\nwant %+v", again, s)
			}
		}
	})
}
