package tofino

import (
	"bytes"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// The test program. A packet has an operation and a slot behind UDP, and with
// operation opAdd 64 values: they are added to the slot, and in a second pass, through a port
// for recirculation, read. Where packets go is in the entries of table route, by the operation and by what
// the pass is.
const (
	opAdd = 1
	// others mean what a test says
	testPort = 5000
	loopPort = 15 // front port that is in loopback mode
)

// kinds of passes
const (
	passFirst = 0
	passBack  = 1
)

var routeParams = []ir.Param{
	{Name: "unicast", Bits: 1}, {Name: "port", Bits: 9}, {Name: "multicast", Bits: 1}, {Name: "group", Bits: 16}, {Name: "drop", Bits: 3},
	{Name: "resubmit", Bits: 1}, {Name: "mirror", Bits: 10}, {Name: "bypass", Bits: 1}, {Name: "queue", Bits: 5},
	{Name: "rid", Bits: 16}, {Name: "xid", Bits: 16}, {Name: "reason", Bits: 8},
}

var routeFields = []string{"ig.unicast", "ig.egress_port", "ig.multicast", "ig.mcast", "ig.drop", "ig.resubmit", "ig.mirror",
	"ig.bypass_egress", "ig.qid", "ig.rid", "ig.xid", "meta.reason"}

// route is what an entry of the table route says.
type route struct {
	unicast   bool
	port      DevPort
	multicast bool
	group     uint16
	drop      uint64
	resubmit  bool
	mirror    uint64
	bypass    bool
	queue     uint64
	rid, xid  uint64
	reason    uint64
	again     bool // with an internal header, for a port that leads back
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (r route) entry(op, pass, resubmitted uint64) ir.Entry {
	action := "send"
	if r.again {
		action = "again"
	}
	return ir.Entry{Values: []uint64{op, pass, resubmitted}, Action: action, Args: []uint64{
		bit(r.unicast), uint64(r.port), bit(r.multicast), uint64(r.group), r.drop, bit(r.resubmit), r.mirror, bit(r.bypass),
		r.queue, r.rid, r.xid, r.reason,
	}}
}

func to(n int) route { return route{unicast: true, port: FrontPort(n)} }

// testHeaders are Ethernet to UDP, the internal header and that of the test.
func testHeaders() []ir.Header {
	f := func(name string, bits int) ir.Field { return ir.Field{Name: name, Bits: bits} }
	array := func(name string) ir.Header {
		return ir.Header{Name: name, Fields: []ir.Field{{Name: "v", Bits: 32, Count: 32}}}
	}
	return []ir.Header{
		{Name: "md", Fields: []ir.Field{f("passes", 8)}},
		{Name: "eth", Fields: []ir.Field{f("dst", 48), f("src", 48), f("type", 16)}},
		{Name: "ipv4", Fields: []ir.Field{
			f("version", 8), f("tos", 8), f("length", 16), f("id", 16), f("fragment", 16), f("ttl", 8), f("protocol", 8),
			f("checksum", 16), f("src", 32), f("dst", 32),
		}},
		{Name: "udp", Fields: []ir.Field{f("src", 16), f("dst", 16), f("length", 16), f("checksum", 16)}},
		{Name: "h", Fields: []ir.Field{f("op", 8), f("slot", 8), f("n", 16)}},
		array("d0"), array("d1"),
	}
}

func testProgram() *ir.Program {
	always := func(op ir.OpKind, x, y ir.Term) []ir.Update {
		return []ir.Update{{If: ir.Always, Op: op, X: x, Y: y}}
	}
	out := func(t ir.Term) []ir.Output { return []ir.Output{{If: ir.Always, Value: t}} }
	values := func(run, dst string) ir.Action {
		return ir.Action{Name: run, Do: []ir.Op{{
			Kind: ir.Execute, Dst: dst, Register: "values[*]", Run: run, Index: ir.F("h.slot"),
			In: []ir.Operand{ir.F("d0.v[*]"), ir.F("d1.v[*]")},
		}}}
	}
	var set []ir.Op
	for i, p := range routeParams {
		set = append(set, ir.Op{Kind: ir.Set, Dst: routeFields[i], A: ir.P(p.Name)})
	}
	set = append(set, ir.Op{Kind: ir.Add, Dst: "meta.resubmit", A: ir.F("meta.resubmit"), B: ir.C(1)})
	md := func(name string, kind ir.OpKind) ir.Action {
		return ir.Action{Name: name, Params: routeParams, Do: append([]ir.Op{{Kind: kind, Dst: "md"}}, set...)}
	}
	return &ir.Program{
		Name: "adder", Headers: testHeaders(), Metadata: []ir.Field{{Name: "back", Bits: 8}, {Name: "resubmit", Bits: 8},
			{Name: "reason", Bits: 8}}, Bridged: []string{"meta.reason"},
		Registers: []ir.Register{
			{Name: "count", Size: 256, Bits: 16, Lanes: 1,
				Actions: []ir.RegAction{{Name: "up", Lo: always(ir.Add, ir.Lo, ir.One), Out: out(ir.NewLo)}}},
			{Name: "values", Copies: 32, Size: 256, Bits: 32, Lanes: 2, Actions: []ir.RegAction{
				{Name: "add", Lo: always(ir.Add, ir.Lo, ir.In0), Hi: always(ir.Add, ir.Hi, ir.In1), Out: out(ir.NewHi)},
				{Name: "read", Out: out(ir.Lo)},
			}},
		},
		Actions: []ir.Action{
			{Name: "is-back", Do: []ir.Op{{Kind: ir.Set, Dst: "meta.back", A: ir.C(1)}}},
			{Name: "up", Do: []ir.Op{{Kind: ir.Execute, Dst: "h.n", Register: "count", Run: "up", Index: ir.F("h.slot")}}},
			values("add", "d1.v[*]"), values("read", "d0.v[*]"), md("send", ir.Remove), md("again", ir.Validate),
			{Name: "address", Params: []ir.Param{{Name: "mac", Bits: 48}, {Name: "ip", Bits: 32}}, Do: []ir.Op{
				{Kind: ir.Set, Dst: "eth.dst", A: ir.P("mac")}, {Kind: ir.Set, Dst: "ipv4.dst", A: ir.P("ip")},
			}},
			{Name: "egress-drop", Params: []ir.Param{{Name: "bits", Bits: 3}}, Do: []ir.Op{{Kind: ir.Set, Dst: "eg.drop", A: ir.P("bits")}}},
			{Name: "stamp", Params: []ir.Param{{Name: "n", Bits: 16}}, Do: []ir.Op{{Kind: ir.Set, Dst: "h.n", A: ir.P("n")}}},
			{Name: "note", Do: []ir.Op{{Kind: ir.Set, Dst: "ipv4.ttl", A: ir.C(9)}, {Kind: ir.Set, Dst: "h.op", A: ir.C(2)}}},
		},
		Tables: []ir.Table{
			{Name: "where", Actions: []string{"is-back"}, Default: "is-back"},
			{Name: "count", Actions: []string{"up"}, Default: "up"},
			{Name: "values", Copies: 32, Keys: []ir.Key{{Field: "h.op", Kind: ir.Exact}, {Field: "meta.back", Kind: ir.Exact}},
				Actions: []string{"add", "read"}, Entries: []ir.Entry{
					{Values: []uint64{opAdd, passFirst}, Action: "add"}, {Values: []uint64{opAdd, passBack}, Action: "read"},
				}},
			{Name: "route", Keys: []ir.Key{{Field: "h.op", Kind: ir.Exact}, {Field: "meta.back", Kind: ir.Exact},
				{Field: "ig.resubmitted", Kind: ir.Exact}},
				Actions: []string{"send", "again"}, Size: 64, Counter: true},
			{Name: "copy", Keys: []ir.Key{{Field: "eg.rid", Kind: ir.Exact}}, Actions: []string{"address", "stamp", "egress-drop"},
				Size: 64},
			{Name: "mirrored", Keys: []ir.Key{{Field: "eg.mirrored", Kind: ir.Exact}}, Actions: []string{"note"},
				Entries: []ir.Entry{{Values: []uint64{3}, Action: "note"}}},
		},
		Ingress: ir.Gress{
			Parser: ingressParser(),
			Control: []ir.Step{
				{If: &ir.Cond{Valid: "md"}, Then: []ir.Step{{Apply: "where"}}},
				{If: &ir.Cond{Left: "meta.back", Op: ir.Equal, Right: ir.C(0)}, Then: []ir.Step{{Apply: "count"}}},
				{Apply: "values"}, {Apply: "route"},
			},
			Deparse: []string{"md", "eth", "ipv4", "udp", "h", "d0", "d1"}, Checksums: []string{"ipv4.checksum"},
		},
		Egress: ir.Gress{
			Parser: []ir.State{
				{Name: "start", Select: []string{"eg.port"}, Cases: portCases("leads-back"), Next: "ip"},
				{Name: "leads-back", Next: ir.Accept},
				{Name: "ip", Extract: []string{"eth", "ipv4", "udp", "h"}, Next: ir.Accept},
			},
			Control: []ir.Step{{If: &ir.Cond{Valid: "ipv4"}, Then: []ir.Step{{Apply: "copy"}, {Apply: "mirrored"}}}},
			Deparse: []string{"eth", "ipv4", "udp", "h"}, Checksums: []string{"ipv4.checksum"},
		},
	}
}

// portCases lead to a state for ports that lead back into a pipe.
func portCases(next string) []ir.Case {
	return []ir.Case{
		{Values: []uint64{uint64(Quad16(0))}, Masks: []uint64{0x7f &^ lanesPerPort}, Next: next}, // quads 16 and 17
		{Values: []uint64{uint64(FrontPort(loopPort))}, Next: next},
	}
}

func ingressParser() []ir.State {
	return []ir.State{
		{Name: "start", Select: []string{"ig.port"}, Cases: portCases("internal"), Next: "ether"},
		{Name: "internal", Extract: []string{"md"}, Next: "ether"},
		{Name: "ether", Extract: []string{"eth"}, Select: []string{"eth.type"},
			Cases: []ir.Case{{Values: []uint64{uint64(inet.TypeIPv4)}, Next: "ip"}}},
		{Name: "ip", Extract: []string{"ipv4", "udp", "h"}, Select: []string{"h.op"},
			Cases: []ir.Case{{Values: []uint64{opAdd}, Next: "values"}}, Next: ir.Accept},
		{Name: "values", Extract: []string{"d0", "d1"}, Next: ir.Accept},
	}
}

func place(tb tester) *fit.Program {
	tb.Helper()
	placed, err := fit.Place(testProgram())
	if err != nil {
		tb.Fatal(err)
	}
	return placed
}

// tester is a test or a property.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// bench is a chip with 15 front ports and one in loopback mode.
type bench struct {
	tb   tester
	c    *Chip
	eff  sansio.Effects
	sent []sent
}

// sent is a frame that left.
type sent struct {
	at    units.Time
	port  sansio.Port
	frame []byte
}

func testConfig(tb tester) Config {
	return Config{Node: "tor0", Program: place(tb), Ports: FrontPorts(loopPort), Loopback: []DevPort{FrontPort(loopPort)},
		Seed: rng.Root(1)}
}

func newBench(tb tester, change ...func(*Config)) *bench {
	tb.Helper()
	cfg := testConfig(tb)
	for _, f := range change {
		f(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return &bench{tb: tb, c: c}
}

func timed(change ...func(*Timing)) func(*Config) {
	return func(cfg *Config) {
		t := DefaultTiming()
		for _, f := range change {
			f(&t)
		}
		cfg.Timing = &t
	}
}

// route adds an entry.
func (b *bench) route(r route, op, pass, resubmitted uint64) *bench {
	b.tb.Helper()
	if _, err := b.c.AddEntry("route", r.entry(op, pass, resubmitted)); err != nil {
		b.tb.Fatal(err)
	}
	return b
}

// group sets a multicast group with one rid a port, from 1, and what copies are
// addressed to.
func (b *bench) group(id uint16, ports ...int) *bench {
	b.tb.Helper()
	var nodes []Node
	for i, p := range ports {
		rid := uint16(i + 1)
		nodes = append(nodes, Node{RID: rid, Ports: []DevPort{FrontPort(p)}})
		ip := host(p).As4()
		entry := ir.Entry{Values: []uint64{uint64(rid)}, Action: "address",
			Args: []uint64{uint64(p), uint64(ip[0])<<24 | uint64(ip[1])<<16 | uint64(ip[2])<<8 | uint64(ip[3])}}
		if _, err := b.c.AddEntry("copy", entry); err != nil {
			b.tb.Fatal(err)
		}
	}
	if err := b.c.SetGroup(id, nodes); err != nil {
		b.tb.Fatal(err)
	}
	return b
}

func host(port int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(port)}) }

// handle gives trains to the chip and takes what leaves.
func (b *bench) handle(now units.Time, in ...sansio.Arrival) *bench {
	b.c.Handle(now, in, &b.eff)
	return b.take(now)
}

// idle lets time go on until nothing is inside.
func (b *bench) idle() *bench {
	for at := b.c.NextDeadline(); at != units.Never; at = b.c.NextDeadline() {
		b.c.Expire(at, &b.eff)
		b.take(at)
	}
	return b
}

func (b *bench) take(now units.Time) *bench {
	for i := range b.eff.Sends {
		s := &b.eff.Sends[i]
		for _, port := range s.To {
			for f := range s.Train.Frames() {
				t := s.Train.Frame(f, nil)
				frame := append(bytes.Clone(t.Header), t.Body...)
				b.sent = append(b.sent, sent{now, port, append(frame, make([]byte, t.Unstored)...)})
			}
		}
	}
	b.eff.Reset()
	return b
}

// expect checks how many frames have left by which ports, and forgets them.
func (b *bench) expect(ports ...sansio.Port) []sent {
	b.tb.Helper()
	var got []sansio.Port
	for _, s := range b.sent {
		got = append(got, s.port)
	}
	if fmt.Sprint(got) != fmt.Sprint(ports) {
		b.tb.Fatalf("frames left by ports %v, want %v; counters %v", got, ports, b.c.Counters())
	}
	out := b.sent
	b.sent = nil
	return out
}

func (b *bench) count(name string, want uint64) {
	b.tb.Helper()
	for _, c := range b.c.Counters() {
		if c.Name == name {
			if c.N != want {
				b.tb.Fatalf("%s is %d, want %d", name, c.N, want)
			}
			return
		}
	}
	if want != 0 {
		b.tb.Fatalf("%s is 0, want %d; counters %v", name, want, b.c.Counters())
	}
}

// packetOf returns a packet of the test program.
func packetOf(op, slot byte, values ...byte) []byte {
	h := inet.UDPHeader(inet.Flow{
		SrcMAC: inet.MAC{2, 1}, DstMAC: inet.MAC{2, 2}, Src: netip.AddrFrom4([4]byte{10, 0, 1, 1}),
		Dst: netip.AddrFrom4([4]byte{10, 0, 1, 2}), SrcPort: 7, DstPort: testPort,
	})
	body := append([]byte{op, slot, 0, 0}, values...)
	inet.SetUDPBody(h, len(body))
	return append(h, body...)
}

// added returns a packet with 64 values of the form first, first+1 and so on.
func added(slot byte, first int) []byte {
	var values []byte
	for i := range 64 {
		values = append(values, 0, 0, byte((first+i)>>8), byte(first+i))
	}
	return packetOf(opAdd, slot, values...)
}

func arrival(port int, f []byte) sansio.Arrival {
	return sansio.Arrival{Port: sansio.Port(port), Train: sansio.NewTrain(f, 0, sansio.ChecksumAsIs)}
}

// train returns packets of one flow and length as one train.
func train(port int, frames ...[]byte) sansio.Arrival {
	all := bytes.Clone(frames[0])
	for _, f := range frames[1:] {
		all = append(all, f[inet.UDPHeaders:]...)
	}
	inet.SetUDPBody(all, len(all)-inet.UDPHeaders)
	return sansio.Arrival{Port: sansio.Port(port), Train: sansio.NewTrain(all, len(frames[0])-inet.UDPHeaders, sansio.ChecksumPartial)}
}
