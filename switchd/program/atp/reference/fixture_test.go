package reference

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
)

var (
	_ dataplane.Engine  = (*Engine)(nil)
	_ dataplane.Managed = (*Engine)(nil)
	_ dataplane.Watched = (*Engine)(nil)
)

// Who is where in the tests of one switch. Port 9 leads to the servers.
const (
	serverPort sansio.Port = 9
	elsewhere  sansio.Port = 8 // leads to nobody of the jobs
)

func serverAddr(job uint8) netip.Addr { return netip.AddrFrom4([4]byte{10, 1, job, 1}) }
func workerAddr(w int) netip.Addr     { return netip.AddrFrom4([4]byte{10, 0, 0, byte(w)}) }

// first is a job with n workers behind the switch, which is the rack of bit 1 of two.
func first(id uint8, n int) atp.Job {
	s := atp.Server{Addr: serverAddr(id), Ports: []sansio.Port{serverPort}}
	for w := range n {
		s.Levels[0].Sources = append(s.Levels[0].Sources, atp.Source{Bit: uint8(w), Ports: []sansio.Port{sansio.Port(w)}, Name: fmt.Sprint("w", w), Workers: []uint8{uint8(w)}})
	}
	return atp.Job{ID: id, Servers: []atp.Server{s}}
}

// second is a job for whose server the switch is the second: with worker 0 in its rack, and
// racks of bits 1 and 2 by ports 5 or 6, and 7.
func second(id uint8) atp.Job {
	s := atp.Server{Addr: serverAddr(id), Ports: []sansio.Port{serverPort}}
	s.Levels[1].Sources = []atp.Source{
		{Bit: 0, Ports: []sansio.Port{0}, Name: "w0", Workers: []uint8{0}},
		{Bit: 1, Ports: []sansio.Port{5, 6}, Name: "rack1", Workers: []uint8{1, 2}},
		{Bit: 2, Ports: []sansio.Port{7}, Name: "rack2", Workers: []uint8{3}},
	}
	return atp.Job{ID: id, Servers: []atp.Server{s}}
}

// bench drives one engine and takes apart what it sends.
type bench struct {
	t      rapid.TB
	e      *Engine
	eff    sansio.Effects
	now    units.Time
	events []trace.Event
}

func (b *bench) Event(e *trace.Event) { b.events = append(b.events, *e) }

// newBench makes an engine with 8 aggregators, where nothing else is said.
func newBench(t rapid.TB, jobs ...atp.Job) *bench {
	t.Helper()
	return newBenchOf(t, atp.Config{Aggregators: 8, Jobs: jobs})
}

func newBenchOf(t rapid.TB, cfg atp.Config) *bench {
	t.Helper()
	b := &bench{t: t}
	cfg.Node, cfg.Trace = "tor", b
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.e = e
	return b
}

// pkt is a packet that comes, of which all 62 values are alike.
type pkt struct {
	h        wire.Header
	port     sansio.Port
	src, dst netip.Addr
	codept   uint8
	value    int32
	id       uint16
	unstored bool
}

// grad is a packet of worker w in the rack of [first], of job 1 with aggregator 2.
func grad(w int, seq uint32) pkt {
	return pkt{
		h:    wire.Header{Bitmaps: [2]uint32{1 << w, 2}, Job: 1, Sequence: seq, Index: 2, FanIns: [2]uint8{3, 2}},
		port: sansio.Port(w), src: workerAddr(w), dst: serverAddr(1), codept: inet.ECT0, value: int32(1 + w),
	}
}

// rackSum is a packet of position b at [second]: worker 0, or the sum of a rack.
func rackSum(b int, seq uint32) pkt {
	full := []uint32{1, 3, 1}[b]
	return pkt{
		h:    wire.Header{Bitmaps: [2]uint32{full, 1 << b}, Job: 1, Sequence: seq, Index: 2, FanIns: [2]uint8{1, 3}, Flags: wire.EdgeSwitch},
		port: []sansio.Port{0, 5, 7}[b], src: workerAddr(b), dst: serverAddr(1), codept: inet.ECT0, value: int32(10 * (1 + b)),
	}
}

