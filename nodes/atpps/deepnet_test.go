package atpps

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/program/atp/reference"
)

// deepNet is a job of more than two levels: workers, the server, and a tree of switches between them, whose root
// is the server's. Frames are in flight until somebody says what becomes of them.
//
// The first value of a contribution is 1 in the bit of its worker, so a packet's first value is whose sum it has.
// That is held to what the server takes it for, of every packet that leaves a switch.
type deepNet struct {
	t        rapid.TB
	levels   int
	switches []*deepSwitch // root first
	workers  []*deepWorker
	server   *Server
	flight   []inFlight
	now      units.Time
	tensor   int
	eff      sansio.Effects
}

// deepSwitch is a switch, at a level: the root has the last.
type deepSwitch struct {
	engine  *reference.Engine
	level   int
	parent  int // switch; -1: the root
	bit     int // at the parent
	below   []int
	workers []int // behind it, directly
}

type deepWorker struct {
	core *host.Core
	at   int // switch
	bit  int
	q    []int32
}

// inFlight is a frame on its way to a port of a switch, to the server or to a worker.
type inFlight struct {
	train sansio.Train
	to    int // switch, or one of these:
	port  sansio.Port
}

const (
	toServer = -1
	toWorker = -2 // less the worker

	deepUp     sansio.Port = 60 // to the parent; of the root to the server
	deepBlocks             = 5
	deepAge                = 2 * units.Millisecond
)

var (
	deepServerAddr = netip.MustParseAddr("10.9.0.1")
	deepGroup      = netip.MustParseAddr("239.255.0.1")
)

// port returns that of a switch by which what has a bit there comes.
func (s *deepSwitch) port(bit int) sansio.Port { return sansio.Port(bit) }

// deepShape is switches by their parents, root first, and workers by their switches.
type deepShape struct {
	levels           int
	parents, levelOf []int
	workers          []int
}

// drawShape draws a tree whose longest way has so many switches. Workers may be at any of them.
func drawShape(t *rapid.T, levels int) deepShape {
	s := deepShape{levels: levels, parents: []int{-1}, levelOf: []int{levels - 1}}
	for i := 0; i < len(s.parents); i++ {
		switches := 0
		if s.levelOf[i] > 0 && len(s.parents) < 8 {
			switches = rapid.IntRange(1, 2).Draw(t, "switches below")
		}
		for range switches {
			s.parents, s.levelOf = append(s.parents, i), append(s.levelOf, s.levelOf[i]-1)
		}
		least, most := 0, 1
		if switches == 0 {
			least, most = 1, 3
		}
		for range rapid.IntRange(least, most).Draw(t, "workers") {
			s.workers = append(s.workers, i)
		}
	}
	return s
}

// newDeepNet makes the machines of a shape.
func newDeepNet(t rapid.TB, shape deepShape, aggregators int, change func(*host.Config)) *deepNet {
	t.Helper()
	n := &deepNet{t: t, levels: shape.levels, tensor: deepBlocks * wire.Values}
	for i, parent := range shape.parents {
		s := &deepSwitch{level: shape.levelOf[i], parent: parent}
		n.switches = append(n.switches, s)
		if parent >= 0 {
			up := n.switches[parent]
			s.bit = len(up.below) // workers have those behind
			up.below = append(up.below, i)
		}
	}
	for w, at := range shape.workers {
		s := n.switches[at]
		n.workers = append(n.workers, &deepWorker{at: at, bit: len(s.below) + len(s.workers)})
		s.workers = append(s.workers, w)
	}
	for i, s := range n.switches {
		e, err := reference.New(program.Config{Node: fmt.Sprint("s", i), Aggregators: aggregators, Age: deepAge, Jobs: []program.Job{n.document(s)}})
		if err != nil {
			t.Fatal(err)
		}
		s.engine = e
	}
	n.addServer(aggregators)
	for w := range n.workers {
		n.addWorker(w, aggregators, change)
	}
	return n
}

// behind returns the workers behind a switch.
func (n *deepNet) behind(at int) (out []uint8) {
	for w := range n.workers {
		for i := n.workers[w].at; i >= 0; i = n.switches[i].parent {
			if i == at {
				out = append(out, uint8(w))
			}
		}
	}
	return out
}

