package job_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/harness/system/halving"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis"
)

// The analytic times, worked out by hand for 4096 elements on links of 1 Gbit/s
// without delay.
func TestAnalyticTimes(t *testing.T) {
	bits := func(bytes int) units.Duration { return units.Duration(bytes*8) * units.Nanosecond }
	for _, c := range []struct {
		system job.System
		want   units.Duration
	}{
		// 4 blocks, and the last one's way down: 54 bytes of headers, 4096 of gradients, 24 of framing.
		{trioml.System{}, bits(5 * (54 + 4096 + 24))},
		// 16 blocks of 256, 16 packets of exponents, and one down: 52 bytes of headers.
		{switchml.System{}, bits(33 * (52 + 1024 + 24))},
		// 128 blocks of 32 and 128 packets of exponents, 180 bytes each and 24 of framing, and one down.
		{switchml.System{Elements: 32}, bits(257 * (180 + 24))},
		// 2*(4-1) steps of 4096 bytes behind a header of 12, in a segment that passes two lines, one after the other.
		{ring.System{}, bits(6 * 2 * (66 + 4108 + 24))},
		// The same in RoCE packets of 4096, with 58 bytes of headers: one that passes two lines, and one of the last 12 bytes behind it.
		{ring.System{Transport: stream.RoCE}, bits(6 * (2*(58+4096+24) + 58 + 12 + 24))},
		// 2*(4-1)/4 of 16384 bytes in such packets.
		{halving.System{Transport: stream.RoCE}, bits(6 * (58 + 4096 + 24))},
		{ps.System{Transport: stream.RoCE}, bits(6 * (58 + 4096 + 24))},
		{ps.System{Transport: stream.RoCE, Cross: true}, bits(8 * (58 + 4096 + 24))},
		// One server beside a worker: what three others send, or four; and two that share the sums.
		{ps.System{Transport: stream.RoCE, Count: 1}, bits(12 * (58 + 4096 + 24))},
		{ps.System{Transport: stream.RoCE, Count: 1, Cross: true}, bits(20 * (58 + 4096 + 24))},
		{ps.System{Transport: stream.RoCE, Count: 2}, bits(8 * (58 + 4096 + 24))},
	} {
		s := jobtest.Spec(t, c.system, "rack", 4)
		s.Model.Compute, s.Virtual = 10*units.Millisecond, true
		j := jobtest.New(t, s)
		got, bound := j.Expect()
		if got -= s.Model.Compute; got != c.want || bound != (c.system.Name() == "trioml") {
			t.Errorf("%s: communication takes %v (bound: %v), want %v", c.system.Name(), got, bound, c.want)
		}
	}
}

// Systems that wait for everybody pay every delay; Trio-ML pays two timeouts a
// refill at most, and less where the straggler is back before.
func TestDelaysArePaid(t *testing.T) {
	s := jobtest.Spec(t, switchml.System{}, "rack", 4)
	quiet, _ := jobtest.New(t, s).Expect()
	s.StraggleP = 1
	j := jobtest.New(t, s)
	var paid units.Duration
	for i := range s.Iterations {
		paid += j.Schedule.Paid(i)
	}
	if got, _ := j.Expect(); got != quiet+paid/units.Duration(s.Iterations) || paid == 0 {
		t.Errorf("expected %v, want %v and the mean of %v over %d iterations", got, quiet, paid, s.Iterations)
	}

	s = jobtest.Spec(t, trioml.System{Timeout: units.Millisecond}, "rack", 4) // 4 blocks, one refill: 2 ms at most
	quiet, _ = jobtest.New(t, s).Expect()
	s.StraggleP = 1
	if got, bound := jobtest.New(t, s).Expect(); !bound || got != quiet+2*units.Millisecond {
		t.Errorf("expected %v (bound: %v), want %v and 2ms", got, bound, quiet)
	}
	s.System = trioml.System{NoAging: true}
	if got, bound := jobtest.New(t, s).Expect(); bound || got <= quiet+units.Duration(s.Iterations)*units.Millisecond {
		t.Errorf("without ageing %v (bound: %v): every delay is paid", got, bound)
	}
}

// Dedicated servers are on the hosts behind the workers, and have a stream to
// each of them.
func TestDedicatedServers(t *testing.T) {
	s := jobtest.Spec(t, ps.System{Dedicated: true}, "rack", 4)
	s.Virtual, s.Servers = true, job.Servers(s.System, 2)
	j := jobtest.New(t, s)
	if n := len(j.Workers()); n != 2 || len(j.Hosts()) != 2 {
		t.Errorf("%d workers on %d hosts, want 2", n, len(j.Hosts()))
	}
	servers := j.ServerConfigs()
	if len(servers) != 2 || servers[0].Name != "h2" || len(servers[1].Stream.Connections) != 2 {
		t.Fatalf("servers are %+v", servers)
	}
	for _, cfg := range servers {
		if _, err := j.NewServer(cfg, nil); err != nil {
			t.Error(err)
		}
	}
	if n := job.Servers(ps.System{}, 2) + job.Servers(ring.System{}, 2); n != 0 {
		t.Errorf("%d hosts for servers that nobody needs", n)
	}
}

// misfit lays nothing out, unwritable what cannot cross to a process.
type (
	misfit     struct{ job.System }
	unwritable struct{ job.System }
)

func (misfit) Layout(*job.Job) (job.Layout, error) { return job.Layout{}, nil }