// param is a parameter packet of job 1 for aggregator 2.
func param(seq uint32) pkt {
	return pkt{
		h:    wire.Header{Job: 1, Sequence: seq, Index: 2, FanIns: [2]uint8{3, 2}, Flags: wire.IsAck},
		port: serverPort, src: serverAddr(1), dst: netip.MustParseAddr("239.255.0.1"), codept: inet.ECT0, value: 99,
	}
}

func (p pkt) at(index uint16) pkt       { p.h.Index = index; return p }
func (p pkt) flags(f wire.Flags) pkt    { p.h.Flags |= f; return p }
func (p pkt) resend() pkt               { return p.flags(wire.Resend) }
func (p pkt) by(port sansio.Port) pkt   { p.port = port; return p }
func (p pkt) fans(f0, f1 uint8) pkt     { p.h.FanIns = [2]uint8{f0, f1}; return p }
func (p pkt) bitmaps(b0, b1 uint32) pkt { p.h.Bitmaps = [2]uint32{b0, b1}; return p }
func (p pkt) val(v int32) pkt           { p.value = v; return p }
func (p pkt) marked() pkt               { p.codept = inet.CE; return p }
func (p pkt) withID(id uint16) pkt      { p.id = id; return p }
func (p pkt) to(a netip.Addr) pkt       { p.dst = a; return p }
func (p pkt) from(a netip.Addr) pkt     { p.src = a; return p }
func (p pkt) unstoredValues() pkt       { p.unstored = true; return p }
func (p pkt) job(id uint8) pkt          { p.h.Job = id; p.dst = serverAddr(id); return p }
func (p pkt) paramOf(id uint8) pkt      { p.h.Job = id; p.src = serverAddr(id); return p }

func (p pkt) payload() []byte {
	b := make([]byte, p.h.Len(), wire.DeepPayloadLen(p.h.Levels()))
	p.h.Put(b)
	for !p.unstored && len(b) < cap(b) {
		b = binary.BigEndian.AppendUint32(b, uint32(p.value))
	}
	return b
}

// arrival makes one train of packets, whose headers are those of the first.
func arrival(ps ...pkt) sansio.Arrival {
	p := ps[0]
	f := inet.Flow{SrcMAC: inet.MAC{2, 0, 0, 1, 0, 1}, DstMAC: inet.MAC{2, 0, 0, 1, 0, 2}, Src: p.src, Dst: p.dst, SrcPort: 4711, DstPort: wire.PortOf(p.h.Levels())}
	t := sansio.Train{Header: inet.UDPHeader(f), Checksum: sansio.ChecksumPartial}
	for _, q := range ps {
		t.Body = append(t.Body, q.payload()...)
	}
	t.Seg = len(ps[0].payload())
	t.Unstored = wire.DeepPayloadLen(p.h.Levels()) - t.Seg
	ip := inet.IPv4(t.Header[inet.EtherLen:])
	ip.SetID(p.id)
	inet.SetUDPBody(t.Header, t.PayloadBytes())
	ip.SetECN(p.codept)
	sansio.FillPartial(t.Header, t.PayloadBytes())
	return sansio.Arrival{Port: dataplane.Inbound(p.port), Train: t}
}

// send hands packets over one by one and returns what went on, in words.
func (b *bench) send(ps ...pkt) string {
	b.t.Helper()
	var out []string
	for _, p := range ps {
		b.e.Handle(b.now, []sansio.Arrival{arrival(p)}, &b.eff)
		out = append(out, b.collect(p.port)...)
	}
	return strings.Join(out, ", ")
}

// frame is a frame that went on.
type frame struct {
	h        wire.Header
	header   []byte // Ethernet to UDP
	payload  []byte
	unstored int
}

// frames takes the sends apart, all of which must have left by one port, with headers that are right.
func (b *bench) frames(port sansio.Port) (out []frame) {
	b.t.Helper()
	for _, s := range b.eff.Sends {
		if !slices.Equal(s.To, []sansio.Port{dataplane.Inbound(port)}) {
			b.t.Fatalf("a packet that came by port %d leaves by %v", port, s.To)
		}
		for i := range s.Train.Frames() {
			f := s.Train.Frame(i, nil)
			out = append(out, b.frame(&f))
		}
	}
	b.eff.Reset()
	return out
}

