package reference

import (
	"bytes"
	"encoding/binary"
	"net/netip"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

var _ dataplane.Engine = (*Program)(nil)

const (
	elements          = 64 // smallest variant
	clientPort uint16 = 4711
)

func workerAddr(w int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(w >> 8), byte(w)}) }

func routerAddr() netip.Addr { return netip.MustParseAddr("10.9.9.9") }

func workerMAC(w int) inet.MAC { return inet.MAC{2, 0, 0, 1, byte(w >> 8), byte(w)} }

func testConfig(n, slots int) switchml.Config {
	job := switchml.Job{ID: 1, Elements: elements, Slots: slots}
	for w := range n {
		job.Workers = append(job.Workers, switchml.Worker{MAC: workerMAC(w), Addr: workerAddr(w), Port: sansio.Port(w)})
	}
	return switchml.Config{Node: "tor", Router: routerAddr(), MAC: inet.MAC{2, 9, 9, 9, 9, 9}, Jobs: []switchml.Job{job}}
}

// bench drives one program and takes its results apart.
type bench struct {
	t      rapid.TB
	p      *Program
	eff    sansio.Effects
	events []trace.Event
	out    []output
	id     uint32
}

// output is a packet that left for one worker.
type output struct {
	to     int
	h      wire.Header
	values []int32
	flow   inet.Flow
}

func (b *bench) Event(e *trace.Event) { b.events = append(b.events, *e) }

// job returns the first job.
func (b *bench) job() *job { return b.p.Jobs()[0] }

func newBench(t rapid.TB, cfg switchml.Config) *bench {
	t.Helper()
	b := &bench{t: t}
	cfg.Trace = b
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.p = p
	return b
}

// vector is Algorithm 3's p(wid, ver, idx, off, vector); values after the given
// ones repeat the last.
type vector struct {
	w      int
	set    uint8
	slot   uint16
	id     uint32
	e0, e1 int8
	values []int32
}

func (v vector) payload() []byte {
	b := make([]byte, wire.HeaderLen)
	wire.Header{Type: wire.TypeConsume, Size: 1, Job: 3, PacketID: v.id, Set: v.set, Slot: v.slot, E0: v.e0, E1: v.e1}.Put(b)
	for i := range elements {
		b = binary.BigEndian.AppendUint32(b, uint32(v.values[min(i, len(v.values)-1)]))
	}
	return b
}

// arrival wraps payloads of one worker into a train.
func arrival(w int, payloads ...[]byte) sansio.Arrival {
	body := bytes.Join(payloads, nil)
	flow := inet.Flow{SrcMAC: workerMAC(w), DstMAC: inet.MAC{2, 9, 9, 9, 9, 9}, Src: workerAddr(w), Dst: routerAddr(), SrcPort: clientPort, DstPort: wire.Port}
	header := inet.UDPHeader(flow)
	inet.SetUDPBody(header, len(body))
	inet.IPv4(header[inet.EtherLen:]).SetChecksum(0) // as the public client leaves it
	return sansio.Arrival{Port: sansio.Port(w), Train: sansio.Train{Header: header, Body: body, Seg: len(payloads[0])}}
}

// send hands packets over one by one and returns what left.
func (b *bench) send(vs ...vector) []output {
	before := len(b.out)
	for _, v := range vs {
		b.handle(arrival(v.w, v.payload()))
	}
	return b.out[before:]
}

func (b *bench) handle(in ...sansio.Arrival) []output {
	before := len(b.out)
	b.p.Handle(0, in, &b.eff)
	for _, a := range in {
		for i := range a.Train.Body {
			a.Train.Body[i] = 0xdb // borrowed until here
		}
	}
	b.collect()
	return b.out[before:]
}

func (b *bench) collect() {
	b.t.Helper()
	for _, s := range b.eff.Sends {
		if len(s.To) != 1 {
			b.t.Fatalf("a packet leaves by %d ports", len(s.To))
		}
		for i := range s.Train.Frames() {
			f := s.Train.Frame(i, nil)
			b.out = append(b.out, b.parse(s.To[0], append(append([]byte(nil), f.Header...), f.Body...)))
		}
	}
	b.eff.Reset()
}

// parse checks what the public client relies on: exact lengths, a correct IP
// checksum, TTL 64, zero type of service, identification and flags.
func (b *bench) parse(port sansio.Port, frame []byte) output {
	b.t.Helper()
	l, problem := inet.Parse(frame)
	ip := inet.IPv4(frame[inet.EtherLen:])
	if problem != inet.OK || l.End != len(frame) || inet.UDP(frame[l.Transport:]).Len() != len(frame)-l.Transport {
		b.t.Fatalf("result frame %x: %q", frame[:inet.UDPHeaders], problem)
	}
	if !ip.ChecksumOK() || ip.TTL() != 64 || ip[1] != 0 || ip.ID() != 0 || ip[6] != 0 || ip[7] != 0 {
		b.t.Fatalf("IP header %x", ip[:inet.IPv4Len])
	}
	h, bad := wire.Parse(frame[l.Body:])
	if bad != wire.OK {
		b.t.Fatalf("result is no packet of SwitchML: %s", bad)
	}
	o := output{to: int(port), h: h, flow: inet.FlowOf(frame, l)}
	want := inet.Flow{SrcMAC: inet.MAC{2, 9, 9, 9, 9, 9}, DstMAC: workerMAC(o.to), Src: routerAddr(), Dst: workerAddr(o.to), SrcPort: wire.Port, DstPort: clientPort}
	if o.flow != want {
		b.t.Fatalf("result goes %+v, want %+v", o.flow, want)
	}
	for i := l.Body + wire.HeaderLen; i < len(frame); i += 4 {
		o.values = append(o.values, int32(binary.BigEndian.Uint32(frame[i:])))
	}
	return o
}

func (b *bench) count(name string) uint64 {
	for _, c := range b.p.Counters() {
		if c.Name == name {
			return c.N
		}
	}
	return 0
}

func (b *bench) wantCounts(want map[string]uint64) {
	b.t.Helper()
	for name, n := range want {
		if got := b.count(name); got != n {
			b.t.Errorf("%s: %d, want %d", name, got, n)
		}
	}
}

// wantMulticast checks that every worker got one copy with that first value.
func (b *bench) wantMulticast(out []output, value int32) {
	b.t.Helper()
	if len(out) != len(b.job().Workers) {
		b.t.Fatalf("%d packets left, want one for each of %d workers", len(out), len(b.job().Workers))
	}
	for w, o := range out {
		if o.to != w || o.values[0] != value {
			b.t.Fatalf("packet %d goes to worker %d with %d, want %d", w, o.to, o.values[0], value)
		}
	}
}

// wantUnicast checks that only worker w got a packet.
func (b *bench) wantUnicast(out []output, w int, value int32) {
	b.t.Helper()
	if len(out) != 1 || out[0].to != w || out[0].values[0] != value {
		b.t.Fatalf("%+v left, want %d to worker %d alone", out, value, w)
	}
}

func (b *bench) wantDrop(out []output) {
	b.t.Helper()
	if len(out) != 0 {
		b.t.Fatalf("%d packets left, want none", len(out))
	}
}
