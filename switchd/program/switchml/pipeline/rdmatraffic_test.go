package pipeline

import (
	"encoding/binary"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// rdmaQueue is a queue pair of a host: one message on its way, sent again and again,
// and what its card knows of the message coming down.
type rdmaQueue struct {
	phase    int
	psn      roce.PSN // of the next packet
	inside   bool
	expected roce.PSN
	sums     [][]int32 // of the message that is coming, packet by packet
}

// rdmaHost is the smallest host that obeys Algorithm 4 in messages.
type rdmaHost struct {
	doc    *switchml.Job
	rank   int
	queues []rdmaQueue
}

func (h *rdmaHost) id() int { return int(h.doc.ID)<<8 | h.rank }

// message is all packets of the one on its way.
func (h *rdmaHost) message(q int) (out []sansio.Arrival) {
	s := &h.queues[q]
	n := h.doc.RDMA.MessageBytes / (4 * h.doc.Elements)
	for i := range n {
		p := write{doc: h.doc, rank: h.rank, q: q, i: i, psn: s.psn, set: uint32(s.phase % 2)}
		p.imm = uint32(s.phase)<<16 | uint32(uint8(13*h.rank-5*s.phase))<<8 | uint32(uint8(s.phase-h.rank))
		phase := s.phase
		p.value = func(k int) int32 { return value(h.id(), q<<4|i, phase, k) }
		out = append(out, p.arrival())
		s.psn = s.psn.Add(1)
	}
	return out
}

// rdmaTraffic is hosts and their wires.
type rdmaTraffic struct {
	t        *rapid.T    // that draws
	tb       rapid.TB    // that fails
	hosts    []*rdmaHost // by port
	up       [][]sansio.Arrival
	down     [][]sent
	ordered  bool
	stress   bool
	trusting bool // results may be wrong
	done     int
}

func newRDMATraffic(t *rapid.T, jobs []switchml.Job) *rdmaTraffic {
	x := &rdmaTraffic{t: t, tb: t, stress: true, ordered: rapid.Bool().Draw(t, "fifo")}
	for j := range jobs {
		for rank := range jobs[j].Workers {
			h := &rdmaHost{doc: &jobs[j], rank: rank}
			for _, psn := range jobs[j].Workers[rank].RDMA.PSNs {
				h.queues = append(h.queues, rdmaQueue{psn: roce.PSN(psn)})
			}
			x.hosts = append(x.hosts, h)
		}
	}
	x.up, x.down = make([][]sansio.Arrival, len(x.hosts)), make([][]sent, len(x.hosts))
	return x
}

func (x *rdmaTraffic) pick(n int) int {
	if x.ordered || n == 1 {
		return 0
	}
	return rapid.IntRange(0, min(n-1, 5)).Draw(x.t, "overtakes")
}

const mostRDMAInFlight = 24

// step lets one thing happen.
func (x *rdmaTraffic) step(give func(sansio.Arrival) []sent) {
	w := rapid.IntRange(0, len(x.hosts)-1).Draw(x.t, "worker")
	h := x.hosts[w]
	switch what := rapid.IntRange(0, 11).Draw(x.t, "what"); {
	case what == 0:
		if len(x.up[w]) < mostRDMAInFlight {
			q := rapid.IntRange(0, len(h.queues)-1).Draw(x.t, "queue pair")
			if rapid.IntRange(0, 4).Draw(x.t, "jump") == 0 {
				h.queues[q].psn = h.queues[q].psn.Add(rapid.SampledFrom([]int{1, 3, 1 << 12, 1<<18 + 5}).Draw(x.t, "by"))
			}
			x.up[w] = append(x.up[w], h.message(q)...)
		}
	case what < 8:
		x.rise(w, give)
	default:
		x.fall(w)
	}
}

// rise takes a packet to the switch, or loses or doubles it.
func (x *rdmaTraffic) rise(w int, give func(sansio.Arrival) []sent) {
	if len(x.up[w]) == 0 {
		return
	}
	i := x.pick(len(x.up[w]))
	a, fate := x.up[w][i], 20
	if x.stress {
		fate = rapid.IntRange(0, 20).Draw(x.t, "fate up")
	}
	if fate != 1 || x.ordered {
		x.up[w] = slices.Delete(x.up[w], i, i+1)
	}
	if fate == 0 {
		return
	}
	x.carry(give(cloneArrival(a)))
	if fate == 1 && x.ordered {
		x.carry(give(cloneArrival(a)))
	}
}

func (x *rdmaTraffic) carry(out []sent) {
	for _, s := range out {
		x.down[s.port] = append(x.down[s.port], s)
	}
}

// fall takes a packet to its host, or loses or doubles it.
func (x *rdmaTraffic) fall(w int) {
	if len(x.down[w]) == 0 {
		return
	}
	i := x.pick(len(x.down[w]))
	s, fate := x.down[w][i], 20
	if x.stress {
		fate = rapid.IntRange(0, 20).Draw(x.t, "fate down")
	}
	if fate != 1 {
		x.down[w] = slices.Delete(x.down[w], i, i+1)
	}
	if fate != 0 {
		x.deliver(x.hosts[w], s)
	}
}

// deliver is the card of a host.
func (x *rdmaTraffic) deliver(h *rdmaHost, s sent) {
	var p roce.Packet
	header, body := s.frame[:inet.UDPHeaders], s.frame[inet.UDPHeaders:]
	if bad := p.Read(body, 0); bad != roce.OK || !roce.Check(header, body) {
		x.tb.Fatalf("a card is sent what it does not take: %q, ICRC right %v", bad, roce.Check(header, body))
	}
	own := h.doc.Workers[h.rank].RDMA
	at := slices.Index(own.QPNs, p.QueuePair)
	if at < 0 || p.Opcode.Begins() && p.RETH.Key != own.RKey {
		x.tb.Fatalf("host %d is sent to queue pair %#x with key %#x", h.id(), p.QueuePair, p.RETH.Key)
	}
	q := &h.queues[at]
	switch {
	case p.Opcode.Begins():
		q.inside, q.sums = true, nil
	case !q.inside || p.PSN != q.expected:
		q.inside = false
		return
	}
	q.expected = p.PSN.Add(1)
	var sums []int32
	for b := p.Payload; len(b) > 0; b = b[4:] {
		sums = append(sums, int32(binary.BigEndian.Uint32(b)))
	}
	q.sums = append(q.sums, sums)
	if p.Opcode.Ends() {
		q.inside = false
		if uint16(p.Immediate>>16) == uint16(q.phase) {
			x.completed(h, at, p.Immediate)
		}
	}
}

// completed checks a whole message, and lets the host go on.
func (x *rdmaTraffic) completed(h *rdmaHost, at int, imm uint32) {
	q := &h.queues[at]
	e0, e1 := int8(-128), int8(-128)
	for rank := range h.doc.Workers {
		e0, e1 = max(e0, int8(13*rank-5*q.phase)), max(e1, int8(q.phase-rank))
	}
	if !x.trusting && imm&0xffff != uint32(uint8(e0))<<8|uint32(uint8(e1)) {
		x.tb.Fatalf("host %d, queue pair %d, phase %d: exponents %#x, want %d and %d", h.id(), at, q.phase, imm&0xffff, e0, e1)
	}
	for i, sums := range q.sums {
		for k, got := range sums {
			want := int32(0)
			for rank := range h.doc.Workers {
				want += value(int(h.doc.ID)<<8|rank, at<<4|i, q.phase, k)
			}
			if !x.trusting && got != want {
				x.tb.Fatalf("host %d, queue pair %d, phase %d, packet %d, value %d: %d, want %d", h.id(), at, q.phase, i, k, got, want)
			}
		}
	}
	q.phase++
	x.done++
}

// heal sends everything once more without loss; everybody gets on.
func (x *rdmaTraffic) heal(rounds int, give func(sansio.Arrival) []sent) {
	x.stress, x.ordered = false, true
	before := make([][]int, len(x.hosts))
	for w, h := range x.hosts {
		for q := range h.queues {
			before[w] = append(before[w], h.queues[q].phase)
		}
	}
	for range rounds {
		for w, h := range x.hosts {
			for q := range h.queues {
				x.up[w] = append(x.up[w], h.message(q)...)
			}
			for len(x.up[w]) > 0 {
				x.rise(w, give)
			}
			for v := range x.hosts {
				for len(x.down[v]) > 0 {
					x.fall(v)
				}
			}
		}
	}
	for w, h := range x.hosts {
		for q := range h.queues {
			if h.queues[q].phase == before[w][q] {
				x.tb.Fatalf("host %d is stuck in phase %d of queue pair %d", h.id(), before[w][q], q)
			}
		}
	}
}

// drawRDMAJobs returns jobs of one or two sizes, whose workers are at ports of their own.
func drawRDMAJobs(t *rapid.T, most int) (out []switchml.Job) {
	first := 0
	for id := range rapid.IntRange(1, most).Draw(t, "jobs") {
		n := rapid.IntRange(1, 4).Draw(t, "workers")
		elements := rapid.SampledFrom([]int{64, 256}).Draw(t, "elements")
		packets := rapid.SampledFrom([]int{1, 2, 3, 4, 5}).Draw(t, "packets of a message")
		out = append(out, rdmaDocument(uint8(id+1), first, n, elements, packets, rapid.IntRange(1, 3).Draw(t, "queue pairs")))
		first += n
	}
	return out
}
