package job

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

func addressed(t *testing.T, topology string, hosts int) *plan.Plan {
	t.Helper()
	g, err := gen.ByName(topology, gen.Params{Hosts: hosts, Link: topo.LinkSpec{Rate: units.GbitPerSecond}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustNew(t *testing.T, s Spec) *Job {
	t.Helper()
	j, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func spec(t *testing.T, system System, topology string, hosts int) Spec {
	model, err := profiles.Lookup("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	return Spec{System: system, Plan: addressed(t, topology, hosts), Model: model, Scale: 1, Iterations: 4, Seed: 1, Elements: 4096}
}

// programs returns the configurations of Trio-ML's programs.
func programs(t *testing.T, j *Job) (out []program.Config) {
	t.Helper()
	for _, text := range j.Switches(0)[0].Programs {
		cfg, err := Decode[pfeConfig](text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, cfg.Program)
	}
	return out
}

// The analytic times, worked out by hand for 4096 elements on links of 1 Gbit/s
// without delay.
func TestAnalyticTimes(t *testing.T) {
	bits := func(bytes int) units.Duration { return units.Duration(bytes*8) * units.Nanosecond }
	for _, c := range []struct {
		system System
		want   units.Duration
	}{
		// 4 blocks, and the last one's way down: 54 bytes of headers, 4096 of gradients, 24 of framing.
		{TrioML{}, bits(5 * (54 + 4096 + 24))},
		// 16 blocks of 256, 16 packets of exponents, and one down: 52 bytes of headers.
		{SwitchML{}, bits(33 * (52 + 1024 + 24))},
		// 2*(4-1)/4 of 16384 bytes in segments of 8948: two full ones and 6680.
		{Ring{}, bits(2*(66+8948+24) + 66 + 6680 + 24)},
		// The same in RoCE packets of 4096: six, with 58 bytes of headers.
		{Ring{Transport: stream.RoCE}, bits(6 * (58 + 4096 + 24))},
		{Halving{Transport: stream.RoCE}, bits(6 * (58 + 4096 + 24))},
		{PS{Transport: stream.RoCE}, bits(6 * (58 + 4096 + 24))},
		{PS{Transport: stream.RoCE, Cross: true}, bits(8 * (58 + 4096 + 24))},
	} {
		s := spec(t, c.system, "rack", 4)
		s.Model.Compute, s.Virtual = 10*units.Millisecond, true
		j := mustNew(t, s)
		got, bound := j.Expect()
		if got -= s.Model.Compute; got != c.want || bound != (c.system.Name() == "trioml") {
			t.Errorf("%s: communication takes %v (bound: %v), want %v", c.system.Name(), got, bound, c.want)
		}
	}
}

// Systems that wait for everybody pay every delay; Trio-ML pays two timeouts a
// refill at most, and less where the straggler is back before.
func TestDelaysArePaid(t *testing.T) {
	s := spec(t, SwitchML{}, "rack", 4)
	quiet, _ := mustNew(t, s).Expect()
	s.StraggleP = 1
	j := mustNew(t, s)
	var paid units.Duration
	for i := range s.Iterations {
		paid += j.Schedule.Paid(i)
	}
	if got, _ := j.Expect(); got != quiet+paid/units.Duration(s.Iterations) || paid == 0 {
		t.Errorf("expected %v, want %v and the mean of %v over %d iterations", got, quiet, paid, s.Iterations)
	}

	s = spec(t, TrioML{Timeout: units.Millisecond}, "rack", 4) // 4 blocks, one refill: 2 ms at most
	quiet, _ = mustNew(t, s).Expect()
	s.StraggleP = 1
	if got, bound := mustNew(t, s).Expect(); !bound || got != quiet+2*units.Millisecond {
		t.Errorf("expected %v (bound: %v), want %v and 2ms", got, bound, quiet)
	}
	s.System = TrioML{NoAging: true}
	if got, bound := mustNew(t, s).Expect(); bound || got <= quiet+units.Duration(s.Iterations)*units.Millisecond {
		t.Errorf("without ageing %v (bound: %v): every delay is paid", got, bound)
	}
}

// The paper's chassis: three servers on PFE1, three on PFE2, PFE4 on top (Trio
// §6.1). The top level waits longer than the level below (ambiguity
// trio.hier-timeout), and PFEs are its sources.
func TestTwoLevels(t *testing.T) {
	j := mustNew(t, spec(t, TrioML{}, "mx480", 6))
	pfes := programs(t, j)
	if len(pfes) != 6 {
		t.Fatalf("%d PFEs", len(pfes))
	}
	leaf, top := pfes[0], pfes[3]
	if len(leaf.Jobs) != 1 || !slices.Equal(leaf.Jobs[0].Sources, []uint8{0, 1, 2}) || !slices.Equal(leaf.Jobs[0].To, []sansio.Port{dataplane.Fabric(3)}) {
		t.Errorf("PFE1 runs %+v", leaf.Jobs)
	}
	if !slices.Equal(top.Jobs[0].Sources, []uint8{pfeSource, pfeSource + 1}) || len(top.Jobs[0].To) != 6 {
		t.Errorf("PFE4 runs %+v", top.Jobs)
	}
	if top.Timeout < 2*leaf.Timeout+leaf.Timeout/2 {
		t.Errorf("the top waits %v, the level below %v", top.Timeout, leaf.Timeout)
	}
	if idle := pfes[5]; len(idle.Jobs) != 0 {
		t.Errorf("PFE6 has no servers and runs %+v", idle.Jobs)
	}
	name, below := above(j)
	if name != "mx480/pfe4" || below[pfeSource] != "mx480/pfe1" || below[pfeSource+1] != "mx480/pfe2" || len(below) != 2 {
		t.Errorf("traces come from %q over %v", name, below)
	}
}

// above returns the engine that sends results, and the engines behind its sources.
func above(j *Job) (top string, below map[uint8]string) {
	e := j.Layout.Top()
	return e.Node, j.Layout.Below(e)
}

// All servers on one PFE aggregate in a single level (Trio §4).
func TestOneLevel(t *testing.T) {
	for _, topology := range []string{"mx480", "rack"} {
		j := mustNew(t, spec(t, TrioML{}, topology, 3))
		name, below := above(j)
		if topology == "rack" && (name != "tor" || len(below) != 0) {
			t.Errorf("%s: traces come from %q over %v", topology, name, below)
		}
		if topology == "mx480" && (name == "mx480/pfe4") != (len(below) > 0) {
			t.Errorf("%s: results come from %q, though the levels below it are %v", topology, name, below)
		}
		if got := j.Layout.Cores[2].(trioml.Config); got.Source != 2 || got.Flow.Dst != j.Plan.Switches[0].Router {
			t.Errorf("%s: worker 2 is %+v", topology, got)
		}
	}
}

// Dedicated servers are on the hosts behind the workers, and have a stream to
// each of them.
func TestDedicatedServers(t *testing.T) {
	s := spec(t, PS{Dedicated: true}, "rack", 4)
	s.Virtual, s.Servers = true, Servers(s.System, 2)
	j := mustNew(t, s)
	if n := len(j.Workers()); n != 2 || len(j.Hosts()) != 2 {
		t.Errorf("%d workers on %d hosts, want 2", n, len(j.Hosts()))
	}
	servers := j.ServerConfigs()
	if len(servers) != 2 || servers[0].Node != "h2" || len(servers[1].Stream.Connections) != 2 {
		t.Fatalf("servers are %+v", servers)
	}
	for _, cfg := range servers {
		if _, err := j.NewServer(cfg); err != nil {
			t.Error(err)
		}
	}
	if n := Servers(PS{}, 2) + Servers(Ring{}, 2); n != 0 {
		t.Errorf("%d hosts for servers that nobody needs", n)
	}
}

// misfit lays nothing out, unwritable what cannot cross to a process.
type (
	misfit     struct{ System }
	unwritable struct{ System }
)

func (misfit) Layout(*Job) (Layout, error) { return Layout{}, nil }

func (u unwritable) Layout(j *Job) (Layout, error) {
	l, err := u.System.Layout(j)
	l.Programs[0][0] = make(chan int)
	return l, err
}

// What has crossed as JSON makes the machines again; what was spoiled does not.
func TestMachinesAreMade(t *testing.T) {
	for _, system := range Systems() {
		s := spec(t, system, "rack", 3)
		s.Virtual = true // halving and ps are not live
		j := mustNew(t, s)
		for _, cfg := range j.Workers() {
			if _, err := j.NewWorker(cfg, worker.Images{}, nil, nil); err != nil {
				t.Errorf("%s: %v", system.Name(), err)
			}
			cfg.Core = []byte(`{"Knots": 1}`)
			if _, err := j.NewWorker(cfg, worker.Images{}, nil, nil); err == nil || !strings.Contains(err.Error(), `unknown field "Knots"`) {
				t.Errorf("%s: a core of another make: %v", system.Name(), err)
			}
		}
		sw := j.Switches(0)[0]
		if _, err := j.NewSwitch(sw, nil); err != nil {
			t.Errorf("%s: %v", system.Name(), err)
		}
		sw.Programs = []json.RawMessage{json.RawMessage(`{"Knots": 1}`)}
		if _, err := j.NewSwitch(sw, nil); err == nil {
			t.Errorf("%s: made an engine of nonsense", system.Name())
		}
	}
}

func TestFind(t *testing.T) {
	if s, err := Find(Systems(), "switchml64"); err != nil || s != (SwitchML{Elements: 64}) {
		t.Errorf("found %v, %v", s, err)
	}
	const want = `system "triolm": allowed are ring, halving, ps, switchml64, switchml256, switchml-rdma, trioml; did you mean "trioml"?`
	if _, err := Find(Systems(), "triolm"); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A system whose program knows no levels says so.
func TestOneEngine(t *testing.T) {
	for topology, want := range map[string]string{
		"rack": "", "mx480": "one forwarding engine, but topology mx480 has a chassis of 6: use rack", "leaf-spine": "topology leaf-spine has 4 switches: use rack or mx480",
	} {
		err := mustNew(t, spec(t, SwitchML{}, topology, 4)).OneEngine()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", topology, err, want)
		}
	}
}

func TestBadJobs(t *testing.T) {
	for _, c := range []struct {
		change func(*Spec)
		want   string
	}{
		{func(s *Spec) { s.System = nil }, "a job needs a system"},
		{func(s *Spec) { s.Scale = 0 }, "both must be 1 or more"},
		{func(s *Spec) { s.System, s.Plan = TrioML{}, addressed(t, "leaf-spine", 4) }, "use rack or mx480"},
		{func(s *Spec) { s.System = misfit{s.System} }, "laid out for 0 workers and 0 switches in blocks of 0 elements, but topology rack has 4 and 1, and a block at least one"},
		{func(s *Spec) { s.System = unwritable{s.System} }, "writing a chan int"},
		{func(s *Spec) { s.Plan.MTU = 1061 }, "below the 1062 bytes of a switchml256 packet"},
		{func(s *Spec) { s.StraggleP = 2 }, "straggling probability 2"},
		{func(s *Spec) { s.System = Halving{Transport: stream.RoCE} }, "halving over RoCE runs under the virtual clock only"},
		{func(s *Spec) { s.System = PS{Transport: stream.RoCE} }, "ps over RoCE runs under the virtual clock only"},
		{func(s *Spec) { s.System = PS{Cross: true} }, "ps.cross runs under the virtual clock only"},
		{func(s *Spec) { s.System = Ring{Transport: stream.RoCE} }, "ring over RoCE runs under the virtual clock only"},
		{func(s *Spec) { s.System, s.Virtual = PS{Dedicated: true, Cross: true}, true }, "ps.cross is for colocated servers"},
		{func(s *Spec) { s.System, s.Virtual = PS{Dedicated: true}, true }, "ps needs 4 hosts for servers beside 4 workers, but topology rack has 0"},
		{func(s *Spec) { s.System, s.Virtual, s.Servers = Ring{}, true, 1 }, "laid out for 0 servers on hosts of their own, but the job has 1"},
		{func(s *Spec) { s.Servers = -1 }, "-1 hosts for servers"},
		{func(s *Spec) { s.Servers = 1 }, "laid out for 0 servers on hosts of their own, but the job has 1"},
		{func(s *Spec) { s.System = PS{Dedicated: true} }, "ps needs 4 hosts for servers beside 4 workers, but topology rack has 0"},
		{func(s *Spec) { s.Virtual, s.Servers = true, 3 }, "has 4 hosts, 3 of them for servers: a job takes 2 to 200 workers"},
	} {
		s := spec(t, SwitchML{}, "rack", 4)
		c.change(&s)
		if _, err := New(s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
