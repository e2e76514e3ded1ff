package reference

import (
	"encoding/binary"
	"net/netip"

	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
)

// tenant is a job.
type tenant struct {
	id      uint8 // of the set-up at hand
	name    uint8 // the first of them
	up      *setUp
	racks   []int // of workers
	servers []*testServer
	workers []*testWorker
	big     bool   // some values are near the ends of the range
	packets uint64 // of each stream, of which there is one for each server
	window  uint64
	index   func(worker int, packet uint64, number uint32) uint16
	sets    []bool // by switch: whether it is set up there

	// data is how many packets of a round of numbers have values, if numbers are used again. The
	// others sweep: there is one for each aggregator.
	data uint64
	rash bool // it does not wait for its sweeps
}

// testServer is a parameter server, with what it knows of each number.
type testServer struct {
	job     *tenant
	home    int // rack
	place   int // of the job's servers
	numbers wire.Numbers
	newest  uint64 // packet
	store   map[uint64]*stored
	up      *setUp
}

// position is a bit of the second level: a rack, or one worker in the server's.
type position struct {
	direct  bool
	rack    int
	workers []int // by bit of the first level
}

// stored is a number's entry: who is in it, and their sum.
type stored struct {
	workers uint64
	sums    [wire.Values]int64
	clipped bool // answered by floats, which are not looked at
	done    bool
	answer  pkt
}

// testWorker sends the numbers of each server in turn.
type testWorker struct{ streams []stream }

// stream is what a worker has sent to a server.
type stream struct {
	next, expected uint64 // the first packet that was not sent, and that lacks its parameters
	have           map[uint64]bool
	up             *setUp
	asks           bool       // where to go on
	from           uint64     // packets before it were finished in an earlier set-up
	ended          units.Time // when the latest of parameters came that were due
}

// mix is a hash, for values.
func mix(x uint64) uint64 {
	x ^= x >> 31
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}

// sweeps reports whether a packet is there for its index alone.
func (s *testServer) sweeps(packet uint64) bool {
	return s.job.data > 0 && packet%uint64(s.numbers.Size) >= s.job.data
}

// value is what a worker contributes to an element of a packet.
func (s *testServer) value(worker int, packet uint64, element int) int32 {
	j := s.job
	r := mix(uint64(j.name)<<40 | uint64(s.place)<<38 | uint64(worker)<<32 | packet<<8 | uint64(element))
	if s.sweeps(packet) {
		return 0
	}
	if !j.big || element%9 != 0 {
		return int32(r%2001) - 1000
	}
	return []int32{1<<31 - 1, -1 << 31, 1<<30 + 5, -1<<30 - 7, -1<<31 + 1, int32(r), 0, 1}[r>>40%8]
}

// gradient sends a packet of a worker to a server.
func (n *network) gradient(worker int, s *testServer, packet uint64, resend bool) {
	j, number := s.job, s.numbers.Of(packet)
	up := j.workers[worker].streams[s.place].up
	bit0, bit1 := up.rings[s.place].of(worker)
	p := up.rings[s.place][bit1]
	h := wire.Header{
		Bitmaps: [2]uint32{1 << bit0, 1 << bit1}, Job: up.id, Sequence: number, Index: j.index(worker, packet, number),
		FanIns: [2]uint8{uint8(len(p.workers)), uint8(len(up.rings[s.place]))},
	}
	if s.sweeps(packet) {
		h.Index = uint16(packet%uint64(s.numbers.Size) - j.data)
	}
	if p.direct {
		h.Flags |= wire.EdgeSwitch
	}
	if resend {
		h.Flags |= wire.Resend
	}
	a := arrival(pkt{h: h, port: port(worker), src: workerAddr(worker), dst: s.addr(), codept: inet.ECT0})
	for i := range wire.Values {
		binary.BigEndian.PutUint32(a.Train.Body[wire.HeaderLen+4*i:], uint32(s.value(worker, packet, i)))
	}
	n.flight = append(n.flight, flying{arrival: a, at: up.racks[worker], server: s, packet: packet, born: n.now, up: up})
}

// sendNext has a worker send its next packet to a server, if that may be.
func (n *network) sendNext(worker int, s *testServer) bool {
	w := &s.job.workers[worker].streams[s.place]
	for w.have[w.next] { // in an earlier set-up
		w.next++
	}
	if w.asks {
		n.ask(worker, s)
		return false
	}
	if w.next >= s.job.packets || w.next >= w.expected+s.job.window || !n.mayUse(w, s) {
		return false
	}
	n.gradient(worker, s, w.next, w.next < w.from)
	w.next++
	return true
}

