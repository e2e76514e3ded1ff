package reference

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	sml "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// message is all packets of one, whose values are v times the packet's place.
func message(w, q, psn int, set, imm uint32, v int32) (out []write) {
	for i := range packets {
		out = append(out, write{w: w, q: q, i: i, psn: psn + i, set: set, imm: imm, v: v * int32(i+1)})
	}
	return out
}

// The result of a message is a message to each worker: its queue pair, its PSNs, its
// key; address and length are echoed, and the immediate is the trigger's with the
// maxima of the exponents.
func TestResults(t *testing.T) {
	b := newRDMABench(t, nil)
	if out := b.send(message(0, 1, 100, 0, 0x0001_05f0, 1)...); len(out) != 0 {
		t.Fatalf("%d packets leave before worker 1 has sent any", len(out))
	}
	out := b.send(message(1, 1, 100, 0, 0x0001_0200, 10)...)
	if len(out) != 2*packets {
		t.Fatalf("%d packets leave, want %d", len(out), 2*packets)
	}
	for i, o := range out {
		w, k := i%2, i/2
		want := rdmaOutput{to: w, v: 11 * int32(k+1), Packet: roce.Packet{Opcode: roce.Write(k, packets), QueuePair: uint32(10*w + 1), PSN: roce.PSN(k)}}
		if k == 0 {
			want.RETH = roce.RETH{Address: messageBytes, Key: uint32(70 + w), Length: messageBytes}
		}
		if k == packets-1 {
			want.Immediate = 0x0001_0500
		}
		if o.to != want.to || o.v != want.v || o.Opcode != want.Opcode || o.QueuePair != want.QueuePair || o.PSN != want.PSN || o.RETH != want.RETH || o.Immediate != want.Immediate {
			t.Errorf("packet %d is %+v, want %+v", i, o, want)
		}
	}
}

// "it also allows the switch to ignore packets in messages received out of sequence.
// However, the same per-slot bitmap used in the base protocol is still used to ensure
// that duplicate packets from a retransmission of a partially-received messages are
// not re-applied" (App B).
func TestAGapAndWhatFollowsIt(t *testing.T) {
	b := newRDMABench(t, nil)
	b.send(message(0, 0, 100, 0, 0, 1)...)
	second := message(1, 0, 100, 0, 0, 10)
	out := b.send(slices.Delete(slices.Clone(second), 1, 2)...)
	if len(out) != 2 || b.count(switchml.DropRDMASequence) != 2 {
		t.Fatalf("%d packets leave, want the first to each worker; %d dropped, want 2", len(out), b.count(switchml.DropRDMASequence))
	}
	out = b.send(message(1, 0, 104, 0, 0, 10)...)
	var sums []int32
	for _, o := range out {
		if o.to == 1 {
			sums = append(sums, o.v)
		}
	}
	if !slices.Equal(sums, []int32{11, 22, 33, 44}) || len(out) != 4+3 {
		t.Errorf("worker 1 is sent %v, want each sum once; %d packets leave in all, want 7", sums, len(out))
	}
}

// Messages of several queue pairs interleave, and so do packets of workers.
func TestQueuePairsInterleave(t *testing.T) {
	b := newRDMABench(t, nil)
	var all []write
	for i := range packets {
		for _, w := range []int{1, 0} {
			for _, q := range []int{1, 0} {
				all = append(all, message(w, q, 100, 0, 0, int32(1+w+10*q))[i])
			}
		}
	}
	sums := map[[2]int][]int32{} // by worker and queue pair
	for _, o := range b.send(all...) {
		at := [2]int{o.to, int(o.QueuePair) % 10}
		if o.PSN != roce.PSN(len(sums[at])) {
			t.Errorf("worker %d, queue pair %d: PSN %d after %d packets", at[0], at[1], o.PSN, len(sums[at]))
		}
		sums[at] = append(sums[at], o.v)
	}
	for at, got := range sums {
		v := int32(3 + 20*at[1])
		if !slices.Equal(got, []int32{v, 2 * v, 3 * v, 4 * v}) {
			t.Errorf("worker %d, queue pair %d: %v", at[0], at[1], got)
		}
	}
	if len(sums) != 4 {
		t.Errorf("%d messages leave", len(sums))
	}
}

// A first packet with a number from before is a copy that the worker's next message
// has overtaken. A switch that takes it up, as a network card would, counts it for
// the phase to come: the slot is then complete without the worker.
func TestAnOvertakenMessage(t *testing.T) {
	for _, faithful := range []bool{true, false} {
		b := newRDMABench(t, func(c *switchml.Config) { c.Faithful = faithful })
		b.send(message(0, 0, 100, 0, 0, 1)...)
		b.send(message(1, 0, 100, 0, 0, 1)...)
		b.send(message(0, 0, 104, 1, 0, 2)...)
		b.send(message(1, 0, 104, 1, 0, 2)...)
		b.send(message(0, 0, 100, 0, 0, 1)...) // again
		out := b.send(message(1, 0, 108, 0, 0, 3)...)
		if (len(out) > 0) != faithful || !faithful && b.count(switchml.DropRDMASequence) != packets {
			t.Errorf("faithful %v: %d packets leave, %d dropped as out of sequence", faithful, len(out), b.count(switchml.DropRDMASequence))
		}
	}
}

