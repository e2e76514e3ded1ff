package reference

import (
	"fmt"
	"net/netip"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
)

// network is racks with a switch each, all linked with each other, and jobs with workers and
// servers in them. Packets are in flight until somebody says what becomes of them. Hosts do
// what §3.5 to §3.7 say, as far as sums depend on it. The oracle looks at every packet and every
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

	fragments, atServers int    // done, and packets that came to servers
	keeps                bool   // switches lose no jobs
	begun                int    // set-ups beyond the first, by server
	takenOver            uint64 // packets that were finished before a worker was there
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

// flying is a packet on its way: to a port of a switch, to its server, or to a worker.
type flying struct {
	arrival sansio.Arrival
	at      int // switch, or one of these:
	server  *testServer
	packet  uint64 // of its stream
	worker  int
	born    units.Time
	up      *setUp // of the job, when it was sent
	late    bool   // it came to a switch when nobody waited for it any more
}

const (
	atServer = -1
	atWorker = -2
)

func port(worker int) sansio.Port      { return sansio.Port(worker) }
func portOf(s *testServer) sansio.Port { return sansio.Port(100 + 4*int(s.job.name) + s.place) }
func uplink(rack int) sansio.Port      { return sansio.Port(50 + rack) }

func (s *testServer) addr() netip.Addr {
	return netip.AddrFrom4([4]byte{10, 1, s.job.name, byte(s.place)})
}

// servesAlone reports whether all workers are in the server's rack: there is one level.
func (s *testServer) servesAlone(racks []int) bool {
	return !slices.ContainsFunc(racks, func(r int) bool { return r != s.home })
}

// layOut finds who has which bit at the second level, of workers in some racks.
func (s *testServer) layOut(racks []int) (out positions) {
	byRack := map[int][]int{}
	for w, r := range racks {
		byRack[r] = append(byRack[r], w)
	}
	if s.servesAlone(racks) {
		return positions{{rack: s.home, workers: byRack[s.home]}}
	}
	for _, w := range byRack[s.home] {
		out = append(out, position{direct: true, rack: s.home, workers: []int{w}})
	}
	for r := range 10 {
		if r != s.home && byRack[r] != nil {
			out = append(out, position{rack: r, workers: byRack[r]})
		}
	}
	return out
}

// of returns the position of a worker, and its bit there.
func (r positions) of(worker int) (bit0, bit1 int) {
	for i := range r {
		if k := slices.Index(r[i].workers, worker); k >= 0 {
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
		if sw == s.home && !s.servesAlone(j.racks) {
			level = 1
		}
		to.Levels[level].Sources = n.sources(s, sw, level)
		out.Servers = append(out.Servers, to)
	}
	return out
}

func (n *network) sources(s *testServer, sw, level int) (out []atp.Source) {
	for i, p := range s.job.up.rings[s.place] {
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
	j.name = j.id
	for i, s := range j.servers {
		s.job, s.store = j, map[uint64]*stored{}
		s.numbers = wire.Numbers{First: 1 + uint32(i)*uint32(size), Size: uint32(size)}
	}
	j.up = newSetUp(j)
	for _, s := range j.servers {
		s.up = j.up
	}
	for range j.racks {
		w := &testWorker{}
		for range j.servers {
			w.streams = append(w.streams, stream{have: map[uint64]bool{}, up: j.up})
		}
		j.workers = append(j.workers, w)
	}
	j.sets = make([]bool, len(n.switches))
	n.jobs = append(n.jobs, j)
	for sw := range n.switches {
		n.setUp(j, sw)
	}
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
		f.late = f.nobodysOwn()
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
	if !h.Flags.Joins() {
		n.checkSum(s, f.packet, f.up.rings[s.place].claimed(&h), f.arrival.Train.Body[wire.HeaderLen:], "packet")
	}
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
	sw, racks := f.at, f.up.racks
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

// held counts the aggregators that are not free.
func (n *network) held() (out int) {
	for _, e := range n.switches {
		out += e.inUse
	}
	return out
}