// mayUse reports whether the next number of a stream may be used, if numbers are used again. What late
// packets of a round have left is old enough when the sweep begins: copies of packets live as long as
// packets do behind the last, and so do answers to who asks for its parameters again. Before numbers are
// used again, all parameters of the sweep have come, and so have passed every switch on the way.
func (n *network) mayUse(w *stream, s *testServer) bool {
	switch place := w.next % uint64(s.numbers.Size); {
	case s.job.data == 0 || s.job.rash:
		return true
	case place == s.job.data:
		return w.expected == w.next && n.now.Sub(w.ended) > 2*n.life+networkAge
	case place == 0:
		return w.expected == w.next
	}
	return true
}

// lacking returns the packets to a server that a worker has sent, and whose parameters it lacks.
func (s *testServer) lacking(worker int) (out []uint64) {
	w := &s.job.workers[worker].streams[s.place]
	for k := w.expected; k < w.next; k++ {
		if !w.have[k] {
			out = append(out, k)
		}
	}
	return out
}

// serve has a server take a gradient packet.
func (n *network) serve(f flying) {
	s, body, all := f.server, f.arrival.Train.Body, uint64(1)<<len(f.server.job.racks)-1
	n.atServers++
	var h wire.Header
	h.Read(body, 0)
	if n.meet(f, &h) {
		return
	}
	packet, _ := s.numbers.Packet(h.Sequence, s.newest)
	if packet != f.packet {
		n.t.Fatalf("packet %d of number %d is taken for %d near %d", f.packet, h.Sequence, packet, s.newest)
	}
	s.newest = max(s.newest, packet)
	e, claimed := s.store[packet], s.up.rings[s.place].claimed(&h)
	if e == nil {
		e = &stored{}
		s.store[packet] = e
	}
	switch {
	case e.done:
		if h.Flags.Has(wire.Resend) || claimed == all {
			n.answer(s, packet, e)
		}
		return
	case e.workers&claimed != 0:
		return // copies, or an overlap, which resends mend
	}
	e.workers |= claimed
	for i := range e.sums {
		v := int32(binary.BigEndian.Uint32(body[wire.HeaderLen+4*i:]))
		e.sums[i] += int64(v)
		e.clipped = e.clipped || isEnd(v)
	}
	if e.workers != all {
		return
	}
	e.done = true
	n.fragments++
	n.checkTotal(s, packet, e)
	e.answer = pkt{
		h:    wire.Header{Job: h.Job, Sequence: h.Sequence, Index: h.Index, FanIns: h.FanIns, Flags: wire.IsAck},
		port: portOf(s), src: s.addr(), dst: netip.MustParseAddr("239.255.0.1"), codept: inet.ECT0,
	}
	if e.clipped {
		e.answer.h.Flags |= wire.Overflow | wire.Resend // as if floats had been asked for, and had come
	}
	n.answer(s, packet, e)
}

// checkTotal checks that every contribution is in a finished number once.
func (n *network) checkTotal(s *testServer, packet uint64, e *stored) {
	for i, got := range e.sums {
		var want int64
		for w := range s.job.racks {
			want += int64(s.value(w, packet, i))
		}
		if got != want && !e.clipped && !s.sweeps(packet) {
			n.t.Fatalf("job %d packet %d: %d in place %d, want %d", s.job.id, packet, got, i, want)
		}
	}
}

func (n *network) answer(s *testServer, packet uint64, e *stored) {
	n.flight = append(n.flight, flying{server: s, packet: packet, at: s.home, arrival: arrival(e.answer), born: n.now, up: s.up})
}

// learn has a worker take parameters, of packets that it has sent.
func (n *network) learn(f flying) {
	var h wire.Header
	h.Read(f.arrival.Train.Body, 0)
	w := &f.server.job.workers[f.worker].streams[f.server.place]
	if h.Flags.GoesOn() {
		n.told(f)
		return
	}
	if f.up != w.up || w.asks {
		return
	}
	packet, ok := f.server.numbers.Packet(h.Sequence, w.expected)
	if !ok || packet != f.packet {
		n.t.Fatalf("parameters of packet %d are taken for %d near %d", f.packet, packet, w.expected)
	}
	if packet >= w.next {
		return
	}
	w.have[packet] = true
	for w.have[w.expected] {
		w.expected++
		w.ended = n.now
	}
}

// goOnSending has a worker send all that it may to a server, and what lacks again; false if it has everything.
func (n *network) goOnSending(worker int, s *testServer) bool {
	for _, packet := range s.lacking(worker) {
		n.gradient(worker, s, packet, true)
	}
	for n.sendNext(worker, s) {
	}
	return s.job.workers[worker].streams[s.place].expected < s.job.packets
}
