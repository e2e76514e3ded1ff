package atp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// racks is three racks of so many hosts on one core switch.
func racks(t *testing.T, each int) *plan.Plan {
	t.Helper()
	return jobtest.PlanOf(t, "multi-rack", gen.Params{Hosts: 3 * each, Racks: 3})
}

// laid is a job on some hosts of a plan, with servers.
func laid(t *testing.T, s System, p *plan.Plan, on, servers []int) (*job.Job, error) {
	t.Helper()
	return job.New(specOf(t, s, p, on, servers))
}

func specOf(t *testing.T, s System, p *plan.Plan, on, servers []int) job.Spec {
	t.Helper()
	spec := jobtest.Spec(t, s, "rack", 2)
	spec.Plan, spec.On, spec.ServersOn, spec.Servers, spec.Virtual = p, on, servers, len(servers), true
	return spec
}

func mustLay(t *testing.T, s System, p *plan.Plan, on, servers []int) *job.Job {
	t.Helper()
	j, err := laid(t, s, p, on, servers)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// told writes what a worker says to a server: its bits, fan-ins, and whether it is direct.
func told(s host.Server) string {
	text := fmt.Sprintf("%b %b of %d %d", s.Bitmaps[0], s.Bitmaps[1], s.FanIns[0], s.FanIns[1])
	if s.Direct {
		text += " direct"
	}
	return text
}

// parts writes what a switch does towards the servers of a job.
func parts(j *job.Job, sw string) (out []string) {
	at, _ := j.Plan.Switch(sw)
	for _, s := range j.Layout.Programs[at.Index][0].(engineConfig).Program.Jobs[0].Servers {
		text := fmt.Sprint("by ", s.Ports)
		for k, l := range s.Levels {
			for _, from := range l.Sources {
				text += fmt.Sprintf(" %d:%d=%s@%v", k, from.Bit, from.Name, from.Ports)
			}
		}
		out = append(out, text)
	}
	return out
}

// Figure 9 of the paper: two racks of two workers, and two workers behind the server's switch, to
// which two racks and two workers are four sources.
func TestFigureNine(t *testing.T) {
	j := mustLay(t, System{}, racks(t, 3), []int{0, 1, 3, 4, 6, 7}, []int{8})
	var got []string
	for _, c := range j.Layout.Cores {
		got = append(got, told(c.(host.Config).Servers[0]))
	}
	want := []string{"1 1 of 2 4", "10 1 of 2 4", "1 10 of 2 4", "10 10 of 2 4", "1 100 of 1 4 direct", "1 1000 of 1 4 direct"}
	if !slices.Equal(got, want) {
		t.Errorf("workers say %q, want %q", got, want)
	}
	for sw, want := range map[string]string{
		"tor0": "by [3] 0:0=h0@[0] 0:1=h1@[1]", "tor1": "by [3] 0:0=h3@[0] 0:1=h4@[1]", "tor2": "by [2] 1:0=tor0@[3] 1:1=tor1@[3] 1:2=h6@[0] 1:3=h7@[1]",
	} {
		if got := parts(j, sw); len(got) != 1 || got[0] != want {
			t.Errorf("%s does %q, want %q", sw, got, want)
		}
	}
	core, _ := j.Plan.Switch("core")
	if core.Index < len(j.Layout.Programs) && j.Layout.Programs[core.Index] != nil {
		t.Error("the core switch has a program")
	}
	s := j.Layout.Dedicated[0].(server.Config)
	if got := fmt.Sprint(s.Racks); got != "[{0 false false [0 1]} {1 false false [2 3]} {2 true false [4]} {3 true false [5]}]" {
		t.Errorf("the server knows racks %s", got)
	}
	if g := plan.Group(1); s.Flow.Dst != g || s.Flow.DstPort != wire.Port || j.Layout.Trees[0].Group != g || !slices.Equal(j.Layout.Trees[0].To, []int{0, 1, 3, 4, 6, 7}) {
		t.Errorf("the server sends to %v:%d, and the tree is %+v", s.Flow.Dst, s.Flow.DstPort, j.Layout.Trees)
	}
	if flow := j.Layout.Cores[0].(host.Config).Servers[0].Flow; flow.Dst != j.Plan.Hosts[8].Addr.Addr() || flow.SrcPort != wire.Port || flow.DstPort != wire.Port {
		t.Errorf("h0 sends to %v", flow)
	}
}

// Where the switch of all workers is the server's there is one level (§5.1), and as a rack-scale
// service (§5.2.2) racks are all there is.
func TestLevels(t *testing.T) {
	rack, three := jobtest.Plan(t, "rack", 5), racks(t, 3)
	for name, tc := range map[string]struct {
		system      System
		plan        *plan.Plan
		on, servers []int
		say         []string
		sw, does    string
		racks       string
	}{
		"one rack":         {System{}, rack, []int{0, 1, 2, 3}, []int{4}, []string{"1 1 of 4 1", "10 1 of 4 1", "100 1 of 4 1", "1000 1 of 4 1"}, "tor", "by [4] 0:0=h0@[0] 0:1=h1@[1] 0:2=h2@[2] 0:3=h3@[3]", "[{0 false false [0 1 2 3]}]"},
		"server elsewhere": {System{}, three, []int{0, 1}, []int{6}, []string{"1 1 of 2 1", "10 1 of 2 1"}, "tor2", "by [0] 1:0=tor0@[3]", "[{0 false false [0 1]}]"},
		"rack-scale":       {System{Levels: RackLevel}, three, []int{0, 1, 6, 7}, []int{8}, []string{"1 1 of 2 2", "10 1 of 2 2", "1 10 of 2 2", "10 10 of 2 2"}, "tor2", "by [2] 0:0=h6@[0] 0:1=h7@[1]", "[{0 false false [0 1]} {1 false false [2 3]}]"},
	} {
		j := mustLay(t, tc.system, tc.plan, tc.on, tc.servers)
		var say []string
		for _, c := range j.Layout.Cores {
			say = append(say, told(c.(host.Config).Servers[0]))
		}
		if does := parts(j, tc.sw); !slices.Equal(say, tc.say) || len(does) != 1 || does[0] != tc.does {
			t.Errorf("%s: workers say %q, want %q; %s does %q, want %q", name, say, tc.say, tc.sw, does, tc.does)
		}
		if got := fmt.Sprint(j.Layout.Dedicated[0].(server.Config).Racks); got != tc.racks {
			t.Errorf("%s: the server knows %s, want %s", name, got, tc.racks)
		}
	}
}

// Each server has a tree, a part of the sequence numbers, and places of its own; frames of a rack
// may come to it by any of the spines.
func TestSeveralServers(t *testing.T) {
	j := mustLay(t, System{ServerCount: 2, Threads: 3}, jobtest.LeafSpine(t), []int{0, 2, 3}, []int{1, 4})
	c := j.Layout.Cores[0].(host.Config)
	if got := told(c.Servers[0]) + ", " + told(c.Servers[1]); got != "1 1 of 1 2 direct, 1 1 of 1 2" {
		t.Errorf("h0 says %s", got)
	}
	if got := parts(j, "leaf0"); !slices.Equal(got, []string{"by [1] 1:0=h0@[0] 1:1=leaf1@[2 3]", "by [2] 0:0=h0@[0]"}) {
		t.Errorf("leaf0 does %q", got)
	}
	streams := wire.Split(wire.SequenceBits, 6)
	for k := range 2 {
		s := j.Layout.Dedicated[k].(server.Config)
		if want := []wire.Numbers{streams[k], streams[2+k], streams[4+k]}; !slices.Equal(s.Streams, want) {
			t.Errorf("server %d has the numbers %v, want %v", k, s.Streams, want)
		}
		if want := plan.Group(uint16(k)<<8 | 1); s.Flow.Dst != want || j.Layout.Trees[k].Group != want {
			t.Errorf("server %d sends to %v", k, s.Flow.Dst)
		}
	}
}

// A server must not move packets to an index of a place that none has come to.
func TestServersKnowThePlacesOfWindows(t *testing.T) {
	for indexing, want := range map[host.Indexing]int{host.ByPosition: 2 * 3 * 100, host.ByNumber: 0, host.Linear: 0} {
		j := mustLay(t, System{ServerCount: 2, Threads: 3, Span: 100, Unscaled: true, Indexing: indexing}, racks(t, 3), []int{0, 1}, []int{3, 4})
		for _, d := range j.Layout.Dedicated {
			if got := d.(server.Config).Places; got != want {
				t.Errorf("indexing %d: a server knows %d places, want %d", indexing, got, want)
			}
		}
	}
}

// Jobs of a lab share the table of their switch, whose parts are those of static indexing.
func TestMerge(t *testing.T) {
	p := jobtest.Plan(t, "rack", 9)
	tenant := func(id uint8, s System, on, servers []int) *job.Job {
		spec := jobtest.Spec(t, s, "rack", 2)
		spec.Plan, spec.ID, spec.On, spec.ServersOn, spec.Servers, spec.Virtual = p, id, on, servers, len(servers), true
		return jobtest.New(t, spec)
	}
	static := System{Indexing: host.Static, Parts: 2, Aggregators: 1001}
	jobs := []*job.Job{tenant(1, static, []int{0, 1}, []int{2}), tenant(2, static, []int{3, 4}, []int{5})}
	set, err := job.NewSet(jobs...)
	if err != nil {
		t.Fatal(err)
	}
	cfg := jobtest.Programs[engineConfig](t, set)[0].Program
	if cfg.Aggregators != 1001 || len(cfg.Jobs) != 2 || cfg.Jobs[0].ID != 1 || cfg.Jobs[1].ID != 2 {
		t.Errorf("the switch has %d aggregators and jobs %+v", cfg.Aggregators, cfg.Jobs)
	}
	for k, j := range jobs {
		c := j.Layout.Cores[0].(host.Config)
		if c.Base != 500*k || c.Part != 500 || c.Span != 500 {
			t.Errorf("job %d has %d aggregators from %d on, and a span of %d", k, c.Part, c.Base, c.Span)
		}
	}
	for want, other := range map[string]System{
		"give them the same atp.aggregators": {Aggregators: 7},
		"give them the same atp.age":         {Indexing: host.Static, Parts: 2, Aggregators: 1001, Age: units.Second},
	} {
		if other.Parts == 0 {
			other.Indexing = host.ByNumber
		}
		if _, err := job.NewSet(jobs[0], tenant(2, other, []int{3, 4}, []int{5})); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// What cannot be is refused by name, with what to do about it.
func TestRefusals(t *testing.T) {
	one, large := jobtest.Plan(t, "rack", 40), racks(t, 40)
	upTo := func(n int, more ...int) (out []int) {
		for i := range n {
			out = append(out, i)
		}
		return append(out, more...)
	}
	for want, tc := range map[string]struct {
		system      System
		plan        *plan.Plan
		on, servers []int
	}{
		"33 workers of the job are behind switch tor":                                                {System{}, one, upTo(33), []int{39}},
		"33 workers of the job are behind switch tor0":                                               {System{}, large, upTo(33), []int{80}},
		"racks of the job and workers behind tor0, the switch of server h39, are 33":                 {System{}, large, upTo(32, 40), []int{39}},
		"atp needs 2 hosts for parameter servers behind the workers, but those that are named are 1": {System{ServerCount: 2}, one, upTo(2), []int{2}},
		"mx480 of topology mx480 is a chassis of 6":                                                  {System{}, jobtest.Plan(t, "mx480", 6), upTo(3), []int{4}},
		"leave each of their streams 65534 sequence numbers":                                         {System{ServerCount: 16, Threads: 16, Aggregators: 65536}, jobtest.Plan(t, "rack", 20), upTo(2), upTo(18)[2:]},
		"16 threads to each of 17 servers are 272 streams":                                           {System{ServerCount: 17, Threads: 16}, jobtest.Plan(t, "rack", 20), upTo(2), upTo(19)[2:]},
		"atp.least-window=51 is more than the 50 packets":                                            {System{LeastWindow: 51, Span: 50}, one, upTo(2), []int{2}},
		"atp.timeout=5.279us is over before":                                                         {System{Timeout: 5279 * units.Nanosecond}, one, upTo(2), []int{2}},
		"atp.rehash=recycle gives an index":                                                          {System{Rehash: server.Recycle}, one, upTo(2), []int{2}},
		"atp.moves=place is for places of windows":                                                   {System{ByPlace: true, Indexing: host.ByNumber}, one, upTo(2), []int{2}},
		"atp.ring is of frames that wait to be copied":                                               {System{Ring: 9}, one, upTo(2), []int{2}},
		"0 aggregators divided by 1 leave a job of 1 streams too few":                                {System{Indexing: host.Static, Aggregators: None}, one, upTo(2), []int{2}},
	} {
		if _, err := laid(t, tc.system, tc.plan, tc.on, tc.servers); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	second := jobtest.Staffed(t, System{Indexing: host.Static}, "rack", 2)
	second.ID = 2
	if _, err := job.New(second); err == nil || !strings.Contains(err.Error(), "job 2 has no part of a table of 1: set atp.parts") {
		t.Errorf("a part for nobody: %v", err)
	}
	live := jobtest.Staffed(t, System{Copy: 60 * units.GbitPerSecond}, "rack", 2)
	if _, err := job.New(live); err == nil || !strings.Contains(err.Error(), "atp.copy is modelled under the virtual clock only") {
		t.Errorf("copying live: %v", err)
	}
}

// Windows and tables are divided by the scale as far as the round trip allows, and what cannot be
// is noted.
func TestScale(t *testing.T) {
	for _, tc := range []struct {
		system                    System
		scale                     int
		window, span, aggregators int
		notes                     int
	}{
		{System{}, 1, 200, 2048, 20_000, 0},
		{System{}, 2, 100, 1024, 10_000, 0},
		{System{}, 1000, 64, 64, 64, 2},
		{System{Aggregators: 10, Window: 5}, 100, 5, 64, 10, 2},
		{System{Unscaled: true}, 100, 200, 2048, 20_000, 1},
		{System{Aggregators: None}, 100, 64, 64, 0, 1},
		{System{Threads: 2, Span: 50, Unscaled: true}, 1, 100, 50, 20_000, 0},
		{System{Threads: 3}, 1000, 64, 64, 192, 2},
		{System{Threads: 4, Aggregators: 100, Indexing: host.Static, Unscaled: true}, 1, 100, 25, 100, 0},
	} {
		tc.system.Timeout = units.Millisecond
		spec := jobtest.Staffed(t, tc.system, "rack", 2)
		spec.Scale, spec.Virtual = tc.scale, true
		j := jobtest.New(t, spec)
		c := j.Layout.Cores[0].(host.Config)
		if c.Window != tc.window || c.Span != tc.span || c.Aggregators != tc.aggregators || len(j.Layout.Notes) != tc.notes {
			t.Errorf("%+v at scale %d: window %d, span %d, %d aggregators, notes %q", tc.system, tc.scale, c.Window, c.Span, c.Aggregators, j.Layout.Notes)
		}
	}
}

// A timeout is the paper's where packets in flight take less, live ten times as long, and as the
// scenario says.
func TestTimeouts(t *testing.T) {
	for _, tc := range []struct {
		system  System
		scale   int
		virtual bool
		want    units.Duration
		notes   int
	}{
		{System{Span: 100}, 1, true, units.Millisecond, 0},
		{System{Span: 100}, 1, false, 10 * units.Millisecond, 0},
		{System{Span: 100, Timeout: 2 * units.Millisecond}, 1, false, 2 * units.Millisecond, 0},
		{System{}, 1, true, 2 * 2048 * 330 * 8 * units.Nanosecond, 1},
		{System{}, 1, false, 10 * 2 * 2048 * 330 * 8 * units.Nanosecond, 0},
		{System{Copy: 100 * units.MbitPerSecond}, 1, true, 2 * 2048 * 306 * 80 * units.Nanosecond, 1}, // what a server copies (§5.5)
		{System{Timeout: units.Millisecond}, 1, true, units.Millisecond, 0},
	} {
		spec := jobtest.Staffed(t, tc.system, "rack", 2)
		spec.Scale, spec.Virtual = tc.scale, tc.virtual
		j := jobtest.New(t, spec)
		if got := j.Layout.Cores[0].(host.Config).Timeout; got != tc.want || len(j.Layout.Notes) != tc.notes {
			t.Errorf("%+v (virtual: %v): %v, notes %q, want %v", tc.system, tc.virtual, got, j.Layout.Notes, tc.want)
		}
	}
}

// The analytic time by hand: 67 blocks of 330 bytes with framing on links of 1 Gbit/s, by each worker
// and to the server; without aggregators 4 times as many to the server.
func TestTime(t *testing.T) {
	frames := func(n int) units.Duration { return units.Duration(n*330*8) * units.Nanosecond }
	for _, tc := range []struct {
		system System
		want   units.Duration
	}{
		{System{}, frames(68)},
		{System{Aggregators: None}, frames(4*67 + 1)},
		{System{Aggregators: None, ServerCount: 2}, frames(4*34 + 1)},
		{System{Window: 1}, 67 * frames(2)},
		{System{Aggregators: None, Copy: 100 * units.MbitPerSecond}, 4 * 67 * 306 * 8 * 10 * units.Nanosecond},
	} {
		spec := jobtest.Staffed(t, tc.system, "rack", 4)
		spec.Virtual = true
		if got := jobtest.New(t, spec).Layout.Time; got != tc.want {
			t.Errorf("%+v takes %v, want %v", tc.system, got, tc.want)
		}
	}
}

// What does not fit a chip runs on the reference program, and is noted; jobs that share a switch are
// on one of the two.
func TestPipes(t *testing.T) {
	p := jobtest.Plan(t, "rack", 20)
	pipe := Pipe{Pipeline: true, Timed: true}
	for name, tc := range map[string]struct {
		system      System
		on, servers []int
		fits        bool
		says        string
	}{
		"it fits":      {System{Pipe: pipe}, []int{0, 15}, []int{3}, true, ""},
		"a worker":     {System{Pipe: pipe}, []int{0, 16}, []int{3}, false, "tor uses port 16, and the 16 ports of one pipe serve jobs"},
		"a server":     {System{Pipe: pipe}, []int{0, 1}, []int{19}, false, "tor uses port 19"},
		"aggregators":  {System{Pipe: pipe, Aggregators: 22_529}, []int{0, 1}, []int{2}, false, "22529 aggregators are more than the 22528"},
		"not asked to": {System{Pipe: Pipe{Timed: true}}, []int{0, 1}, []int{2}, false, ""},
	} {
		tc.system.Timeout = units.Millisecond // and no note
		j := mustLay(t, tc.system, p, tc.on, tc.servers)
		c := j.Layout.Programs[0][0].(engineConfig)
		if got := c.Pipe == pipe; got != tc.fits || c.Pipe != pipe && c.Pipe != (Pipe{}) {
			t.Errorf("%s: it is %+v", name, c.Pipe)
		}
		if notes := strings.Join(j.Layout.Notes, " "); tc.says == "" && notes != "" || !strings.Contains(notes, tc.says) {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
	chip, plain := mustLay(t, System{Pipe: pipe}, p, []int{0, 1}, []int{2}), jobtest.Spec(t, System{}, "rack", 2)
	plain.Plan, plain.ID, plain.On, plain.ServersOn, plain.Servers, plain.Virtual = p, 2, []int{3, 4}, []int{5}, 1, true
	set, err := job.NewSet(chip, jobtest.New(t, plain))
	if err != nil {
		t.Fatal(err)
	}
	if c := jobtest.Programs[engineConfig](t, set)[0]; c.Pipe != (Pipe{}) || len(c.Program.Jobs) != 2 {
		t.Errorf("the switch of both is %+v with %d jobs", c.Pipe, len(c.Program.Jobs))
	}
	const note = "switch tor runs reference for all jobs, since not all of them can have pipeline with time"
	if cell := chip.Cell(); cell.Switch != job.Reference || !slices.Contains(cell.Notes, note) {
		t.Errorf("the job that asked for the chip ran on %q, notes %q", cell.Switch, cell.Notes)
	}
}
