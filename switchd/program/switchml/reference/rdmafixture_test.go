package reference

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

var (
	_ dataplane.Engine  = (*RDMAProgram)(nil)
	_ dataplane.Managed = (*RDMAProgram)(nil)
	_ dataplane.Watched = (*RDMAProgram)(nil)
)

const (
	packets      = 4 // of a message
	messageBytes = 4 * elements * packets
)

func rdmaAddr(w int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(w + 1)}) }

func rdmaRouter() netip.Addr { return netip.MustParseAddr("10.0.0.254") }

// document is a job of n workers from the first on, each with two queue pairs.
func rdmaJob(id uint8, first, n int) switchml.Job {
	j := switchml.Job{ID: id, Elements: elements, Slots: 2 * packets, NumWorkers: n, RDMA: &switchml.RDMA{MessageBytes: messageBytes}}
	for rank := range n {
		w := first + rank
		j.Workers = append(j.Workers, switchml.Worker{
			ID: uint8(rank), MAC: inet.MAC{2, 0, 0, 0, 1, byte(w)}, Addr: rdmaAddr(w), Port: sansio.Port(w),
			RDMA: &switchml.Queues{RKey: uint32(70 + w), QPNs: []uint32{uint32(10 * w), uint32(10*w + 1)}, PSNs: []uint32{100, 100}},
		})
	}
	return j
}

// rdmaBench drives one program.
type rdmaBench struct {
	t      *testing.T
	p      *RDMAProgram
	eff    sansio.Effects
	events []trace.Event
}

func (b *rdmaBench) Event(e *trace.Event) { b.events = append(b.events, *e) }

func newRDMABench(t *testing.T, change func(*switchml.Config)) *rdmaBench {
	t.Helper()
	b := &rdmaBench{t: t}
	cfg := switchml.Config{Node: "tor", Router: rdmaRouter(), MAC: inet.MAC{2, 9}, Jobs: []switchml.Job{rdmaJob(1, 0, 2)}, CheckICRC: true, Trace: b}
	if change != nil {
		change(&cfg)
	}
	var err error
	if b.p, err = NewRDMA(cfg); err != nil {
		t.Fatal(err)
	}
	return b
}

// write is a packet of worker w: packet i of a message on queue pair q.
type write struct {
	w, q, i int
	psn     int
	set     uint32
	imm     uint32
	v       int32 // all values
}

func (s write) packet() roce.Packet {
	return roce.Packet{
		Opcode: roce.Write(s.i, packets), QueuePair: switchml.QPN(s.w, s.q), PSN: roce.PSN(s.psn), Immediate: s.imm,
		RETH: roce.RETH{Address: uint64(s.q * messageBytes), Key: uint32(2*packets*s.q) + s.set, Length: messageBytes},
	}
}

func rdmaArrival(w int, p roce.Packet, v int32, values int) sansio.Arrival {
	body := make([]byte, p.Headers()+4*values+roce.ICRCLen)
	for payload := p.Put(body); len(payload) > 0; payload = payload[4:] {
		binary.BigEndian.PutUint32(payload, uint32(v))
	}
	header := inet.UDPHeader(inet.Flow{Src: rdmaAddr(w), Dst: rdmaRouter(), SrcPort: 49152, DstPort: roce.Port})
	inet.SetUDPBody(header, len(body))
	roce.Seal(header, body)
	return sansio.Arrival{Port: sansio.Port(w), Train: sansio.Train{Header: header, Body: body}}
}

// rdmaOutput is a packet that left for a worker.
type rdmaOutput struct {
	roce.Packet
	to int
	v  int32
}

// send hands packets over one by one and returns what left.
func (b *rdmaBench) send(packets ...write) (out []rdmaOutput) {
	b.t.Helper()
	for _, s := range packets {
		out = append(out, b.handle(rdmaArrival(s.w, s.packet(), s.v, elements))...)
	}
	return out
}

// handle returns what left, which must be frames that a network card takes: one by
// one, without UDP checksum, all ICRCs right.
func (b *rdmaBench) handle(in ...sansio.Arrival) (out []rdmaOutput) {
	b.t.Helper()
	b.p.Handle(0, in, &b.eff)
	for _, s := range b.eff.Sends {
		t := &s.Train
		l, problem := inet.Parse(append(append([]byte(nil), t.Header...), t.Body...))
		o := rdmaOutput{to: int(s.To[0])}
		if bad := o.Read(t.Body, t.Unstored); problem != inet.OK || bad != roce.OK || l.End != len(t.Header)+len(t.Body) {
			b.t.Fatalf("what left is no packet of RoCE: %q %q", problem, bad)
		}
		flow := inet.FlowOf(t.Header, l)
		want := inet.Flow{SrcMAC: inet.MAC{2, 9}, DstMAC: inet.MAC{2, 0, 0, 0, 1, byte(o.to)}, Src: rdmaRouter(), Dst: rdmaAddr(o.to), SrcPort: roce.Port, DstPort: roce.Port}
		checksum := binary.BigEndian.Uint16(t.Header[l.Transport+6:])
		if t.Frames() != 1 || t.Checksum != sansio.ChecksumAsIs || checksum != 0 || !roce.Check(t.Header, t.Body) || flow != want || len(s.To) != 1 {
			b.t.Fatalf("%d frames, checksum %#x, ICRC right %v, %+v to %v", t.Frames(), checksum, roce.Check(t.Header, t.Body), flow, s.To)
		}
		o.v = int32(binary.BigEndian.Uint32(o.Payload))
		for rest := o.Payload; len(rest) > 0; rest = rest[4:] {
			if int32(binary.BigEndian.Uint32(rest)) != o.v {
				b.t.Fatalf("different sums of equal values: %x", o.Payload)
			}
		}
		o.Payload = nil
		out = append(out, o)
	}
	b.eff.Reset()
	return out
}

func (b *rdmaBench) count(name string) int {
	for _, c := range b.p.Counters() {
		if c.Name == name {
			return int(c.N)
		}
	}
	return 0
}
