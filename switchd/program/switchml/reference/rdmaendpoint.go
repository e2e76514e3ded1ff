package reference

import (
	"math"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// endpoint is a worker of an RDMA job.
type endpoint struct {
	job     *job
	rank    uint8
	packets int // of a message
	size    wire.SizeEnum
	up      []byte // header of its packets as slots are given them
	down    []byte // template of packets to it
	to      []sansio.Port
	key     uint32 // of its memory
	pairs   []pair
}

// pair is the registers of one queue pair of a worker.
type pair struct {
	expected roce.PSN // of the next packet in sequence
	index    uint32   // in the pool, of the next packet
	place    int      // of the next packet in its message; 0: none has begun
	set      uint8    // of the latest message
	phase    uint32   // messages so far, those that were sent again once

	qpn  uint32   // the worker's end
	psn  roce.PSN // of the next packet that is sent
	goOn uint32   // pool index, slot and set, of the packet that goes on with the message being sent
}

// newEndpoint makes a worker of a job.
func newEndpoint(c *switchml.Config, j *job, w *switchml.Worker) *endpoint {
	m := &endpoint{job: j, rank: w.ID, packets: j.MessagePackets(), to: []sansio.Port{w.Port}, key: w.RDMA.RKey, pairs: make([]pair, len(w.RDMA.QPNs))}
	m.size, _ = wire.SizeOf(j.Elements)
	flow := inet.Flow{SrcMAC: c.MAC, DstMAC: w.MAC, Src: c.Router, Dst: w.Addr, SrcPort: roce.Port, DstPort: roce.Port}
	m.down = inet.UDPHeader(flow)
	flow = flow.Reverse()
	flow.SrcPort, flow.DstPort = wire.Port, wire.Port
	m.up = inet.UDPHeader(flow)
	inet.SetUDPBody(m.up, wire.HeaderLen+4*j.Elements)
	for i := range m.pairs {
		m.pairs[i] = pair{expected: roce.PSN(w.RDMA.PSNs[i]), set: 1, qpn: w.RDMA.QPNs[i], psn: roce.PSN(switchml.FirstPSN)}
	}
	return m
}

// rdmaPacket is a packet from a worker, and where it belongs.
type rdmaPacket struct {
	roce.Packet
	pair  int
	place int    // in its message
	index uint32 // in the pool
	phase uint32
}

// read decodes a UDP payload.
func (p *rdmaPacket) read(header, body []byte, counted int, checkICRC bool) (reason string) {
	if problem := p.Read(body, counted); problem != roce.OK {
		return string(problem)
	}
	if checkICRC && counted == 0 && !roce.Check(header, body) {
		return switchml.DropRDMAICRC
	}
	return ""
}

// receive finds where a packet belongs, or returns why it does not.
func (m *endpoint) receive(in *rdmaPacket, faithful bool) (reason string) {
	rank, i, ok := switchml.QueueOf(in.QueuePair)
	if !ok || rank != int(m.rank) || i >= len(m.pairs) || (i+1)*m.packets > m.job.Slots {
		return switchml.DropRDMAQueuePair
	}
	in.pair = i
	q := &m.pairs[i]
	begins, ahead := in.Opcode.Begins(), in.PSN.Since(q.expected)
	if !begins && (q.place == 0 || ahead != 0) || begins && ahead < 0 && !faithful {
		return switchml.DropRDMASequence
	}
	q.expected = in.PSN.Add(1)
	if begins {
		q.place = 0
		if reason := m.begin(q, in); reason != "" {
			return reason
		}
	}
	in.place, in.index, in.phase = q.place, q.index, q.phase
	q.place++
	q.index += 2
	last := in.place == m.packets-1
	if last || in.Opcode.Ends() {
		q.place = 0
	}
	if in.Opcode.Ends() != last || in.Len() != 4*m.job.Elements {
		q.place = 0
		return switchml.DropRDMAShape
	}
	return ""
}

// begin takes up a message. Sets alternate from one to the next, so that a message
// of the other set is a new one.
func (m *endpoint) begin(q *pair, in *rdmaPacket) (reason string) {
	switch {
	case in.RETH.Key>>1 != switchml.PoolRKey>>1+uint32(in.pair*m.packets):
		return switchml.DropRDMAKey
	case int(in.RETH.Length) != 4*m.job.Elements*m.packets:
		return switchml.DropRDMAShape
	}
	q.index = in.RETH.Key - switchml.PoolRKey
	if set := uint8(q.index & 1); set != q.set {
		q.set = set
		q.phase++
	}
	return ""
}

// payload appends the packet that means the same to the slots. Packet ids count
// for 24 bits there, so that the number of the message goes on in the job byte.
func (p *rdmaPacket) payload(b []byte, m *endpoint) []byte {
	h := wire.Header{
		Type: wire.TypeConsume, Size: m.size, Job: uint8(p.phase >> 24), PacketID: p.phase, Set: uint8(p.index & 1), Slot: uint16(p.index >> 1),
		E0: math.MinInt8, E1: math.MinInt8, // which no maximum is of
	}
	if p.Opcode.Immediate() {
		h.E0, h.E1 = int8(p.Immediate>>8), int8(p.Immediate)
	}
	b = append(b, make([]byte, wire.HeaderLen)...)
	h.Put(b)
	return append(b, p.Payload...)
}

// number returns the PSN of the packet that answers one of the worker, if it may be sent.
func (m *endpoint) number(trigger *rdmaPacket, faithful bool) (psn roce.PSN, ok bool) {
	q := &m.pairs[trigger.pair]
	if !faithful && trigger.place != 0 && trigger.index != q.goOn {
		return 0, false
	}
	q.goOn = trigger.index + 2
	psn = q.psn
	q.psn = q.psn.Add(1)
	return psn, true
}

// send sends the worker what the slots answered to a packet.
func (m *endpoint) send(trigger *rdmaPacket, psn roce.PSN, answer packet, eff *sansio.Effects) {
	out := roce.Packet{Opcode: trigger.Opcode, QueuePair: m.pairs[trigger.pair].qpn, PSN: psn, RETH: trigger.RETH}
	out.RETH.Key = m.key
	out.Immediate = trigger.Immediate&^0xffff | uint32(answer.payload[8])<<8 | uint32(answer.payload[9])
	values, pad := answer.payload[wire.HeaderLen:], answer.pad
	body := eff.Body(out.Headers() + len(values) + roce.ICRCLen)
	copy(out.Put(body), values)
	header := eff.Header(len(m.down))
	copy(header, m.down)
	inet.SetUDPBody(header, len(body)+pad)
	if pad == 0 {
		roce.Seal(header, body)
	} else {
		roce.Unseal(body)
	}
	eff.Send(m.to, sansio.Train{Header: header, Body: body, Unstored: pad, Memory: eff.Owner(body)})
}