// Messages of a queue pair go on being taken where their number passes 24 bits, as far
// as a packet id counts, and where it passes 32.
func TestMessagesAreCountedForEver(t *testing.T) {
	b := newRDMABench(t, nil)
	psn := 100
	for _, bits := range []int{24, 25, 31, 32} {
		for _, m := range b.p.endpoints {
			m.pairs[0].phase = uint32(1<<bits - 4)
		}
		for n := range uint32(8) {
			b.send(message(0, 0, psn, n%2, 0, 1)...)
			out := b.send(message(1, 0, psn, n%2, 0, 10)...)
			if len(out) != 2*packets || out[0].v != 11 {
				t.Fatalf("message %d from number 2^%d-3: %d packets leave, want %d; %v", n, bits, len(out), 2*packets, b.p.Counters())
			}
			psn += packets
		}
	}
}

// Bad packets are counted drops, and the message that follows is aggregated.
func TestBadPackets(t *testing.T) {
	first := write{q: 1, psn: 100, v: 5}.packet()
	for _, c := range []struct {
		name, reason string
		w, values    int
		change       func(p *roce.Packet)
	}{
		{"an unknown worker", switchml.DropRDMAUnknownWorker, 7, elements, func(*roce.Packet) {}},
		{"another worker's queue pair", switchml.DropRDMAQueuePair, 0, elements, func(p *roce.Packet) { p.QueuePair = switchml.QPN(1, 1) }},
		{"no queue pair", switchml.DropRDMAQueuePair, 0, elements, func(p *roce.Packet) { p.QueuePair = switchml.QPN(0, 2) }},
		{"queue pair 0", switchml.DropRDMAQueuePair, 0, elements, func(p *roce.Packet) { p.QueuePair = 0 }},
		{"the slots of another queue pair", switchml.DropRDMAKey, 0, elements, func(p *roce.Packet) { p.RETH.Key = 0 }},
		{"a slot inside a message", switchml.DropRDMAKey, 0, elements, func(p *roce.Packet) { p.RETH.Key += 2 }},
		{"a key that wraps", switchml.DropRDMAKey, 0, elements, func(p *roce.Packet) { p.RETH.Key |= 1 << 31 }},
		{"a shorter message", switchml.DropRDMAShape, 0, elements, func(p *roce.Packet) { p.RETH.Length -= 4 * elements }},
		{"only a packet", switchml.DropRDMAShape, 0, elements, func(p *roce.Packet) { p.Opcode = roce.WriteOnly }},
		{"half a packet", switchml.DropRDMAShape, 0, elements / 2, func(*roce.Packet) {}},
		{"a packet from the middle", switchml.DropRDMASequence, 0, elements, func(p *roce.Packet) { p.Opcode = roce.WriteMiddle }},
		{"a number from before", switchml.DropRDMASequence, 0, elements, func(p *roce.Packet) { p.PSN = 99 }},
	} {
		b := newRDMABench(t, nil)
		p := first
		c.change(&p)
		if out := b.handle(rdmaArrival(c.w, p, 5, c.values)); len(out) != 0 || b.count(c.reason) != 1 {
			t.Errorf("%s: %d packets leave; %v", c.name, len(out), b.p.Counters())
		}
		b.send(message(0, 1, 110, 0, 0, 1)...)
		out := b.send(message(1, 1, 100, 0, 0, 1)...)
		if len(out) != 2*packets || out[0].v != 2 {
			t.Errorf("%s: %d packets leave afterwards, want %d", c.name, len(out), 2*packets)
		}
	}
}

func TestSpoiltPackets(t *testing.T) {
	b := newRDMABench(t, nil)
	spoilt := rdmaArrival(0, write{psn: 100}.packet(), 5, elements)
	spoilt.Train.Body[50] ^= 1
	b.handle(spoilt)
	short := rdmaArrival(0, write{psn: 100}.packet(), 5, elements)
	short.Train.Body = short.Train.Body[:8]
	inet.SetUDPBody(short.Train.Header, 8)
	b.handle(short)
	b.handle(sansio.Arrival{})
	if b.count(switchml.DropRDMAICRC) != 1 || b.count(string(roce.Short)) != 1 || b.count(string(inet.ShortEther)) != 1 {
		t.Errorf("counters %v", b.p.Counters())
	}
}

