package switchmlrdma

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
)

// card is the network card: it makes packets of messages, and messages of packets.
type card struct {
	cfg    *Config
	header []byte // template of what it sends
	to     []sansio.Port
	queues []pair
	memory []byte // that the switch writes to; a message for each queue pair
	count  *sansio.Tally
}

// pair is the state of a queue pair.
type pair struct {
	psn roce.PSN // of the next packet that is sent

	// On the way down.
	inside   bool     // a message has begun, and no packet of it was missed
	expected roce.PSN // of its next packet
	at       int      // where that goes in the memory
	left     int      // bytes of the message that have not come
	unstored bool     // they are counted and not stored
}

func newCard(cfg *Config, count *sansio.Tally) card {
	out := card{
		cfg: cfg, header: inet.UDPHeader(cfg.Flow), to: []sansio.Port{cfg.Port}, count: count,
		queues: make([]pair, cfg.Queues), memory: make([]byte, cfg.Queues*cfg.bytes()),
	}
	for i := range out.queues {
		out.queues[i].psn = cfg.PSN
	}
	return out
}

// immediate is the number of a message and two exponents.
type immediate uint32

func newImmediate(number uint32, e0, e1 int8) immediate {
	return immediate(number<<16 | uint32(uint8(e0))<<8 | uint32(uint8(e1)))
}

func (m immediate) number() uint16 { return uint16(m >> 16) }
func (m immediate) e0() int8       { return int8(m >> 8) }

// message is what a queue pair is to write.
type message struct {
	key       uint32
	immediate immediate
	values    []int32 // zeros follow, up to the length of messages
	unstored  bool    // in place of values: only their length
}

// send cuts a message of queue pair i into packets. It returns their bytes behind the UDP
// header.
func (n *card) send(i int, m *message, eff *sansio.Effects) (sent int) {
	q, size := &n.queues[i], 4*n.cfg.Elements
	rest := m.values
	for k := range n.cfg.Packets {
		p := roce.Packet{Opcode: roce.Write(k, n.cfg.Packets), QueuePair: n.cfg.PeerQPN + uint32(i), PSN: q.psn, Immediate: uint32(m.immediate)}
		p.RETH = roce.RETH{Address: uint64(i * n.cfg.bytes()), Key: m.key, Length: uint32(n.cfg.bytes())}
		q.psn = q.psn.Add(1)
		sent += p.Headers() + size + roce.ICRCLen
		if m.unstored {
			body := eff.Body(p.Headers() + roce.ICRCLen)
			p.Put(body)
			roce.Unseal(body)
			eff.EmitUnstored(n.to, n.header, body, size)
			continue
		}
		body := eff.Body(p.Headers() + size + roce.ICRCLen)
		payload := p.Put(body)
		some := rest[:min(len(rest), n.cfg.Elements)]
		rest = rest[len(some):]
		vec.PutBE(payload[:4*len(some)], some)
		clear(payload[4*len(some):])
		roce.Seal(n.header, body)
		eff.Emit(n.to, n.header, body)
	}
	return sent
}

// message returns the memory that results of queue pair i are written to.
func (n *card) message(i int) []byte { return n.memory[i*n.cfg.bytes():][:n.cfg.bytes()] }

// receive takes a packet as the responder of an unreliable connection. At the end
// of a message that came whole it returns the queue pair and the immediate.
func (n *card) receive(header, body []byte, unstored int) (i int, imm immediate, ok bool) {
	var p roce.Packet
	if problem := p.Read(body, unstored); problem != roce.OK {
		n.count.Add(string(problem), 1)
		return 0, 0, false
	}
	if n.cfg.CheckICRC && unstored == 0 && !roce.Check(header, body) {
		n.count.Add(DropICRC, 1)
		return 0, 0, false
	}
	i = int(p.QueuePair) - int(n.cfg.QPN)
	if i < 0 || i >= len(n.queues) {
		n.count.Add(DropForeign, 1)
		return 0, 0, false
	}
	q := &n.queues[i]
	if reason := n.follow(q, &p); reason != "" {
		n.count.Add(reason, 1)
		n.cut(q)
		return 0, 0, false
	}
	copy(n.memory[q.at:], p.Payload)
	q.at += p.Len()
	q.left -= p.Len()
	q.expected = p.PSN.Add(1)
	if p.Opcode.Ends() {
		q.inside = false
	}
	return i, immediate(p.Immediate), p.Opcode.Immediate()
}

// follow begins a message, or returns why a packet does not go on with one.
func (n *card) follow(q *pair, p *roce.Packet) (reason string) {
	switch {
	case p.Opcode.Begins():
		n.cut(q)
		if reason := n.begin(q, p); reason != "" {
			return reason
		}
	case !q.inside || p.PSN != q.expected:
		return DropSequence
	case q.unstored != (p.Unstored > 0):
		return DropLength
	}
	if full := 4 * n.cfg.Elements; p.Len() != full || (p.Opcode.Ends() != (q.left == full)) {
		return DropLength
	}
	return ""
}

// begin takes up a message where its first packet says.
func (n *card) begin(q *pair, p *roce.Packet) (reason string) {
	r := &p.RETH
	switch {
	case r.Key != n.cfg.Key, r.Address > uint64(len(n.memory)), uint64(r.Length) > uint64(len(n.memory))-r.Address:
		return DropAccess
	case r.Length == 0 || int(r.Length)%(4*n.cfg.Elements) != 0:
		return DropLength
	}
	q.inside, q.at, q.left, q.unstored = true, int(r.Address), int(r.Length), p.Unstored > 0
	return ""
}

// cut drops the message that has begun, if one has.
func (n *card) cut(q *pair) {
	if q.inside {
		q.inside = false
		n.count.Add(CountCut, 1)
	}
}
