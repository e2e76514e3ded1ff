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
	life     units.Duration   // of a packet; 0: any
	origins  []map[int]flying // by switch and index: the packet that reserved the aggregator
	eff      sansio.Effects

	fragments, atServers int // done, and packets that came to servers
}

const networkAge = 5 * units.Millisecond

// newNetwork makes switches that are linked with each other, without detours.
func newNetwork(t rapid.TB, racks, aggregators int) *network {
	t.Helper()
	n := &network{t: t}
	for range racks {
		e, err := New(atp.Config{Node: "tor", Aggregators: aggregators, Age: networkAge})
		if err != nil {
			t.Fatal(err)
		}
		n.switches = append(n.switches, e)
		n.origins = append(n.origins, map[int]flying{})
		n.detours = append(n.detours, nil)
		for h := range racks {
			last := len(n.detours) - 1
			n.detours[last] = append(n.detours[last], h)
		}
	}
	return n
}

// tenant is a job.
type tenant struct {
	id      uint8
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
	rings   []position // of the second level
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
	ended          units.Time // when the latest of parameters came that were due
}

// flying is a packet on its way: to a port of a switch, to its server, or to a worker.
type flying struct {
	arrival sansio.Arrival
	at      int // switch, or one of these:
	server  *testServer
	packet  uint64 // of its stream
	worker  int
	born    units.Time
}

const (
	atServer = -1
	atWorker = -2
)

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

// sweeps reports whether a packet is there for its index alone.
func (s *testServer) sweeps(packet uint64) bool {
	return s.job.data > 0 && packet%uint64(s.numbers.Size) >= s.job.data
}

// value is what a worker contributes to an element of a packet.
func (s *testServer) value(worker int, packet uint64, element int) int32 {
	j := s.job
	r := mix(uint64(j.id)<<40 | uint64(s.place)<<38 | uint64(worker)<<32 | packet<<8 | uint64(element))
	if s.sweeps(packet) {
		return 0
	}
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
	size := j.packets + j.packets%2 + 4*j.window
	if j.data > 0 {
		size = j.data + uint64(len(n.switches[0].table))
	}
	for i, s := range j.servers {
		s.job, s.store = j, map[uint64]*stored{}
		s.numbers = wire.Numbers{First: 1 + uint32(i)*uint32(size), Size: uint32(size)}
		s.layOut()
	}
	for range j.racks {
		w := &testWorker{}
		for range j.servers {
			w.streams = append(w.streams, stream{have: map[uint64]bool{}})
		}
		j.workers = append(j.workers, w)
	}
	j.sets = make([]bool, len(n.switches))
	n.jobs = append(n.jobs, j)
	for sw := range n.switches {
		n.setUp(j, sw)
	}
}