// document is what a switch is told of the job.
func (n *deepNet) document(s *deepSwitch) program.Job {
	var l program.Level
	for bit, below := range s.below {
		l.Sources = append(l.Sources, program.Source{Bit: uint8(bit), Ports: []sansio.Port{s.port(bit)}, Name: fmt.Sprint("s", below), Workers: n.behind(below)})
	}
	for _, w := range s.workers {
		bit := n.workers[w].bit
		l.Sources = append(l.Sources, program.Source{Bit: uint8(bit), Ports: []sansio.Port{s.port(bit)}, Name: fmt.Sprint("w", w), Workers: []uint8{uint8(w)}})
	}
	to := program.Server{Addr: deepServerAddr, Ports: []sansio.Port{deepUp}}
	if s.level < 2 {
		to.Levels[s.level] = l
	} else {
		to.Upper = append(make([]program.Level, s.level-2), l)
	}
	return program.Job{ID: 1, Levels: n.levels, Servers: []program.Server{to}}
}

// up returns the bits of a worker from its switch to the root, and how many sources there are at each.
func (n *deepNet) up(w int) (bits, fans []int) {
	bit := n.workers[w].bit
	for i := n.workers[w].at; i >= 0; i = n.switches[i].parent {
		s := n.switches[i]
		bits, fans = append(bits, bit), append(fans, len(s.below)+len(s.workers))
		bit = s.bit
	}
	return bits, fans
}

func (n *deepNet) addServer(aggregators int) {
	cfg := Config{
		Node: "ps", Workers: len(n.workers), Job: 1, Levels: n.levels, Span: 8, Aggregators: aggregators, Streams: wire.Split(wire.SequenceBits, 1),
		Flow: inet.Flow{Src: deepServerAddr, Dst: deepGroup, DstMAC: inet.MulticastMAC(deepGroup), SrcPort: wire.DeepPort, DstPort: wire.DeepPort},
	}
	for w := range n.workers {
		var path []uint8
		bits, _ := n.up(w)
		for _, b := range slices.Backward(bits) {
			path = append(path, uint8(b))
		}
		cfg.Paths = append(cfg.Paths, path)
	}
	var err error
	if n.server, err = New(cfg); err != nil {
		n.t.Fatal(err)
	}
}

func (n *deepNet) addWorker(w, aggregators int, change func(*host.Config)) {
	me := n.workers[w]
	bits, fans := n.up(w)
	first := n.levels - len(bits)
	h := wire.Header{Upper: wire.Upper{Levels: uint8(n.levels), Level: uint8(first)}}
	for level := range n.levels {
		bit, fan := 0, 1
		if level >= first {
			bit, fan = bits[level-first], fans[level-first]
		}
		h.SetBitmap(level, 1<<bit)
		h.SetFanIn(level, fan)
	}
	src := netip.AddrFrom4([4]byte{10, 0, 0, byte(w + 1)})
	cfg := host.Config{
		Node: fmt.Sprint("w", w), Worker: w, Workers: len(n.workers), Job: 1, Tensor: n.tensor, Integers: true, Indexing: host.Linear,
		Aggregators: aggregators, Window: 3, Span: 8, Age: deepAge, Timeout: units.Millisecond,
		Servers: []host.Server{{
			Flow:    inet.Flow{Src: src, Dst: deepServerAddr, SrcPort: wire.DeepPort, DstPort: wire.DeepPort},
			Bitmaps: h.Bitmaps, FanIns: h.FanIns, Upper: h.Upper,
		}},
	}
	if change != nil {
		change(&cfg)
	}
	core, err := host.New(cfg)
	if err != nil {
		n.t.Fatal(err)
	}
	me.core = core
	for i := range n.tensor {
		v := int32(1 + w*1000 + i)
		if i%wire.Values == 0 {
			v = 1 << w
		}
		me.q = append(me.q, v)
	}
}

// begin has all workers begin.
func (n *deepNet) begin() {
	for w, me := range n.workers {
		me.core.BeginInts(n.now, 0, me.q, &n.eff)
		n.fromWorker(w)
	}
}

// sent takes the frames of the effects, which is what somebody sent.
func (n *deepNet) sent(take func(to []sansio.Port, f sansio.Train)) {
	for i := range n.eff.Sends {
		s := &n.eff.Sends[i]
		for k := range s.Train.Frames() {
			f := s.Train.Frame(k, nil)
			take(s.To, sansio.Train{Header: slices.Clone(f.Header), Body: slices.Clone(f.Body), Checksum: f.Checksum})
		}
	}
	n.eff.Reset()
}

func (n *deepNet) fromWorker(w int) {
	me := n.workers[w]
	n.sent(func(_ []sansio.Port, f sansio.Train) {
		n.flight = append(n.flight, inFlight{f, me.at, n.switches[me.at].port(me.bit)})
	})
}

