package reference

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
)

// network is racks with a switch each, all linked with each other, and jobs with workers and
// servers in them. Packets are in flight until somebody says what becomes of them. Hosts do
// what §5.2 and §6 of what is to be built say, as far as sums depend on it. The oracle looks at every packet and every
// aggregator: values are the sum of the workers in the bitmap, or clipped.
type network struct {
	t        rapid.TB
	switches []*Engine
	detours  [][]int // from rack, to rack: by way of this one's switch
	jobs     []*tenant
	flight   []flying
	now      units.Time
	eff      sansio.Effects

	fragments, atServers int // done, and packets that came to servers
}

const networkAge = 5 * units.Millisecond

// tenant is a job.
type tenant struct {
	id      uint8
	racks   []int // of workers
	servers []*testServer
	workers []*testWorker
	big     bool // some values are near the ends of the range
	numbers uint32
	window  uint32
	index   func(worker int, number uint32) uint16
	sets    []bool // by switch: whether it is set up there
}

// testServer is a parameter server, with what it knows of each number.
type testServer struct {
	job   *tenant
	home  int // rack
	place int // of the job's servers
	store map[uint32]*stored
	rings []position // of the second level
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
type testWorker struct {
	next []uint32          // by server: the first that was not sent
	have []map[uint32]bool // by server: whose parameters are here
}

// flying is a packet on its way: to a port of a switch, to a server, or to a worker.
type flying struct {
	arrival sansio.Arrival
	at      int // switch; below 0: a host
	server  *testServer
	job     *tenant
	worker  int
}

func port(worker int) sansio.Port      { return sansio.Port(worker) }
func portOf(s *testServer) sansio.Port { return sansio.Port(100 + 4*int(s.job.id) + s.place) }
func uplink(rack int) sansio.Port      { return sansio.Port(50 + rack) }

func (s *testServer) addr() netip.Addr {
	return netip.AddrFrom4([4]byte{10, 1, s.job.id, byte(s.place)})
}

// mix is a hash, for values.
func mix(x uint64) uint64 {
	x ^= x >> 31
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}

// value is what a worker contributes to an element of a number.
func (j *tenant) value(worker int, number uint32, element int) int32 {
	r := mix(uint64(j.id)<<40 | uint64(worker)<<32 | uint64(number)<<8 | uint64(element))
	if !j.big || element%9 != 0 {
		return int32(r%2001) - 1000
	}
	return []int32{1<<31 - 1, -1 << 31, 1<<30 + 5, -1<<30 - 7, -1<<31 + 1, int32(r), 0, 1}[r>>40%8]
}

// servesAlone reports whether all workers are in the server's rack: there is one level.
func (s *testServer) servesAlone() bool {
	return !slices.ContainsFunc(s.job.racks, func(r int) bool { return r != s.home })
}

// layOut finds who has which bit at the second level.
func (s *testServer) layOut() {
	byRack := map[int][]int{}
	for w, r := range s.job.racks {
		byRack[r] = append(byRack[r], w)
	}
	if s.servesAlone() {
		s.rings = []position{{rack: s.home, workers: byRack[s.home]}}
		return
	}
	for _, w := range byRack[s.home] {
		s.rings = append(s.rings, position{direct: true, rack: s.home, workers: []int{w}})
	}
	for r := range 10 {
		if r != s.home && byRack[r] != nil {
			s.rings = append(s.rings, position{rack: r, workers: byRack[r]})
		}
	}
}

// of returns the position of a worker, and its bit there.
func (s *testServer) of(worker int) (bit0, bit1 int) {
	for i := range s.rings {
		if k := slices.Index(s.rings[i].workers, worker); k >= 0 {
			return k, i
		}
	}
	panic("a worker that is nowhere")
}

// document is what a switch is told of a job.
func (n *network) document(j *tenant, sw int) *atp.Job {
	out := &atp.Job{ID: j.id}
	for _, s := range j.servers {
		to := atp.Server{Addr: s.addr(), Ports: []sansio.Port{uplink(s.home)}}
		if sw == s.home {
			to.Ports[0] = portOf(s)
		}
		level := 0
		if sw == s.home && !s.servesAlone() {
			level = 1
		}
		to.Levels[level].Sources = n.sources(s, sw, level)
		out.Servers = append(out.Servers, to)
	}
	return out
}

func (n *network) sources(s *testServer, sw, level int) (out []atp.Source) {
	for i, p := range s.rings {
		switch {
		case level == 1:
			src := atp.Source{Bit: uint8(i), Name: fmt.Sprint("position ", i), Ports: []sansio.Port{port(p.workers[0])}}
			if !p.direct {
				src.Ports = []sansio.Port{uplink(p.rack), uplink(n.detours[p.rack][s.home])}
			}
			for _, w := range p.workers {
				src.Workers = append(src.Workers, uint8(w))
			}
			out = append(out, src)
		case p.rack == sw && !p.direct:
			for k, w := range p.workers {
				out = append(out, atp.Source{Bit: uint8(k), Name: fmt.Sprint("worker ", w), Ports: []sansio.Port{port(w)}, Workers: []uint8{uint8(w)}})
			}
		}
	}
	return out
}

// setUp sets a job up at a switch, if it is not.
func (n *network) setUp(j *tenant, sw int) {
	if j.sets[sw] {
		return
	}
	if _, err := n.switches[sw].AddJob(n.now, n.document(j, sw)); err != nil {
		n.t.Fatal(err)
	}
	j.sets[sw] = true
}

// takeDown has a switch lose a job, with or without what it holds of it.
func (n *network) takeDown(j *tenant, sw int) {
	if _, err := n.switches[sw].RemoveJob(n.now, j.id); j.sets[sw] && err != nil {
		n.t.Fatal(err)
	}
	j.sets[sw] = false
}

// add adds a job, and sets it up everywhere.
func (n *network) add(j *tenant) {
	for _, s := range j.servers {
		s.job, s.store = j, map[uint32]*stored{}
		s.layOut()
	}
	for range j.racks {
		w := &testWorker{}
		for k := range j.servers {
			w.next = append(w.next, 1+uint32(k))
			w.have = append(w.have, map[uint32]bool{})
		}
		j.workers = append(j.workers, w)
	}
	j.sets = make([]bool, len(n.switches))
	n.jobs = append(n.jobs, j)
	for sw := range n.switches {
		n.setUp(j, sw)
	}
}

// gradient sends a number of a worker to a server.
func (n *network) gradient(j *tenant, worker int, s *testServer, number uint32, resend bool) {
	bit0, bit1 := s.of(worker)
	p := s.rings[bit1]
	h := wire.Header{
		Bitmaps: [2]uint32{1 << bit0, 1 << bit1}, Job: j.id, Sequence: number, Index: j.index(worker, number),
		FanIns: [2]uint8{uint8(len(p.workers)), uint8(len(s.rings))},
	}
	if p.direct {
		h.Flags |= wire.EdgeSwitch
	}
	if resend {
		h.Flags |= wire.Resend
	}
	a := arrival(pkt{h: h, port: port(worker), src: workerAddr(worker), dst: s.addr(), codept: inet.ECT0})
	for i := range wire.Values {
		binary.BigEndian.PutUint32(a.Train.Body[wire.HeaderLen+4*i:], uint32(j.value(worker, number, i)))
	}
	n.flight = append(n.flight, flying{arrival: a, at: j.racks[worker], job: j})
}

// sendNext has a worker send its next number to a server, if its window lets it.
func (n *network) sendNext(j *tenant, worker, server int) bool {
	w, step := j.workers[worker], uint32(len(j.servers))
	at := w.next[server]
	if at > j.numbers || at > j.window*step && !w.have[server][at-j.window*step] {
		return false
	}
	w.next[server] += step
	n.gradient(j, worker, j.servers[server], at, false)
	return true
}

// lacking returns the numbers of a server that a worker has sent, and whose parameters it lacks.
func (j *tenant) lacking(worker, server int) (out []uint32) {
	w := j.workers[worker]
	for s := uint32(1 + server); s < w.next[server]; s += uint32(len(j.servers)) {
		if !w.have[server][s] {
			out = append(out, s)
		}
	}
	return out
}

// take takes a packet out of flight.
func (n *network) take(i int) flying {
	f := n.flight[i]
	n.flight = slices.Delete(n.flight, i, i+1)
	return f
}

// deliver lets a packet come to where it goes next.
func (n *network) deliver(f flying) {
	switch {
	case f.at >= 0:
		e := n.switches[f.at]
		e.Handle(n.now, []sansio.Arrival{f.arrival}, &n.eff)
		for i := range n.eff.Sends {
			s := &n.eff.Sends[i]
			if len(s.To) != 1 || s.To[0] != f.arrival.Port || s.Train.Frames() != 1 {
				n.t.Fatalf("%+v is sent", s)
			}
			n.goOn(f, sansio.Arrival{Port: s.To[0], Train: sansio.Train{Header: slices.Clone(s.Train.Header), Body: slices.Clone(s.Train.Body), Checksum: s.Train.Checksum}})
		}
		n.eff.Reset()
		n.checkTable(f.at)
	case f.server != nil:
		n.serve(f.server, f.arrival.Train.Body)
	default:
		n.learn(f.job, f.worker, f.arrival.Train.Body)
	}
}

// goOn forwards what an engine let go on.
func (n *network) goOn(from flying, a sansio.Arrival) {
	var h wire.Header
	if problem := h.Read(a.Train.Body, 0); problem != wire.OK {
		n.t.Fatalf("%s goes on", problem)
	}
	at, _ := dataplane.IsInbound(a.Port)
	j, sw := from.job, from.at
	if h.Flags.Has(wire.IsAck) {
		n.multicast(j, sw, at, a)
		return
	}
	dst := inet.IPv4(a.Train.Header[inet.EtherLen:]).Dst()
	s := j.servers[slices.IndexFunc(j.servers, func(s *testServer) bool { return s.addr() == dst })]
	n.checkPacket(s, &h, a.Train.Body)
	next := flying{job: j, at: -1, server: s, arrival: a}
	if sw != s.home {
		via := s.home
		if at < uplink(0) {
			via = n.detours[sw][s.home]
		}
		next = flying{job: j, at: via, arrival: sansio.Arrival{Port: dataplane.Inbound(uplink(sw)), Train: a.Train}}
	}
	n.flight = append(n.flight, next)
}

// multicast sends a parameter packet that came to a switch by a port on to its workers, and from
// the server's rack to the other racks.
func (n *network) multicast(j *tenant, sw int, at sansio.Port, a sansio.Arrival) {
	if at >= 100 {
		for r := range n.switches {
			if r != sw && slices.Contains(j.racks, r) {
				n.flight = append(n.flight, flying{job: j, at: r, arrival: sansio.Arrival{Port: dataplane.Inbound(uplink(sw)), Train: a.Train}})
			}
		}
	}
	for w, r := range j.racks {
		if r == sw {
			n.flight = append(n.flight, flying{job: j, at: -1, worker: w, arrival: a})
		}
	}
}

// claimed returns the workers whose sum a gradient packet to a server claims to bear.
func (s *testServer) claimed(h *wire.Header) (out uint64) {
	for b := h.Bitmaps[1]; b != 0; b &= b - 1 {
		p := &s.rings[bits.TrailingZeros32(b)]
		for k, w := range p.workers {
			if p.direct || bits.OnesCount32(h.Bitmaps[1]) > 1 || h.Bitmaps[0]>>k&1 != 0 {
				out |= 1 << w
			}
		}
	}
	return out
}

// checkPacket checks that a gradient packet bears exactly the sum of who is in its bitmaps.
func (n *network) checkPacket(s *testServer, h *wire.Header, body []byte) {
	n.checkSum(s.job, h.Sequence, s.claimed(h), body[wire.HeaderLen:], "packet")
}

func (n *network) checkSum(j *tenant, number uint32, workers uint64, values []byte, what string) {
	if workers == 0 {
		n.t.Fatalf("a %s of job %d number %d of nobody", what, j.id, number)
	}
	for i := range wire.Values {
		got := int32(binary.BigEndian.Uint32(values[4*i:]))
		exact, most, clipped := int64(0), int64(0), false
		for b := workers; b != 0; b &= b - 1 {
			v := int64(j.value(bits.TrailingZeros64(b), number, i))
			exact += v
			most += max(v, -v)
			clipped = clipped || isEnd(int32(v))
		}
		mayClip := clipped || most >= 1<<31-1
		if int64(got) == exact && !clipped || mayClip && isEnd(got) {
			continue
		}
		n.t.Fatalf("a %s of job %d number %d of workers %b has %d in place %d, want %d", what, j.id, number, workers, got, i, exact)
	}
}

func isEnd(v int32) bool { return v == 1<<31-1 || v == -1<<31 }

// checkTable checks the same of every aggregator of a switch.
func (n *network) checkTable(sw int) {
	for a := range n.switches[sw].held {
		k := slices.IndexFunc(n.jobs, func(j *tenant) bool { return j.id == a.Job })
		m := a.Part.Mask(a.Bitmap)
		n.checkSum(n.jobs[k], a.Sequence, m[0], n.switches[sw].table[a.Index].values, "aggregator")
		if want := bits.OnesCount32(a.Bitmap); a.Count != want || want > a.Part.FanIn {
			n.t.Fatalf("an aggregator with bitmap %b counts %d of %d", a.Bitmap, a.Count, a.Part.FanIn)
		}
	}
}

// serve has a server take a gradient packet.
func (n *network) serve(s *testServer, body []byte) {
	n.atServers++
	var h wire.Header
	h.Read(body, 0)
	e, claimed, all := s.store[h.Sequence], s.claimed(&h), uint64(1)<<len(s.job.racks)-1
	if e == nil {
		e = &stored{}
		s.store[h.Sequence] = e
	}
	switch {
	case e.done:
		if h.Flags.Has(wire.Resend) || claimed == all {
			n.answer(s, e)
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
	n.checkTotal(s.job, h.Sequence, e)
	e.answer = pkt{
		h:    wire.Header{Job: h.Job, Sequence: h.Sequence, Index: h.Index, FanIns: h.FanIns, Flags: wire.IsAck},
		port: portOf(s), src: s.addr(), dst: netip.MustParseAddr("239.255.0.1"), codept: inet.ECT0,
	}
	if e.clipped {
		e.answer.h.Flags |= wire.Overflow | wire.Resend // as if floats had been asked for, and had come
	}
	n.answer(s, e)
}

// checkTotal checks that every contribution is in a finished number once.
func (n *network) checkTotal(j *tenant, number uint32, e *stored) {
	for i, got := range e.sums {
		var want int64
		for w := range j.racks {
			want += int64(j.value(w, number, i))
		}
		if got != want && !e.clipped {
			n.t.Fatalf("job %d number %d: %d in place %d, want %d", j.id, number, got, i, want)
		}
	}
}

func (n *network) answer(s *testServer, e *stored) {
	n.flight = append(n.flight, flying{job: s.job, at: s.home, arrival: arrival(e.answer)})
}

// learn has a worker take parameters.
func (n *network) learn(j *tenant, worker int, body []byte) {
	var h wire.Header
	h.Read(body, 0)
	j.workers[worker].have[(h.Sequence-1)%uint32(len(j.servers))][h.Sequence] = true
}

// settle delivers all that is in flight, in order.
func (n *network) settle() {
	for len(n.flight) > 0 {
		n.deliver(n.take(0))
	}
}

// finish has all jobs end without further faults: workers send what their windows let them, and what lacks again.
func (n *network) finish() {
	for range 1000 {
		n.settle()
		busy := false
		for _, j := range n.jobs {
			for w := range j.workers {
				for s := range j.servers {
					for _, number := range j.lacking(w, s) {
						n.gradient(j, w, j.servers[s], number, true)
						busy = true
					}
					for n.sendNext(j, w, s) {
						busy = true
					}
				}
			}
		}
		if !busy {
			return
		}
	}
	n.t.Fatal("jobs do not end")
}

// held counts the aggregators that are not free.
func (n *network) held() (out int) {
	for _, e := range n.switches {
		out += e.inUse
	}
	return out
}