func (u unwritable) Layout(j *job.Job) (job.Layout, error) {
	l, err := u.System.Layout(j)
	l.Programs[0][0] = make(chan int)
	return l, err
}

// What has crossed as JSON makes the machines again; what was spoiled does not.
func TestMachinesAreMade(t *testing.T) {
	for _, system := range system.All() {
		s := jobtest.Staffed(t, system, "rack", 3)
		s.Virtual = true // halving and ps are not live
		j := jobtest.New(t, s)
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
		for _, cfg := range j.ServerConfigs() {
			if _, err := j.NewServer(cfg, nil); err != nil {
				t.Errorf("%s: %v", system.Name(), err)
			}
			cfg.Core = []byte(`{"Knots": 1}`)
			if _, err := j.NewServer(cfg, nil); err == nil || !strings.Contains(err.Error(), `unknown field "Knots"`) {
				t.Errorf("%s: a server of another make: %v", system.Name(), err)
			}
		}
	}
}

func TestFind(t *testing.T) {
	if s, err := job.Find(system.All(), "switchml64"); err != nil || s != (switchml.System{Elements: 64}) {
		t.Errorf("found %v, %v", s, err)
	}
	want := `system "triolm": allowed are ` + strings.Join(job.Names(system.All()), ", ") + `; did you mean "trioml"?`
	if _, err := job.Find(system.All(), "triolm"); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A system whose program knows no levels says so.
func TestOneEngine(t *testing.T) {
	for topology, want := range map[string]string{
		"rack": "", "mx480": "one forwarding engine, but topology mx480 has a chassis of 6: use rack", "leaf-spine": "topology leaf-spine has 4 switches: use rack or mx480",
	} {
		err := jobtest.New(t, jobtest.Spec(t, switchml.System{}, topology, 4)).OneEngine()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", topology, err, want)
		}
	}
}

func TestBadJobs(t *testing.T) {
	for _, c := range []struct {
		change func(*job.Spec)
		want   string
	}{
		{func(s *job.Spec) { s.System = nil }, "a job needs a system"},
		{func(s *job.Spec) { s.Scale = 0 }, "both must be 1 or more"},
		{func(s *job.Spec) {
			s.System, s.Plan = switchml.System{Transport: switchml.RoCE}, jobtest.Plan(t, "leaf-spine", 4)
		}, "use rack or mx480"},
		{func(s *job.Spec) { s.System = misfit{s.System} }, "laid out for 0 workers and 0 switches in blocks of 0 elements, but topology rack has 4 and 1, and a block at least one"},
		{func(s *job.Spec) { s.System = unwritable{s.System} }, "writing a chan int"},
		{func(s *job.Spec) { s.Plan.MTU = 1061 }, "below the 1062 bytes of a switchml256 packet"},
		{func(s *job.Spec) { s.StraggleP = 2 }, "straggling probability 2"},
		{func(s *job.Spec) { s.System = halving.System{Transport: stream.RoCE} }, "halving over RoCE runs under the virtual clock only"},
		{func(s *job.Spec) { s.System = ring.System{Transport: stream.TCPECN} }, "ring over TCP with ECN runs under the virtual clock only"},
		{func(s *job.Spec) { s.System = ps.System{Transport: stream.RoCE} }, "ps over RoCE runs under the virtual clock only"},
		{func(s *job.Spec) { s.System = ps.System{Cross: true} }, "ps.cross runs under the virtual clock only"},
		{func(s *job.Spec) { s.System = ring.System{Transport: stream.RoCE} }, "ring over RoCE runs under the virtual clock only"},
		{func(s *job.Spec) { s.System, s.Virtual = ps.System{Dedicated: true, Cross: true}, true }, "ps.cross is for colocated servers"},
		{func(s *job.Spec) { s.System, s.Virtual = ps.System{Dedicated: true}, true }, "ps needs 4 hosts for servers beside 4 workers, but topology rack has 0"},
		{func(s *job.Spec) { s.System, s.Servers = ps.System{Dedicated: true, Count: 1}, 2 }, "ps needs 1 hosts for servers beside 2 workers, but topology rack has 2: dedicated servers take ps.count hosts"},
		{func(s *job.Spec) { s.System = ps.System{Count: 5} }, "ps.count: 5 servers beside 4 workers: a host has one at most: use ps.count=4 or less, or ps.servers=dedicated"},
		{func(s *job.Spec) { s.System, s.Elements = ps.System{Count: 4}, 3 }, "ps: a tensor of 3 elements for 4 servers"},
		{func(s *job.Spec) { s.System, s.Virtual, s.Servers = ring.System{}, true, 1 }, "laid out for 0 servers on hosts of their own, but the job has 1"},
		{func(s *job.Spec) { s.Transit = make([][]chassis.Program, 2) }, "programs for 2 switches: topology rack has 1"},
		{func(s *job.Spec) { s.Servers = -1 }, "-1 hosts for servers"},
		{func(s *job.Spec) { s.Servers = 1 }, "laid out for 0 servers on hosts of their own, but the job has 1"},
		{func(s *job.Spec) { s.System = ps.System{Dedicated: true} }, "ps needs 4 hosts for servers beside 4 workers, but topology rack has 0"},
		{func(s *job.Spec) { s.Virtual, s.Servers = true, 3 }, "has 4 hosts, 3 of them for servers: a job takes 2 to 200 workers"},
	} {
		s := jobtest.Spec(t, switchml.System{}, "rack", 4)
		c.change(&s)
		if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
