package trio

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/wire/inet"
)

// reorder is the Reorder Engine (trio §2.1): a packet that arrived leaves when
// all packets of its flow that arrived before it have come to their end. Packets
// that threads have created keep no order with those that caused them.
type reorder struct {
	flows map[flowKey]*flow // looked up, never ranged
	spare []*flow
	held  int // packets that wait for earlier ones
}

// flowKey tells flows apart: addresses, protocol and ports of an IPv4 packet
// where there are ports, the Ethernet header of anything else.
type flowKey struct {
	a, b uint64
	ip   bool
}

// flow is the packets of a flow that are inside, in order of arrival.
type flow struct {
	key         flowKey
	first, last *packet
}

func newReorder() reorder { return reorder{flows: map[flowKey]*flow{}} }

// keyOf returns the flow of a packet.
func keyOf(k *packet) flowKey {
	h := k.train.Header
	l, problem := k.train.Layout()
	if problem != inet.OK {
		var b [16]byte
		copy(b[:], h[:min(len(h), inet.EtherLen)])
		return flowKey{a: binary.BigEndian.Uint64(b[:]), b: binary.BigEndian.Uint64(b[8:])}
	}
	key := flowKey{a: binary.BigEndian.Uint64(h[inet.EtherLen+12:]), b: uint64(l.Proto) << 32, ip: true}
	if l.Body >= l.Transport+4 {
		key.b |= uint64(binary.BigEndian.Uint32(h[l.Transport:]))
	}
	return key
}

// enter puts a packet behind those of its flow that came before.
func (r *reorder) enter(k *packet) {
	key := keyOf(k)
	f := r.flows[key]
	if f == nil {
		f = r.newFlow()
		f.key, r.flows[key] = key, f
	}
	k.flow, k.next = f, nil
	if f.last == nil {
		f.first = k
	} else {
		f.last.next = k
	}
	f.last = k
}

func (r *reorder) newFlow() *flow {
	if last := len(r.spare) - 1; last >= 0 {
		f := r.spare[last]
		r.spare = r.spare[:last]
		return f
	}
	return &flow{}
}

// hold takes a packet that was forwarded; it reports whether that has to wait.
func (r *reorder) hold(k *packet) bool {
	if k.flow == nil || k.flow.first == k {
		return false
	}
	k.held = true
	r.held++
	return true
}

// release ends the wait of the first packet of a flow, if it waits, and reports
// whether it did.
func (r *reorder) release(k *packet) bool {
	if !k.held {
		return false
	}
	k.held = false
	r.held--
	return true
}

// leave takes the first packet of a flow, which has come to its end, out. It
// returns the one behind it, nil if there is none.
func (r *reorder) leave(k *packet) *packet {
	f := k.flow
	f.first, k.flow = k.next, nil
	k.next = nil
	if f.first == nil {
		f.last = nil
		delete(r.flows, f.key)
		r.spare = append(r.spare, f)
	}
	return f.first
}
