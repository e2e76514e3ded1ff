package atp

import (
	"encoding/json"
	"errors"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/strictjson"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
)

// good is a job with a server in the rack of worker 7, another two racks away, and two workers here.
func good(id uint8) *Job {
	workers := []Source{{Bit: 0, Ports: []sansio.Port{0}, Name: "h0", Workers: []uint8{0}}, {Bit: 5, Ports: []sansio.Port{1}, Name: "h1", Workers: []uint8{1}}}
	racks := []Source{{Bit: 31, Ports: []sansio.Port{4, 5}, Name: "leaf1", Workers: []uint8{2, 3}}, {Bit: 1, Ports: []sansio.Port{2}, Name: "h7", Workers: []uint8{7}}}
	return &Job{ID: id, Servers: []Server{
		{Addr: netip.AddrFrom4([4]byte{10, 1, id, 1}), Ports: []sansio.Port{9}, Levels: [2]Level{{Sources: workers}, {}}},
		{Addr: netip.AddrFrom4([4]byte{10, 1, id, 2}), Ports: []sansio.Port{3}, Levels: [2]Level{{}, {Sources: racks}}},
	}}
}

func newTable(t *testing.T, held ...Aggregator) *Table {
	t.Helper()
	out, err := NewTable(&Config{Node: "tor", Aggregators: 10}, slices.Values(held))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// other is the document of another program's job.
type other struct{}

func (other) Protocol() string { return "SwitchML" }

// A job that cannot be is refused by the name of what is wrong, and nothing has changed.
func TestRefusals(t *testing.T) {
	many := func(n int) (out []Source) {
		for i := range n {
			out = append(out, Source{Bit: uint8(i % 32), Ports: []sansio.Port{0}, Workers: []uint8{uint8(i)}})
		}
		return out
	}
	for name, c := range map[string]struct {
		change func(j *Job)
		reason dataplane.Reason
		what   string
	}{
		"id in use":                {func(j *Job) { j.ID = 1 }, dataplane.RefusedIDTaken, "there is a job 1 on tor"},
		"no server":                {func(j *Job) { j.Servers = nil }, dataplane.RefusedServer, "job 2 has no parameter server"},
		"no address":               {func(j *Job) { j.Servers[1].Addr = netip.Addr{} }, dataplane.RefusedServer, "a server at invalid IP"},
		"IPv6":                     {func(j *Job) { j.Servers[1].Addr = netip.MustParseAddr("::1") }, dataplane.RefusedServer, "a server at ::1"},
		"group":                    {func(j *Job) { j.Servers[1].Addr = netip.MustParseAddr("239.255.0.1") }, dataplane.RefusedServer, "a server at 239.255.0.1"},
		"unspecified":              {func(j *Job) { j.Servers[1].Addr = netip.MustParseAddr("0.0.0.0") }, dataplane.RefusedServer, "a server at 0.0.0.0"},
		"same address twice":       {func(j *Job) { j.Servers[1].Addr = j.Servers[0].Addr }, dataplane.RefusedServer, "two servers at 10.1.2.1"},
		"server without port":      {func(j *Job) { j.Servers[1].Ports = nil }, dataplane.RefusedServer, "10.1.2.2 is reached by no port"},
		"server by a bad port":     {func(j *Job) { j.Servers[1].Ports = []sansio.Port{1, -1} }, dataplane.RefusedServer, "10.1.2.2 is reached by ports [1 -1]"},
		"server by a port inside":  {func(j *Job) { j.Servers[1].Ports = []sansio.Port{dataplane.Inbound(0)} }, dataplane.RefusedServer, "10.1.2.2 is reached by ports"},
		"server by the fabric":     {func(j *Job) { j.Servers[1].Ports = []sansio.Port{dataplane.Fabric(0)} }, dataplane.RefusedServer, "10.1.2.2 is reached by ports"},
		"both levels":              {func(j *Job) { j.Servers[0].Levels[1] = j.Servers[1].Levels[1] }, dataplane.RefusedLevels, "both the first and the second edge switch"},
		"bit twice":                {func(j *Job) { j.Servers[0].Levels[0].Sources[1].Bit = 0 }, dataplane.RefusedSource, "sources h0 and h1 share bit 0"},
		"bit twice above":          {func(j *Job) { j.Servers[1].Levels[1].Sources[1].Bit = 31 }, dataplane.RefusedSource, "sources leaf1 and h7 share bit 31"},
		"bit beyond 32":            {func(j *Job) { j.Servers[0].Levels[0].Sources[1].Bit = 32 }, dataplane.RefusedSource, "source h1 has bit 32"},
		"33 sources":               {func(j *Job) { j.Servers[0].Levels[0].Sources = many(33) }, dataplane.RefusedManySources, "33 sources of one level"},
		"33 sources above":         {func(j *Job) { j.Servers[1].Levels[1].Sources = many(33) }, dataplane.RefusedManySources, "33 sources of one level"},
		"source without port":      {func(j *Job) { j.Servers[0].Levels[0].Sources[1].Ports = nil }, dataplane.RefusedSource, "source h1 comes by no port"},
		"source by a bad port":     {func(j *Job) { j.Servers[0].Levels[0].Sources[1].Ports = []sansio.Port{-1} }, dataplane.RefusedSource, "source h1 comes by ports [-1]"},
		"source without a worker":  {func(j *Job) { j.Servers[0].Levels[0].Sources[1].Workers = nil }, dataplane.RefusedSource, "source h1 has no workers"},
		"32 sources are fine":      {func(j *Job) { j.Servers[0].Levels[0].Sources = many(32) }, "", ""},
		"a switch between is fine": {func(j *Job) { j.Servers[0].Levels, j.Servers[1].Levels = [2]Level{}, [2]Level{} }, "", ""},
	} {
		tab := newTable(t)
		if _, err := tab.Add(good(1)); err != nil {
			t.Fatal(err)
		}
		j := good(2)
		c.change(j)
		_, err := tab.Add(j)
		if c.reason == "" {
			if err != nil || tab.Find(2) == nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var r *dataplane.Refusal
		if !errors.As(err, &r) || r.Reason != c.reason || !strings.Contains(r.What, c.what) || r.Fix == "" {
			t.Errorf("%s: %v, want %s: %s", name, err, c.reason, c.what)
		}
		if tab.Find(2) != nil || tab.Find(1) == nil {
			t.Errorf("%s: the jobs have changed", name)
		}
	}
	var r *dataplane.Refusal
	if _, err := newTable(t).Add(other{}); !errors.As(err, &r) || r.Reason != dataplane.RefusedProtocol {
		t.Errorf("another's job: %v", err)
	}
	if _, err := newTable(t).RemoveJob(0, 3); !errors.As(err, &r) || r.Reason != dataplane.RefusedUnknownJob {
		t.Errorf("no job: %v", err)
	}
}

func TestConfigIsRefused(t *testing.T) {
	for want, c := range map[string]Config{
		"65537 aggregators":    {Aggregators: wire.MaxAggregators + 1},
		"-1 aggregators":       {Aggregators: -1},
		"must not be negative": {Age: -1},
	} {
		if _, err := NewTable(&c, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := NewTable(&Config{Aggregators: wire.MaxAggregators}, nil); err != nil {
		t.Error(err)
	}
}

// A job is the same for the process that it is handed to.
func TestRoundTrip(t *testing.T) {
	want := Config{Node: "tor", Aggregators: 10, Age: units.Millisecond, Jobs: []Job{*good(7)}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Config
	if err := strictjson.Decode(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s is read as %+v, %v", text, got, err)
	}
}

// All 256 ids can be in use at once.
func TestAllIDs(t *testing.T) {
	tab := newTable(t)
	for id := range 256 {
		if got, err := tab.Add(good(uint8(id))); err != nil || int(got) != id {
			t.Fatalf("job %d: %d, %v", id, got, err)
		}
	}
}

// The table keeps nothing of a document.
func TestDocumentIsNotKept(t *testing.T) {
	tab, j := newTable(t), good(1)
	if _, err := tab.Add(j); err != nil {
		t.Fatal(err)
	}
	j.Servers[0].Ports[0], j.Servers[0].Levels[0].Sources[0].Ports[0], j.Servers[0].Addr = 77, 77, netip.MustParseAddr("1.2.3.4")
	s := tab.Find(1).server([4]byte{10, 1, 1, 1})
	if s == nil || s.ports[0] != 9 || s.parts[0].bits[0].ports[0] != 0 {
		t.Errorf("the job follows its document: %+v", s)
	}
}

func mask(workers ...uint8) (m trace.Mask) {
	for _, w := range workers {
		m.Set(w)
	}
	return m
}

// Who wonders why nothing moves is told of aggregators that lack packets, by whom they lack.
func TestOpen(t *testing.T) {
	tab := newTable(t)
	if _, err := tab.Add(good(1)); err != nil {
		t.Fatal(err)
	}
	racks, here := tab.Find(1).servers[1].parts[1], tab.Find(1).servers[0].parts[0]
	held := []Aggregator{
		{Index: 0, Job: 1, Sequence: 5, Bitmap: 1 << 31, Count: 1, Part: racks, Since: 30},
		{Index: 2, Job: 1, Sequence: 6, Bitmap: 1<<5 | 1, Count: 2, Part: here, Since: 10, ECN: true},
		{Index: 7, Job: 1, Sequence: 7, Bitmap: 1 << 5, Count: 1, Part: here, Since: 20},
		{Index: 8, Job: 4, Sequence: 1, Bitmap: 1, Count: 1, Since: 5},
	}
	tab.held = slices.Values(held)
	want := []dataplane.OpenBlock{
		{Job: 1, Block: 7, Have: mask(1), Want: mask(0, 1), Since: 20},
		{Job: 1, Block: 5, Have: mask(2, 3), Want: mask(2, 3, 7), Since: 30},
	}
	if got := tab.Open(10); !slices.Equal(got, want) {
		t.Errorf("open are %+v, want %+v", got, want)
	}
	if got := tab.Open(1); !slices.Equal(got, want[:1]) {
		t.Errorf("one open is %+v", got)
	}
	if got := tab.Sources(1); got != mask(0, 1, 2, 3, 7) {
		t.Errorf("sources %v", got)
	}
	if got := tab.Sources(4); got != (trace.Mask{}) || !tab.Remembers() {
		t.Errorf("sources of no job: %v; remembers: %v", got, tab.Remembers())
	}
	wantViews(t, tab)
	out, err := tab.RemoveJob(0, 1)
	if err != nil || out.OpenBlocks != 2 || tab.Find(1) != nil {
		t.Errorf("removed %+v, %v", out, err)
	}
	if got := tab.Open(10); len(got) != 0 {
		t.Errorf("of removed jobs are open: %+v", got)
	}
}

// rows writes a view as text.
func rows(t *dataplane.Table) (out []string) {
	for _, r := range t.Rows {
		var words []string
		for _, v := range r {
			words = append(words, v.String())
		}
		out = append(out, strings.Join(words, "|"))
	}
	return out
}

// wantViews checks the views of the table of [TestOpen].
func wantViews(t *testing.T, tab *Table) {
	t.Helper()
	now := units.Time(10 * units.Microsecond)
	for v, want := range map[dataplane.View][]string{
		dataplane.ViewJobs: {"1|2|5|2|2|3|0|0|0|0|0|0|0|"},
		dataplane.ViewSlots: {
			"4|8|1|1|||false|9.999", "1|2|6|2|2||true|9.999", "1|7|7|1|2|0|false|9.999", "1|0|5|1|2|7|false|9.999",
		},
		dataplane.ViewBitmap: {"0|1|5|1|0x80000000", "2|1|6|0|0x00000021", "7|1|7|0|0x00000020", "8|4|1||0x00000001"},
	} {
		got := tab.View(now, v, 10)
		if !slices.Equal(rows(&got), want) {
			t.Errorf("%s is %q, want %q", v, rows(&got), want)
		}
		for _, r := range got.Rows {
			if len(r) != len(got.Columns) {
				t.Errorf("%s: %d values in %d columns", v, len(r), len(got.Columns))
			}
		}
		if cut := tab.View(now, v, 1); len(cut.Rows) != 1 || cut.Total != len(want) {
			t.Errorf("%s: %d rows of %d", v, len(cut.Rows), cut.Total)
		}
	}
	slots := tab.View(now, dataplane.ViewSlots, 10)
	if want := []string{"job 1 has 3 of 10 aggregators, 30.0% of the table", "job 4, which is removed, has 1 of 10 aggregators, 10.0% of the table",
		"in use are 4 of 10 aggregators, 40.0% of the table"}; !slices.Equal(slots.Notes, want) {
		t.Errorf("notes %q", slots.Notes)
	}
	slots = tab.View(now.Add(DefaultAge), dataplane.ViewSlots, 10)
	if got, want := slots.Notes[len(slots.Notes)-1], "no packet for more than 10ms came to 4 of them: the next parameter packet"; !strings.HasPrefix(got, want) {
		t.Errorf("note %q, want %q", got, want)
	}
	if got := tab.View(now, dataplane.ViewMemory, 10); len(got.Columns) != 0 {
		t.Errorf("a view that there is not: %+v", got)
	}
}

// Frames to the port of ATP are claimed in transit, of whatever job; nothing else is.
func TestClaims(t *testing.T) {
	tab := newTable(t)
	for port, want := range map[uint16]dataplane.Claim{wire.Port: dataplane.InTransit, wire.Port + 1: dataplane.NotMine, 0: dataplane.NotMine} {
		h := inet.UDPHeader(inet.Flow{Src: netip.AddrFrom4([4]byte{1, 2, 3, 4}), Dst: netip.AddrFrom4([4]byte{10, 1, 1, 1}), SrcPort: wire.Port, DstPort: port})
		l, problem := inet.Parse(h)
		if got := tab.Claims(dataplane.Frame{Header: h, Layout: l, Problem: problem}); got != want {
			t.Errorf("port %d: claim %d, want %d", port, got, want)
		}
	}
	if got := tab.Claims(dataplane.Frame{Problem: inet.NotIPv4}); got != dataplane.NotMine {
		t.Errorf("no IPv4: claim %d", got)
	}
	if tab.Ports() != nil || tab.Wants() != (dataplane.Wants{Transit: true}) || tab.PhaseMattered() || tab.Remembers() {
		t.Error("ports, wants or timers of a program in transit")
	}
}

// Counters are kept by job beside the totals, and outlive their job, which begins anew when it is
// set up again.
func TestCounters(t *testing.T) {
	tab := newTable(t)
	for id := range uint8(2) {
		if _, err := tab.Add(good(id)); err != nil {
			t.Fatal(err)
		}
		tab.CountsOf(id)[Collisions] = uint64(10 + id)
	}
	tab.Pass("odd", 3)
	want := []sansio.Count{{Name: "atp-collisions", N: 21}, {Name: "atp/0/atp-collisions", N: 10}, {Name: "atp/1/atp-collisions", N: 11}, {Name: "odd", N: 3}}
	if got := tab.Counters(); !slices.Equal(got, want) {
		t.Errorf("counters %v, want %v", got, want)
	}
	out, err := tab.RemoveJob(0, 1)
	if err != nil || !slices.Equal(out.Counters, []sansio.Count{{Name: "atp-collisions", N: 11}}) {
		t.Errorf("removed %+v, %v", out, err)
	}
	tab.CountsOf(1)[Collisions]++
	want[0].N, want[2].N = 22, 12
	if got := tab.Counters(); !slices.Equal(got, want) {
		t.Errorf("counters %v, want %v", got, want)
	}
	if _, err := tab.Add(good(1)); err != nil || tab.Find(1).Counts != (Counts{}) {
		t.Errorf("a job begins with %v (%v)", tab.Find(1).Counts, err)
	}
	if got := tab.Counters(); !slices.Equal(got, want) {
		t.Errorf("counters %v, want %v", got, want)
	}
}

// Every counter has a name of its own.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for c := range counters {
		if n := c.String(); !strings.HasPrefix(n, "atp-") || seen[n] {
			t.Errorf("counter %d is %q", c, n)
		}
		seen[c.String()] = true
	}
}
