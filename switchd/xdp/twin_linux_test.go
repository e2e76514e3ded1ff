package xdp

import (
	"bytes"
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

// testConfig is a server between two workers, a server with two more below it, and a parent.
func testConfig(values int, fragments uint32) xagg.Config {
	return xagg.Config{
		Values: values, Fragments: fragments, Job: 7, Host: 1 << 31,
		MAC: inet.MAC{2, 0, 0, 0, 0, 9}, Addr: netip.MustParseAddr("10.0.0.9"), Group: netip.MustParseAddr("239.1.2.3"),
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
	verdicts := map[uint32]xagg.Verdict{1: xagg.Drop, 2: xagg.Pass, 3: xagg.Send}
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
	for g := uint32(1); g <= p.cfg.Fragments; g++ {
		p.element("sum", g, p.a.Sum, p.twin.Sum)
		p.element("result", g, p.a.Result, p.twin.Result)
	}
}

func (p *pair) element(kind string, g uint32, kernel func(uint32) (xagg.Element, error), twin func(uint32) xagg.Element) {
	p.t.Helper()
	got, err := kernel(g)
	want := twin(g)
	if want.Values == nil {
		want.Values = make([]int32, p.cfg.Values)
	}
	if err != nil || got.Bitmap != want.Bitmap || got.Counter != want.Counter || got.Iteration != want.Iteration || !slices.Equal(got.Values, want.Values) {
		p.t.Fatalf("%s %d is %+v %v, the machine has %+v", kind, g, got, err, want)
	}
}

// drawFrame draws a packet: mostly right, sometimes wrong in one way.
func drawFrame(t *rapid.T, cfg *xagg.Config) []byte {
	one := func(name string, n int) bool { return rapid.IntRange(1, n).Draw(t, name) == 1 }
	h := wire.Header{
		Host: rapid.SampledFrom([]uint32{1, 2, 1 << 8, 1 << 30}).Draw(t, "host"), Gradient: rapid.Uint32Range(1, cfg.Fragments).Draw(t, "gradient"),
		Job: cfg.Job, Iteration: cfg.Window.Current + uint16(rapid.SampledFrom([]int{0, 0, 0, 1, -1, 2, 0x7fff, 0x8000}).Draw(t, "iteration")),
		Flags: wire.Flags(rapid.Uint16Range(0, 3).Draw(t, "flags")),
	}
	if h.Host == 1<<30 {
		h.Flags |= wire.Result
	}
	if one("forge", 8) {
		h.Host = rapid.SampledFrom([]uint32{0, 3, 4, 8, 1 << 29, 1 << 31, 1<<32 - 1}).Draw(t, "forged host")
	}
	if one("other kind", 16) {
		h.Flags ^= wire.Result
	}
	if one("other index", 16) {
		h.Gradient = rapid.SampledFrom([]uint32{0, cfg.Fragments + 1, 1<<32 - 1}).Draw(t, "bad index")
	}
	if one("other job", 16) {
		h.Job++
	}
	n := cfg.Values
	if one("other length", 16) {
		n = rapid.SampledFrom([]int{0, 1, n - 1, n + 1, wire.MaxValues}).Draw(t, "length")
	}
	values := rapid.SliceOfN(rapid.Int32(), n, n).Draw(t, "values")
	p := wire.Path{Src: netip.MustParseAddr("10.0.0.1"), Dst: rapid.SampledFrom([]netip.Addr{cfg.Addr, cfg.Addr, cfg.Group}).Draw(t, "to"), DstMAC: cfg.MAC}
	return bend(t, wire.Frame(p, h, values))
}

// bend sometimes makes a frame something else than XAgg's, cuts or pads it.
func bend(t *rapid.T, f []byte) []byte {
	switch rapid.IntRange(1, 40).Draw(t, "bend") {
	case 1:
		f[rapid.IntRange(12, 33).Draw(t, "byte of IPv4")] ^= byte(1 << rapid.IntRange(0, 7).Draw(t, "bit"))
	case 2:
		f = f[:rapid.IntRange(inet.EtherLen, len(f)).Draw(t, "cut")]
	case 3:
		f = append(f, make([]byte, rapid.IntRange(1, 64).Draw(t, "padding"))...)
	}
	return f
}

// The program and the machine agree on every packet, and on everything kept, at all sizes.
func TestProgramEqualsMachine(t *testing.T) {
	netnstest.RequireRoot(t)
	rapid.Check(t, func(t *rapid.T) {
		cfg := testConfig(rapid.SampledFrom([]int{32, 33, 64, 256, 320}).Draw(t, "values per packet"), 3)
		p := newPair(t, cfg)
		defer p.a.Close()
		for range rapid.IntRange(1, 60).Draw(t, "packets") {
			if rapid.IntRange(1, 10).Draw(t, "move the window") == 1 {
				cfg.Window.Current++
				p.twin.SetWindow(cfg.Window)
				if err := p.a.SetWindow(cfg.Window); err != nil {
					t.Fatal(err)
				}
			}
			p.step(drawFrame(t, &cfg))
		}
		p.compare()
	})
}
