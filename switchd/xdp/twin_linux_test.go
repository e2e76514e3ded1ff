package xdp

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/cilium/ebpf"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
)

var testGroup = netip.MustParseAddr("239.1.2.3")

// testConfig is a server between two workers, a server with two more below it, and a parent.
func testConfig(values int, fragments uint32) xagg.Config {
	return xagg.Config{
		Values: values, Fragments: fragments, Job: 7, Host: 1 << 31,
		MAC: inet.MAC{2, 0, 0, 0, 0, 9}, Addr: netip.MustParseAddr("10.0.0.9"), Group: testGroup,
		Children: []xagg.Child{{ID: 1}, {ID: 2}, {ID: 1 << 8, Below: 4 | 8}}, Parent: 1 << 30,
		Up:     xagg.Next{MAC: inet.MAC{2, 0, 0, 0, 0, 8}, Addr: netip.MustParseAddr("10.0.0.8")},
		Down:   xagg.Next{MAC: inet.MAC{1, 0, 0x5e, 1, 2, 4}, Addr: netip.MustParseAddr("239.1.2.4")},
		Window: xagg.Window{Current: 65534, Ahead: 1}, Checks: 64,
	}
}

// load returns a loaded program, which the test closes.
func load(t testing.TB, cfg xagg.Config) *Aggregator {
	t.Helper()
	netnstest.RequireRoot(t)
	a, err := Load(Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// receive runs the program on a frame by BPF_PROG_TEST_RUN.
func (a *Aggregator) receive(frame []byte) (xagg.Verdict, []byte, error) {
	out := make([]byte, len(frame)+256)
	o := ebpf.RunOptions{Data: frame, DataOut: out}
	ret, err := a.kernel.Xagg.Run(&o)
	verdicts := map[uint32]xagg.Verdict{1: xagg.Drop, 2: xagg.Pass, 4: xagg.Send}
	v, ok := verdicts[ret]
	if err == nil && !ok {
		err = fmt.Errorf("the program returns %d", ret)
	}
	return v, o.DataOut, err
}

// pair is the program and the machine that it has to equal.
type pair struct {
	t    rapid.TB
	a    *Aggregator
	twin *xagg.Aggregator
	cfg  xagg.Config
}

func newPair(t rapid.TB, cfg xagg.Config) *pair {
	t.Helper()
	a, err := Load(Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	twin, err := xagg.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &pair{t, a, twin, cfg}
}

// step gives both a frame, and compares verdicts and frames.
func (p *pair) step(frame []byte) xagg.Verdict {
	p.t.Helper()
	mine := slices.Clone(frame)
	want := p.twin.Receive(mine)
	got, out, err := p.a.receive(frame)
	if err != nil {
		p.t.Fatal(err)
	}
	if got != want || !bytes.Equal(out, mine) {
		p.t.Fatalf("frame % x: verdict %d and % x,\nthe machine says %d and % x", frame, got, out, want, mine)
	}
	return got
}

// compare holds everything that is kept against each other.
func (p *pair) compare() {
	p.t.Helper()
	tally, err := p.a.Tally()
	if err != nil || tally != p.twin.Tally() {
		p.t.Fatalf("counters %v %v, the machine has %v", tally.Counts(), err, p.twin.Tally())
	}
	checks, err := p.a.Drain(nil)
	if want := p.twin.Drain(nil); err != nil || !slices.Equal(checks, want) {
		p.t.Fatalf("check queue %v %v, the machine has %v", checks, err, want)
	}
	for _, c := range checks {
		lost, err := p.a.Lost(nil, c)
		if want := p.twin.Lost(nil, c); err != nil || !slices.Equal(lost, want) {
			p.t.Fatalf("%+v: lost %v %v, the machine says %v", c, lost, err, want)
		}
	}
	for g := uint32(1); g <= p.cfg.Fragments; g++ {
		p.element("sum", g, p.a.Sum, p.twin.Sum)
		p.element("result", g, p.a.Result, p.twin.Result)
	}
	p.batches("sum", p.a.Sums, p.twin.Sum)
	p.batches("result", p.a.Results, p.twin.Result)
}

// batches reads all elements but the first, and compares them.
func (p *pair) batches(kind string, kernel func(uint32, []xagg.Element) error, twin func(uint32) xagg.Element) {
	p.t.Helper()
	list := make([]xagg.Element, p.cfg.Fragments-1)
	err := kernel(2, list)
	for g := uint32(2); g <= p.cfg.Fragments; g++ {
		p.element(kind, g, func(uint32) (xagg.Element, error) { return list[g-2], err }, twin)
	}
}

func (p *pair) element(kind string, g uint32, kernel func(uint32) (xagg.Element, error), twin func(uint32) xagg.Element) {
	p.t.Helper()
	got, err := kernel(g)
	want := twin(g)
	if errors.Is(err, errNoTable) && want.Values == nil {
		return
	}
	if want.Values == nil {
		want.Values = make([]int32, p.cfg.Values)
	}
	if err != nil || got.Bitmap != want.Bitmap || got.Counter != want.Counter || got.Iteration != want.Iteration || !slices.Equal(got.Values, want.Values) {
		p.t.Fatalf("%s %d is %+v %v, the machine has %+v", kind, g, got, err, want)
	}
}

var rarely = append(make([]bool, 24), true)

// faults of drawn packets; most have none.
var faults = append(slices.Repeat([]string{""}, 24), "host", "kind", "index", "job", "length", "to", "IPv4", "cut", "padding")

// drawFrame draws a packet: mostly right, sometimes wrong in one way.
func drawFrame(t *rapid.T, cfg *xagg.Config) []byte {
	h := drawHeader(t, cfg)
	n, to := cfg.Values, rapid.SampledFrom([]netip.Addr{cfg.Addr, testGroup}).Draw(t, "to")
	fault := rapid.SampledFrom(faults).Draw(t, "fault")
	switch fault {
	case "host":
		h.Host = rapid.SampledFrom([]uint32{0, 3, 4, 8, 1 << 29, 1 << 31, 1<<32 - 1}).Draw(t, "forged host")
	case "kind":
		h.Flags ^= wire.Result
	case "index":
		h.Gradient = rapid.SampledFrom([]uint32{0, cfg.Fragments + 1, 1<<32 - 1}).Draw(t, "bad index")
	case "job":
		h.Job++
	case "length":
		n = rapid.SampledFrom([]int{0, 1, n - 1, n + 1, wire.MaxValues}).Draw(t, "length")
	case "to":
		to = netip.MustParseAddr("10.0.0.77")
	}
	v := rapid.Int32().Draw(t, "first value")
	values := make([]int32, n)
	for i := range values {
		values[i] = v * int32(i+1) // wraps
	}
	return bend(t, fault, wire.Frame(wire.Path{Src: netip.MustParseAddr("10.0.0.1"), Dst: to, DstMAC: cfg.MAC}, h, values))
}

// drawHeader draws a header that may be taken, of a child's or the parent's.
func drawHeader(t *rapid.T, cfg *xagg.Config) wire.Header {
	ahead := rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, -1, 2, 0x7fff, 0x8000}).Draw(t, "iteration")
	h := wire.Header{
		Host: rapid.SampledFrom([]uint32{1, 2, 4, 1 << 8, 1 << 30}).Draw(t, "host"), Gradient: rapid.Uint32Range(1, cfg.Fragments).Draw(t, "gradient"),
		Job: cfg.Job, Iteration: cfg.Window.Current + uint16(ahead), Flags: wire.Flags(rapid.Uint16Range(0, 3).Draw(t, "flags")),
	}
	if h.Host == 1<<30 {
		h.Flags |= wire.Result
	}
	return h
}

// bend makes a frame something else than XAgg's, cuts or pads it.
func bend(t *rapid.T, fault string, f []byte) []byte {
	switch fault {
	case "IPv4":
		f[rapid.IntRange(12, 33).Draw(t, "byte of IPv4")] ^= byte(1 << rapid.IntRange(0, 7).Draw(t, "bit"))
	case "cut":
		f = f[:rapid.IntRange(inet.EtherLen, len(f)).Draw(t, "cut to")]
	case "padding":
		f = append(f, make([]byte, rapid.IntRange(1, 64).Draw(t, "bytes"))...)
	}
	return f
}

// drawConfig draws a server, a root, a receiver or a server that passes results on.
func drawConfig(t *rapid.T) xagg.Config {
	cfg := testConfig(rapid.SampledFrom([]int{32, 33, 64, 256, 320}).Draw(t, "values per packet"), 3)
	cfg.Window.Ahead = rapid.Uint16Range(0, 1).Draw(t, "ahead")
	switch rapid.SampledFrom([]string{"server", "root", "collector", "receiver", "both", "both"}).Draw(t, "role") {
	case "server":
		cfg.Parent, cfg.Group, cfg.Down = 0, netip.Addr{}, xagg.Next{}
	case "root":
		cfg.Parent, cfg.Up = 0, xagg.Next{}
	case "collector":
		cfg.Parent, cfg.Up, cfg.Down = 0, xagg.Next{}, xagg.Next{}
	case "receiver":
		cfg.Children, cfg.Up, cfg.Down = nil, xagg.Next{}, xagg.Next{}
	}
	return cfg
}

// change moves the window by some iterations, and has hosts below a child that fails come by themselves,
// or the child again.
func (p *pair) change(iterations uint16, fails bool) {
	p.t.Helper()
	p.cfg.Window.Current += iterations
	switch {
	case len(p.cfg.Children) == 0:
	case fails:
		p.cfg.Children = []xagg.Child{{ID: 1}, {ID: 2}, {ID: 4}, {ID: 8}}
	default:
		p.cfg.Children = testConfig(p.cfg.Values, 1).Children
	}
	if err := errors.Join(p.twin.Reconfigure(p.cfg), p.a.Reconfigure(p.cfg)); err != nil {
		p.t.Fatal(err)
	}
}

// The program and the machine agree on every packet, and on everything kept, at all sizes.
func TestProgramEqualsMachine(t *testing.T) {
	netnstest.RequireRoot(t)
	var all xagg.Tally
	rapid.Check(t, func(t *rapid.T) {
		p := newPair(t, drawConfig(t))
		defer p.a.Close()
		for range rapid.IntRange(1, 150).Draw(t, "packets") {
			if rapid.SampledFrom(rarely).Draw(t, "change") {
				p.change(rapid.SampledFrom([]uint16{0, 0, 1, 1, 2, 0x9000}).Draw(t, "iterations"), rapid.Bool().Draw(t, "a child fails"))
			}
			p.step(drawFrame(t, &p.cfg))
		}
		for c, n := range p.twin.Tally() {
			all[c] += n
		}
		p.compare()
	})
	t.Logf("over all sequences: %v", all.Counts())
}

// Packets of each kind that there is, one by one: every counter is reached, at every size.
func TestEveryCounter(t *testing.T) {
	netnstest.RequireRoot(t)
	for values := wire.MinValues; values <= wire.MaxValues; values += 32 {
		cfg := testConfig(values, 2)
		cfg.Checks = 3
		p := newPair(t, cfg)
		frame := func(host, gradient uint32, job uint16, iteration int, flags wire.Flags) []byte {
			v := make([]int32, values)
			for i := range v {
				v[i] = 1<<30 + int32(i)
			}
			path := wire.Path{Src: netip.MustParseAddr("10.0.0.1"), Dst: cfg.Addr}
			return wire.Frame(path, wire.Header{Host: host, Gradient: gradient, Job: job, Iteration: cfg.Window.Current + uint16(iteration), Flags: flags}, v)
		}
		const up, down = 0, wire.Result
		for _, f := range [][]byte{
			frame(1, 1, 7, 0, up)[:33],            // passes
			frame(1, 1, 7, 0, up)[:100],           // length
			frame(1, 1, 8, 0, up),                 // other job
			frame(4, 1, 7, 0, up),                 // other host
			frame(1, 3, 7, 0, up),                 // index
			frame(1, 1, 7, -1, up),                // stale
			frame(1, 1, 7, 2, up),                 // early
			frame(1, 1, 7, 0, up),                 // added
			frame(1, 1, 7, 0, wire.EndOfGroup),    // duplicate, queued
			frame(2, 1, 7, 0, up),                 // added
			frame(1<<8, 1, 7, 0, up),              // added: wraps, finished, sent
			frame(2, 1, 7, 0, wire.Retransmit),    // sent again
			frame(1<<30, 1, 7, 0, down),           // stored and sent on
			frame(1, 2, 7, 1, up),                 // added to the next iteration, queued: the last of all
			frame(2, 2, 7, 0, up),                 // stale: the element is ahead
			frame(2, 2, 7, 1, up),                 // added, queued
			frame(1<<8, 2, 7, 1, wire.Retransmit), // finished; the queue is full
		} {
			p.step(f)
		}
		p.change(1, false)
		cfg = p.cfg
		cfg.Children = nil
		if err := errors.Join(p.twin.Reconfigure(cfg), p.a.Reconfigure(cfg)); err != nil {
			t.Fatal(err)
		}
		p.step(frame(1, 1, 7, 0, up)) // no table
		for c, n := range p.twin.Tally() {
			if n == 0 {
				t.Errorf("%d values: no packet is counted as %v", values, xagg.Counter(c))
			}
		}
		p.compare()
		if err := p.a.Close(); err != nil {
			t.Error(err)
		}
	}
}