// Jobs of UDP clients are beside those of RDMA clients, each in its part of the pool;
// a worker is known by one protocol.
func TestJobsComeAndGo(t *testing.T) {
	b := newRDMABench(t, nil)
	udp := rdmaJob(2, 2, 1)
	udp.RDMA, udp.Workers[0].RDMA = nil, nil
	for _, j := range []switchml.Job{udp, rdmaJob(3, 3, 1)} {
		if id, err := b.p.AddJob(0, &j); err != nil || id != j.ID {
			t.Fatalf("job %d: %v", id, err)
		}
	}
	fourth, again := rdmaJob(4, 1, 1), rdmaJob(1, 0, 2)
	if _, err := b.p.AddJob(0, &fourth); err == nil {
		t.Error("a worker is in two jobs")
	}
	if ports := b.p.Ports(); !slices.Equal(ports, []sansio.Port{0, 1, 2, 3}) {
		t.Errorf("ports %v", ports)
	}
	if out := b.send(write{w: 0, psn: 100}); len(out) != 0 {
		t.Errorf("%d packets leave of two workers' job", len(out))
	}
	three := write{psn: 100, v: 8}
	if out := b.handle(rdmaArrival(3, three.packet(), 8, elements)); len(out) != 1 || out[0].to != 3 || out[0].v != 8 {
		t.Errorf("job of one worker: %+v", out)
	}

	packet := make([]byte, sml.HeaderLen+4*elements)
	sml.Header{Type: sml.TypeConsume, Size: 1, PacketID: 1}.Put(packet)
	for w, want := range map[int]int{2: 1, 3: 0} {
		header := inet.UDPHeader(inet.Flow{Src: rdmaAddr(w), Dst: rdmaRouter(), SrcPort: 4711, DstPort: sml.Port})
		inet.SetUDPBody(header, len(packet))
		l, _ := inet.ParseHeader(header, len(header)+len(packet))
		if b.p.Claims(dataplane.Frame{Own: true, Header: header, Layout: l}) != dataplane.Mine {
			t.Error("a packet of SwitchML over UDP is not claimed")
		}
		b.p.Handle(0, []sansio.Arrival{{Port: sansio.Port(w), Train: sansio.Train{Header: header, Body: packet}}}, &b.eff)
		if len(b.eff.Sends) != want {
			t.Errorf("worker %d over UDP: %d packets leave, want %d", w, len(b.eff.Sends), want)
		}
		b.eff.Reset()
	}
	if b.count(switchml.DropRDMASpeaksUDP) != 1 {
		t.Errorf("counters %v", b.p.Counters())
	}

	removed, err := b.p.RemoveJob(0, 1)
	if err != nil || removed.OpenBlocks != 1 {
		t.Errorf("removed %+v, %v", removed, err)
	}
	if b.send(message(0, 0, 200, 0, 0, 1)...); b.count(switchml.DropRDMAUnknownWorker) != packets {
		t.Errorf("a worker of a job that is gone: %v", b.p.Counters())
	}
	if _, err := b.p.RemoveJob(0, 1); err == nil {
		t.Error("a job is removed twice")
	}
	if _, err := b.p.AddJob(0, &again); err != nil {
		t.Error(err)
	}
	b.send(message(0, 0, 100, 0, 0, 1)...) // numbers begin again
	if out := b.send(message(1, 0, 100, 0, 0, 1)...); len(out) != 2*packets || out[0].PSN != 0 {
		t.Errorf("%d packets leave of a job that came again", len(out))
	}
}

// A job that lacks workers holds its place, and drops what its workers send.
func TestAJobThatLacksWorkers(t *testing.T) {
	j := rdmaJob(1, 0, 2)
	j.Workers = j.Workers[:1]
	b := newRDMABench(t, func(c *switchml.Config) { c.Jobs = []switchml.Job{j} })
	b.send(message(0, 0, 100, 0, 0, 1)...)
	if b.count(switchml.DropIncomplete) != packets {
		t.Errorf("counters %v", b.p.Counters())
	}
}

// Who asks what is open, or reads events, meets messages.
func TestMessagesAreShown(t *testing.T) {
	b := newRDMABench(t, nil)
	b.send(message(0, 1, 100, 0, 0, 1)[:3]...)
	var want trace.Mask
	want.Set(0)
	open := b.p.Open(10)
	if len(open) != 1 || open[0].Block != 1 || open[0].Gen != 1 || open[0].Have != want || open[0].Want != b.p.Sources(1) {
		t.Errorf("open: %+v", open)
	}
	b.send(write{w: 1, q: 1, psn: 90})
	for i, e := range b.events {
		if e.Block != 1 || e.Job != 1 || (e.Kind == trace.Dropped) != (i == 3) || i < 3 && e.Gen != 1 {
			t.Errorf("event %d: %+v", i, e)
		}
	}
	if len(b.events) != 4 || !slices.Contains(b.p.Views(), dataplane.ViewSlots) || len(b.p.View(0, dataplane.ViewSlots, 10).Rows) != 3 {
		t.Errorf("%d events", len(b.events))
	}
}

func TestBadConfigurations(t *testing.T) {
	bad := rdmaJob(1, 0, 2)
	bad.RDMA.MessageBytes = 100
	twice := []switchml.Job{rdmaJob(1, 0, 1), rdmaJob(2, 0, 1)}
	for _, jobs := range [][]switchml.Job{{bad}, twice} {
		if _, err := NewRDMA(switchml.Config{Node: "tor", Router: rdmaRouter(), Jobs: jobs}); err == nil {
			t.Errorf("accepted %+v", jobs)
		}
	}
	if _, err := NewRDMA(switchml.Config{Node: "tor"}); err == nil {
		t.Error("accepted a switch without an address")
	}
}