// deliver lets a frame come to where it goes.
func (n *deepNet) deliver(f inFlight) {
	in := func(port sansio.Port) []sansio.Arrival { return []sansio.Arrival{{Port: port, Train: f.train}} }
	switch {
	case f.to >= 0:
		n.switches[f.to].engine.Handle(n.now, in(dataplane.Inbound(f.port)), &n.eff)
		n.sent(func(_ []sansio.Port, out sansio.Train) { n.goOn(f, out) })
	case f.to == toServer:
		n.server.Handle(n.now, in(0), &n.eff)
		n.sent(func(_ []sansio.Port, out sansio.Train) { n.flight = append(n.flight, inFlight{out, 0, deepUp}) })
	default:
		w := toWorker - f.to
		n.workers[w].core.Handle(n.now, in(0), &n.eff)
		n.fromWorker(w)
	}
}

// goOn forwards what a switch let go on: up to the server, or parameters down to all workers.
func (n *deepNet) goOn(was inFlight, f sansio.Train) {
	at := n.switches[was.to]
	if was.port == deepUp {
		for _, below := range at.below {
			n.flight = append(n.flight, inFlight{f, below, deepUp})
		}
		for _, w := range at.workers {
			n.flight = append(n.flight, inFlight{f, toWorker - w, 0})
		}
		return
	}
	n.checkSum(f)
	to := inFlight{f, at.parent, 0}
	if at.parent >= 0 {
		to.port = n.switches[at.parent].port(at.bit)
	}
	n.flight = append(n.flight, to) // the parent of the root is toServer
}

// checkSum holds whom a gradient packet names to whose sum it has.
func (n *deepNet) checkSum(f sansio.Train) {
	var h wire.Header
	if problem := h.ReadDeep(f.Body, 0); problem != wire.OK {
		n.t.Fatalf("%s goes on", problem)
	}
	set, reason := n.server.whose(&h)
	if reason != "" {
		n.t.Fatalf("the server would drop %+v as %s", h, reason)
	}
	if sum := binary.BigEndian.Uint32(f.Body[h.Len():]); (trace.Mask{uint64(sum)}) != set {
		n.t.Fatalf("%+v is taken for the sum of %b, and is that of %b", h, set[0], sum)
	}
}

func (n *deepNet) take(i int) inFlight {
	f := n.flight[i]
	n.flight = slices.Delete(n.flight, i, i+1)
	return f
}

// pass lets time pass, and workers send again what is due.
func (n *deepNet) pass(d units.Duration) {
	n.now = n.now.Add(d)
	for w, me := range n.workers {
		if me.core.NextDeadline() <= n.now {
			me.core.Expire(n.now, &n.eff)
			n.fromWorker(w)
		}
	}
}

func (n *deepNet) done() bool {
	return !slices.ContainsFunc(n.workers, func(w *deepWorker) bool { return !w.core.Complete(0) })
}

// finish has all that is in flight arrive in order, and what lacks be sent again.
func (n *deepNet) finish() {
	for range 5000 {
		for len(n.flight) > 0 {
			n.deliver(n.take(0))
		}
		if n.done() {
			return
		}
		n.pass(units.Millisecond)
	}
	n.t.Fatalf("it does not end: worker 0 waits for %v", n.workers[0].core.Waiting(10))
}

// wantSums holds what every worker got to the exact sum.
func (n *deepNet) wantSums() {
	for w, me := range n.workers {
		for i, got := range me.core.Sums() {
			want := int32(0)
			for _, other := range n.workers {
				want += other.q[i]
			}
			if got != want {
				n.t.Fatalf("worker %d got %d in place %d, want %d", w, got, i, want)
			}
		}
	}
}

// act does one thing: the network delivers, loses, copies or marks what is in flight in any order, time
// passes, or a switch forgets.
func (n *deepNet) act(t *rapid.T) {
	some := func() int { return rapid.IntRange(0, len(n.flight)-1).Draw(t, "frame") }
	switch what := rapid.IntRange(0, 19).Draw(t, "what"); {
	case what < 2 || len(n.flight) == 0:
		n.pass(rapid.SampledFrom([]units.Duration{0, units.Millisecond, deepAge + 1}).Draw(t, "time"))
	case what < 16:
		n.deliver(n.take(some()))
	case what == 16:
		n.take(some())
	case what == 17:
		n.flight = append(n.flight, n.flight[some()])
	case what == 18:
		f := &n.flight[some()].train
		f.Header = slices.Clone(f.Header)
		inet.IPv4(f.Header[inet.EtherLen:]).SetECN(inet.CE)
	default:
		n.switches[rapid.IntRange(0, len(n.switches)-1).Draw(t, "switch")].engine.Forget(n.now)
	}
}