func (b *bench) frame(t *sansio.Train) frame {
	b.t.Helper()
	ip, udp, ok := t.UDP()
	if !ok || !ip.ChecksumOK() || udp.Len() != inet.UDPLen+t.PayloadBytes() || ip.TotalLen() != inet.IPv4Len+udp.Len() {
		b.t.Fatalf("headers %x of %d bytes behind", t.Header, t.PayloadBytes())
	}
	if t.Checksum == sansio.ChecksumPartial && binary.BigEndian.Uint16(udp[6:]) != inet.PseudoSum(ip, udp.Len()) {
		b.t.Fatalf("a partial checksum that is none: % x", t.Header)
	}
	f := frame{header: slices.Clone(t.Header), payload: slices.Clone(t.Body), unstored: t.Unstored}
	if udp.DstPort() == wire.DeepPort {
		f.h.ReadDeep(f.payload, f.unstored)
	} else {
		f.h.Read(f.payload, f.unstored)
	}
	return f
}

// collect takes the sends apart and returns them in words: bitmaps, flags, value.
func (b *bench) collect(port sansio.Port) (out []string) {
	b.t.Helper()
	for _, f := range b.frames(port) {
		out = append(out, f.String())
	}
	return out
}

// String has the bitmaps, flags by their first letters (m: marked), and the value that all elements have.
func (f frame) String() string {
	s := fmt.Sprintf("%b/%b", f.h.Bitmaps[0], f.h.Bitmaps[1])
	for level := 2; level < f.h.Levels(); level++ {
		s += fmt.Sprintf("/%b", f.h.Bitmap(level))
	}
	if f.h.Upper.Levels > 0 {
		s += fmt.Sprintf(" to %d", f.h.Next())
	}
	flags := ""
	for i, letter := range "oaemcr" {
		if f.h.Flags.Has(1 << i) {
			flags = string(letter) + flags
		}
	}
	if flags != "" {
		s += " " + flags
	}
	if inet.IPv4(f.header[inet.EtherLen:]).ECN() == inet.CE {
		s += " CE"
	}
	if f.unstored > 0 {
		return s + " unstored"
	}
	v := binary.BigEndian.Uint32(f.payload[f.h.Len():])
	for i := f.h.Len(); i < len(f.payload); i += 4 {
		if binary.BigEndian.Uint32(f.payload[i:]) != v {
			return s + fmt.Sprintf(" values differ: % x", f.payload[f.h.Len():])
		}
	}
	return s + fmt.Sprintf(" =%d", int32(v))
}

// state describes the aggregators that are not free: index, job, number, bitmap, packets, mark.
func (b *bench) state() string {
	var out []string
	for a := range b.e.held {
		s := fmt.Sprintf("%d: %d.%d %b n%d", a.Index, a.Job, a.Sequence, a.Bitmap, a.Count)
		if a.ECN {
			s += " m"
		}
		out = append(out, s)
	}
	if len(out) != b.e.inUse {
		b.t.Fatalf("%d aggregators in use, said are %d", len(out), b.e.inUse)
	}
	return strings.Join(out, ", ")
}

func (b *bench) count(name string) uint64 { return sansio.CountOf(b.e.Counters(), name) }

func (b *bench) wantCounts(want map[atp.Counter]uint64) {
	b.t.Helper()
	for c, n := range want {
		if got := b.count(c.String()); got != n {
			b.t.Errorf("%s: %d, want %d", c, got, n)
		}
	}
}

// step is a packet, what goes on because of it, and which aggregators are not free then.
type step struct {
	in    pkt
	out   string
	state string
}

func (b *bench) run(steps []step) {
	b.t.Helper()
	for i, s := range steps {
		if got := b.send(s.in); got != s.out {
			b.t.Fatalf("step %d: %q goes on, want %q", i, got, s.out)
		}
		if got := b.state(); got != s.state {
			b.t.Fatalf("step %d: aggregators %q, want %q", i, got, s.state)
		}
	}
}