// gradient sends a packet of a worker to a server.
func (n *network) gradient(worker int, s *testServer, packet uint64, resend bool) {
	bit0, bit1 := s.of(worker)
	p, j, number := s.rings[bit1], s.job, s.numbers.Of(packet)
	h := wire.Header{
		Bitmaps: [2]uint32{1 << bit0, 1 << bit1}, Job: j.id, Sequence: number, Index: j.index(worker, packet, number),
		FanIns: [2]uint8{uint8(len(p.workers)), uint8(len(s.rings))},
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
	n.flight = append(n.flight, flying{arrival: a, at: j.racks[worker], server: s, packet: packet, born: n.now})
}

// sendNext has a worker send its next packet to a server, if that may be.
func (n *network) sendNext(worker int, s *testServer) bool {
	w := &s.job.workers[worker].streams[s.place]
	if w.next >= s.job.packets || w.next >= w.expected+s.job.window || !n.mayUse(w, s) {
		return false
	}
	n.gradient(worker, s, w.next, false)
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

// take takes a packet out of flight.
func (n *network) take(i int) flying {
	f := n.flight[i]
	n.flight = slices.Delete(n.flight, i, i+1)
	return f
}

// deliver lets a packet come to where it goes next, if it has not lived too long.
func (n *network) deliver(f flying) {
	switch {
	case n.life > 0 && n.now.Sub(f.born) > n.life:
	case f.at == atServer:
		n.serve(f)
	case f.at == atWorker:
		n.learn(f)
	default:
		n.cross(f)
	}
}

// cross takes a packet through a switch.
func (n *network) cross(f flying) {
	e := n.switches[f.at]
	var h wire.Header
	h.Read(f.arrival.Train.Body, 0)
	free := int(h.Index) < len(e.table) && e.table[h.Index].id == 0
	e.Handle(n.now, []sansio.Arrival{f.arrival}, &n.eff)
	if free {
		n.origins[f.at][int(h.Index)] = f
	}
	for i := range n.eff.Sends {
		s := &n.eff.Sends[i]
		if len(s.To) != 1 || s.To[0] != f.arrival.Port || s.Train.Frames() != 1 {
			n.t.Fatalf("%+v is sent", s)
		}
		next := f
		next.arrival.Train = sansio.Train{Header: slices.Clone(s.Train.Header), Body: slices.Clone(s.Train.Body), Checksum: s.Train.Checksum}
		n.goOn(next)
	}
	n.eff.Reset()
	n.checkTable(f.at)
}

// goOn forwards what an engine let go on.
func (n *network) goOn(f flying) {
	var h wire.Header
	if problem := h.Read(f.arrival.Train.Body, 0); problem != wire.OK {
		n.t.Fatalf("%s goes on", problem)
	}
	sw, s := f.at, f.server
	at, _ := dataplane.IsInbound(f.arrival.Port)
	if h.Flags.Has(wire.IsAck) {
		n.multicast(f, at)
		return
	}
	n.checkSum(s, f.packet, s.claimed(&h), f.arrival.Train.Body[wire.HeaderLen:], "packet")
	switch {
	case sw == s.home:
		f.at = atServer
	case at < uplink(0):
		f.at = n.detours[sw][s.home]
	default:
		f.at = s.home
	}
	f.arrival.Port = dataplane.Inbound(uplink(sw))
	n.flight = append(n.flight, f)
}

// multicast sends a parameter packet that came to a switch by a port on to its workers, and from
// the server's rack to the other racks.
func (n *network) multicast(f flying, at sansio.Port) {
	sw, racks := f.at, f.server.job.racks
	f.arrival.Port = dataplane.Inbound(uplink(sw))
	for r := range n.switches {
		if at >= 100 && r != sw && slices.Contains(racks, r) {
			f.at = r
			n.flight = append(n.flight, f)
		}
	}
	for w, r := range racks {
		if r == sw {
			f.at, f.worker = atWorker, w
			n.flight = append(n.flight, f)
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

// checkSum checks that values are exactly the sum of some workers in a packet of a stream, or clipped.
func (n *network) checkSum(s *testServer, packet uint64, workers uint64, values []byte, what string) {
	if workers == 0 {
		n.t.Fatalf("a %s of job %d number %d of nobody", what, s.job.id, s.numbers.Of(packet))
	}
	if s.sweeps(packet) {
		return // nobody looks at its values
	}
	for i := range wire.Values {
		got := int32(binary.BigEndian.Uint32(values[4*i:]))
		exact, most, clipped := int64(0), int64(0), false
		for b := workers; b != 0; b &= b - 1 {
			v := int64(s.value(bits.TrailingZeros64(b), packet, i))
			exact += v
			most += max(v, -v)
			clipped = clipped || isEnd(int32(v))
		}
		mayClip := clipped || most >= 1<<31-1
		if int64(got) == exact && !clipped || mayClip && isEnd(got) {
			continue
		}
		n.t.Fatalf("a %s of job %d number %d, packet %d, of workers %b has %d in place %d, want %d", what, s.job.id, s.numbers.Of(packet), packet, workers, got, i, exact)
	}
}

func isEnd(v int32) bool { return v == 1<<31-1 || v == -1<<31 }

// checkTable checks the same of every aggregator of a switch.
func (n *network) checkTable(sw int) {
	for a := range n.switches[sw].held {
		of, m := n.origins[sw][a.Index], a.Part.Mask(a.Bitmap)
		if of.server.job.id != a.Job || of.server.numbers.Of(of.packet) != a.Sequence {
			n.t.Fatalf("an aggregator of job %d number %d was reserved by job %d packet %d", a.Job, a.Sequence, of.server.job.id, of.packet)
		}
		n.checkSum(of.server, of.packet, m[0], n.switches[sw].table[a.Index].values, "aggregator")
		if want := bits.OnesCount32(a.Bitmap); a.Count != want || want > a.Part.FanIn {
			n.t.Fatalf("an aggregator with bitmap %b counts %d of %d", a.Bitmap, a.Count, a.Part.FanIn)
		}
	}
}

// serve has a server take a gradient packet.
func (n *network) serve(f flying) {
	s, body, all := f.server, f.arrival.Train.Body, uint64(1)<<len(f.server.job.racks)-1
	n.atServers++
	var h wire.Header
	h.Read(body, 0)
	packet, _ := s.numbers.Packet(h.Sequence, s.newest)
	if packet != f.packet {
		n.t.Fatalf("packet %d of number %d is taken for %d near %d", f.packet, h.Sequence, packet, s.newest)
	}
	s.newest = max(s.newest, packet)
	e, claimed := s.store[packet], s.claimed(&h)
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
	n.flight = append(n.flight, flying{server: s, packet: packet, at: s.home, arrival: arrival(e.answer), born: n.now})
}

// learn has a worker take parameters, of packets that it has sent.
func (n *network) learn(f flying) {
	var h wire.Header
	h.Read(f.arrival.Train.Body, 0)
	w := &f.server.job.workers[f.worker].streams[f.server.place]
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

// settle delivers all that is in flight, in order.
func (n *network) settle() {
	for len(n.flight) > 0 {
		n.deliver(n.take(0))
	}
}

// finish has all jobs end without further faults: workers send what they may, and what lacks again.
func (n *network) finish() {
	for range 3000 {
		n.settle()
		n.now = n.now.Add(units.Millisecond)
		busy := false
		for _, j := range n.jobs {
			for w := range j.workers {
				for _, s := range j.servers {
					busy = n.goOnSending(w, s) || busy
				}
			}
		}
		if !busy {
			return
		}
	}
	n.t.Fatal("jobs do not end")
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

// held counts the aggregators that are not free.
func (n *network) held() (out int) {
	for _, e := range n.switches {
		out += e.inUse
	}
	return out
}
