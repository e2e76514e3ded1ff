package atpps

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

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

// Whatever is lost, copied, overtaken, forgotten or in another's way, at three levels, four or five, every packet
// that leaves a switch has the sum of exactly the workers that the server takes it for, and every worker gets the
// exact sum of all.
func TestDeepSumsAreExact(t *testing.T) {
	came := map[string]bool{}
	needed := []string{"collision", "collision above", "partial", "freed above the first", "duplicate", "of a switch below", "overlap", "whole"}
	for round := 0; round < 50 && (round == 0 || len(came) < len(needed)); round++ { // what is drawn need not have all
		rapid.Check(t, func(t *rapid.T) {
			levels := rapid.IntRange(3, 5).Draw(t, "levels")
			aggregators := rapid.SampledFrom([]int{0, 1, 2, 3, 16}).Draw(t, "aggregators")
			resend, superset := rapid.SampledFrom([]host.Resend{host.Expected, host.Passed, host.Gaps}).Draw(t, "resend"), rapid.Bool().Draw(t, "superset")
			n := newDeepNet(t, drawShape(t, levels), aggregators, func(c *host.Config) { c.Resend = resend })
			n.server.cfg.Superset = superset
			n.begin()
			for range rapid.IntRange(0, 300).Draw(t, "steps") {
				n.act(t)
			}
			n.finish()
			n.wantSums()
			n.note(came)
		})
	}
	for _, what := range needed {
		if !came[what] {
			t.Errorf("%s never came up", what)
		}
	}
}

// note notes what came up in a run.
func (n *deepNet) note(came map[string]bool) {
	note := func(what string, is bool) {
		if is {
			came[what] = true
		}
	}
	for _, s := range n.switches {
		c := s.engine.CountsOf(1)
		note("collision", c[program.Collisions] > 0)
		note("collision above", s.level > 1 && c[program.Collisions] > 0 && c[program.Results] > 0)
		note("partial", c[program.Partials] > 0)
		note("freed above the first", s.level > 1 && c[program.FreedByResend] > 0)
		note("duplicate", c[program.Duplicate] > 0)
	}
	note("of a switch below", sansio.CountOf(n.server.Counters(), CountPartial) > 0)
	note("overlap", sansio.CountOf(n.server.Counters(), DropOverlap) > 0)
	note("whole", sansio.CountOf(n.server.Counters(), CountWhole) > 0)
}

// Without faults and collisions the server has one packet of each fragment, whatever the levels; without aggregators
// one of each contribution. Parameters free all that was reserved.
func TestDeepOneInOneOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		aggregators := rapid.SampledFrom([]int{0, 16}).Draw(t, "aggregators")
		n := newDeepNet(t, drawShape(t, rapid.IntRange(3, wire.MaxLevels).Draw(t, "levels")), aggregators, nil)
		n.begin()
		n.finish()
		n.wantSums()
		want := uint64(deepBlocks)
		if aggregators == 0 {
			want *= uint64(len(n.workers))
		}
		if got := sansio.CountOf(n.server.Counters(), CountPackets); got != want || n.now != 0 {
			t.Fatalf("%d packets at the server after %v, want %d", got, n.now, want)
		}
		for i, s := range n.switches {
			if s.engine.Remembers() {
				t.Fatalf("switch %d holds an aggregator", i)
			}
		}
	})
}

// A mark on a packet of one worker, wherever it is in the tree, is in the parameters.
func TestDeepMarksReachTheServer(t *testing.T) {
	shape := deepShape{levels: 4, parents: []int{-1, 0, 1, 2, 0}, levelOf: []int{3, 2, 1, 0, 2}, workers: []int{3, 3, 2, 4, 0}}
	for marked := range len(shape.workers) + 1 {
		n := newDeepNet(t, shape, 16, func(c *host.Config) { c.Window = 1 })
		n.begin()
		if marked < len(n.workers) {
			inet.IPv4(n.flight[marked].train.Header[inet.EtherLen:]).SetECN(inet.CE)
		}
		for len(n.flight) > 0 && n.flight[0].to != toServer {
			n.deliver(n.take(0))
		}
		if len(n.flight) != 1 {
			t.Fatalf("%d packets come to the server", len(n.flight))
		}
		var h wire.Header
		f := n.flight[0].train
		h.ReadDeep(f.Body, 0)
		if got := h.Flags.Has(wire.ECN); got != (marked < len(n.workers)) || h.Next() != 4 {
			t.Errorf("worker %d marked: the sum is %v, on its way to level %d", marked, got, h.Next())
		}
	}
}

// deepHeader is that of worker 0 of the shape below: bits 0 of a switch of two workers, 0 of one of two, 1 of the
// root, which has a worker with bit 2.
func deepHeader(bitmaps [3]uint32, next uint8, flags wire.Flags) *wire.Header {
	h := &wire.Header{Bitmaps: [2]uint32{bitmaps[0], bitmaps[1]}, FanIns: [2]uint8{2, 2}, Flags: flags}
	h.Upper = wire.Upper{Levels: 3, Level: next, Bitmaps: [4]uint32{bitmaps[2]}, FanIns: [4]uint8{3}}
	return h
}

