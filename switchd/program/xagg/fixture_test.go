package xagg

import (
	"net/netip"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/xagg"
)

const (
	testValues    = wire.MinValues
	testJob       = 7
	server        = 1 << 31
	parent        = 1 << 30
	testIteration = 65535 // the next one wraps
)

// testConfig is a server with n workers below it, bits 0 to n-1, and a parent above.
func testConfig(n int, fragments uint32) Config {
	c := Config{
		Values: testValues, Fragments: fragments, Job: testJob, Host: server,
		MAC: inet.MAC{2, 0, 0, 0, 0, 9}, Addr: netip.MustParseAddr("10.0.0.9"),
		Up:     Next{MAC: inet.MAC{2, 0, 0, 0, 0, 8}, Addr: netip.MustParseAddr("10.0.0.8")},
		Window: Window{Current: testIteration, Ahead: 1},
	}
	for i := range n {
		c.Children = append(c.Children, Child{ID: 1 << i})
	}
	return c
}

// bench drives one aggregator.
type bench struct {
	t rapid.TB
	a *Aggregator
	c Config
}

func newBench(t rapid.TB, c Config) *bench {
	t.Helper()
	a, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t, a, c}
}

func (b *bench) reconfigure(change func(c *Config)) {
	b.t.Helper()
	change(&b.c)
	if err := b.a.Reconfigure(b.c); err != nil {
		b.t.Fatal(err)
	}
}

// packet is what a test sends: all values are v.
type packet struct {
	host, gradient uint32
	ahead          int // iterations after testIteration
	flags          wire.Flags
	v              int32
}

func (p packet) frame(c *Config) []byte {
	h := wire.Header{Host: p.host, Gradient: p.gradient, Job: c.Job, Iteration: testIteration + uint16(p.ahead), Flags: p.flags}
	path := wire.Path{Src: netip.MustParseAddr("10.0.0.1"), Dst: c.Addr, DstMAC: c.MAC}
	return wire.Frame(path, h, slices.Repeat([]int32{p.v}, c.Values))
}

// sent is a packet that came out.
type sent struct {
	h    wire.Header
	to   netip.Addr
	v    int32 // first and last value, where they are equal
	good bool  // own addresses, a right checksum
}

// take gives the aggregator a packet; out is nil where nothing came out.
func (b *bench) take(p packet) (out *sent) {
	b.t.Helper()
	f := p.frame(&b.c)
	if b.a.Receive(f) != Send {
		return nil
	}
	ip, values := inet.IPv4(f[inet.EtherLen:wire.HeaderOffset]), make([]int32, b.c.Values)
	wire.ReadValues(values, f[wire.ValuesOffset:])
	if values[0] != values[len(values)-1] {
		b.t.Fatalf("values differ: %v", values)
	}
	out = &sent{to: ip.Dst(), v: values[0]}
	out.good = ip.ChecksumOK() && ip.Src() == b.c.Addr && inet.Ether(f).Src() == b.c.MAC
	out.h.Read(f[wire.HeaderOffset:])
	return out
}

// counted returns a counter.
func (b *bench) counted(c Counter) uint64 { t := b.a.Tally(); return t[c] }