// Of a packet of three levels, the server knows whose sum it has by the bitmaps, or drops it and says why.
func TestDeepWhose(t *testing.T) {
	// w0 w1 below 0 below 1 below the root; w2 below 1 of 1 alone; w3 below 0 of the root alone; w4 at the root; w5 to w7 below 0 alone below 3
	s, err := New(Config{
		Workers: 8, Job: 1, Levels: 3, Span: 4, Streams: wire.Split(wire.SequenceBits, 1),
		Flow:  inet.Flow{Src: deepServerAddr, Dst: deepGroup},
		Paths: [][]uint8{{1, 0, 0}, {1, 0, 1}, {1, 1}, {0, 0, 0}, {2}, {3, 0, 0}, {3, 0, 1}, {3, 0, 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		bitmaps [3]uint32
		next    uint8
		flags   wire.Flags
		want    uint64
		reason  string
	}{
		"worker":                        {[3]uint32{2, 1, 2}, 0, 0, 0b10, ""},
		"worker sent again":             {[3]uint32{2, 1, 2}, 3, wire.Resend, 0b10, ""},
		"rack":                          {[3]uint32{3, 1, 2}, 1, 0, 0b11, ""},
		"rack that collided":            {[3]uint32{3, 1, 2}, 2, wire.Resend, 0b11, ""},
		"switch above":                  {[3]uint32{3, 3, 2}, 2, 0, 0b111, ""},
		"likewise, a worker came last":  {[3]uint32{1, 3, 2}, 2, 0, 0b111, ""},
		"all":                           {[3]uint32{1, 1, 15}, 3, 0, 0xff, ""},
		"worker of the second":          {[3]uint32{1, 2, 2}, 1, 0, 0b100, ""},
		"worker of the last":            {[3]uint32{1, 1, 4}, 2, 0, 0b10000, ""},
		"through switches of one":       {[3]uint32{1, 1, 1}, 2, 0, 0b1000, ""},
		"no such place at the last":     {[3]uint32{1, 1, 16}, 2, 0, 0, DropPlace},
		"no such place at the second":   {[3]uint32{1, 4, 2}, 1, 0, 0, DropPlace},
		"no such worker":                {[3]uint32{4, 1, 2}, 0, 0, 0, DropPlace},
		"below a worker":                {[3]uint32{2, 2, 2}, 1, 0, 0, DropPlace},
		"on its way to below it":        {[3]uint32{1, 1, 4}, 1, 0, 0, DropPlace},
		"some of the last":              {[3]uint32{1, 1, 3}, 3, 0, 0, DropParts},
		"some of the last, sent again":  {[3]uint32{1, 1, 3}, 3, wire.Resend, 0, DropParts},
		"one as if a switch had all":    {[3]uint32{1, 1, 2}, 1, 0, 0, DropParts},
		"one as if the second had":      {[3]uint32{3, 1, 2}, 2, 0, 0, DropParts},
		"all where no switch has been":  {[3]uint32{3, 1, 2}, 0, wire.Resend, 0, DropParts},
		"all of the last, before it":    {[3]uint32{1, 1, 15}, 2, 0, 0, DropParts},
		"worker of one that went on":    {[3]uint32{1, 2, 2}, 2, 0, 0, DropParts},
		"some of a rack":                {[3]uint32{3, 1, 8}, 3, wire.Resend, 0b1100000, ""},
		"some as a whole rack":          {[3]uint32{3, 1, 8}, 3, 0, 0, DropParts},
		"worker of the last, went past": {[3]uint32{1, 1, 4}, 3, 0, 0, DropParts},
	} {
		set, reason := s.whose(deepHeader(c.bitmaps, c.next, c.flags))
		if set[0] != c.want || reason != c.reason {
			t.Errorf("%s: %b %q, want %b %q", name, set[0], reason, c.want, c.reason)
		}
	}
	h := deepHeader([3]uint32{1, 1, 1}, 0, 0)
	h.Upper.Levels = 4
	if _, reason := s.whose(h); reason != DropLevels {
		t.Errorf("four levels: %q", reason)
	}
}

func TestDeepConfigs(t *testing.T) {
	for want, c := range map[string]Config{
		"2 levels: 3 to 6 are possible":             {Levels: 2, Paths: [][]uint8{{0}, {1}}},
		"7 levels: 3 to 6 are possible":             {Levels: 7, Paths: [][]uint8{{0}, {1}}},
		"racks and paths":                           {Levels: 3, Racks: make([]Rack, 1), Paths: [][]uint8{{0}, {1}}},
		"1 paths of 2 workers":                      {Levels: 3, Paths: [][]uint8{{0}}},
		"worker 1 is below 4 switches":              {Levels: 3, Paths: [][]uint8{{0}, {1, 0, 0, 0}}},
		"worker 1 is below 0 switches":              {Levels: 3, Paths: [][]uint8{{}, {}}},
		"worker 1 has bit 32":                       {Levels: 3, Paths: [][]uint8{{0}, {32}}},
		"2 workers have one place":                  {Levels: 3, Paths: [][]uint8{{1, 0}, {1, 0}}},
		"have one place, or a worker and a switch:": {Levels: 3, Paths: [][]uint8{{1}, {1, 0}}},
	} {
		c.Workers, c.Flow, c.Span, c.Streams = 2, inet.Flow{Src: deepServerAddr, Dst: deepGroup}, 4, wire.Split(wire.SequenceBits, 1)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
