package atpps

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/proptest"
	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// member is a worker that keeps to its window: it sends packets up to a span beyond the first whose
// parameters it does not have.
type member struct {
	expected, next uint64
	got            map[uint64]bool // beyond expected
}

// flight is a packet on its way to the server, or an answer on its way to a worker.
type flight struct {
	worker int
	packet uint64
	resend bool
	answer *answer
}

// conforming is workers that keep to their windows, a network that loses, copies and delays
// anything, and a server with few numbers.
type conforming struct {
	*rapid.T
	cfg     Config
	numbers wire.Numbers
	rig     *rig
	members []member
	flying  []flight
	last    uint64 // packet of each stream
	most    uint64 // highest packet that anybody sent
}

// value is different for each packet, so that no other's sum is taken for it.
func value(packet uint64, worker, i int) int32 { return int32(packet*1000) + int32(worker*100+i) }

// Nothing that a worker waits for is ever stale or ahead in a ring of two spans, though numbers
// come again and again; each gets each sum, exactly.
func TestRingHoldsWhatWorkersNeed(t *testing.T) {
	laps := uint64(0)
	proptest.Until(t, func() bool { return laps >= 3 }, func(rt *rapid.T) {
		c := drawConforming(rt, t)
		c.run()
		laps = max(laps, c.last/uint64(c.numbers.Size))
	})
	if laps < 3 {
		t.Errorf("numbers came again %d times at most", laps)
	}
}

func drawConforming(rt *rapid.T, t testing.TB) *conforming {
	span := rapid.IntRange(1, 4).Draw(rt, "span")
	workers := rapid.IntRange(1, 3).Draw(rt, "workers")
	size := 4*span + 2*rapid.IntRange(0, 3).Draw(rt, "numbers")
	c := &conforming{T: rt, cfg: twoRacks(), numbers: wire.Numbers{First: uint32(rapid.IntRange(1, 9).Draw(rt, "first")), Size: uint32(size)}}
	c.cfg.Workers, c.cfg.Span, c.cfg.Streams, c.cfg.Aggregators = workers, span, []wire.Numbers{c.numbers}, 0
	c.cfg.Racks = []Rack{{Bit: 3, Workers: []uint8{0, 1, 2}[:workers]}}
	c.last = uint64(rapid.IntRange(1, 4*size).Draw(rt, "packets"))
	c.rig = newRig(t, c.cfg)
	for range workers {
		c.members = append(c.members, member{got: map[uint64]bool{}})
	}
	return c
}

// run lets workers send and the network deliver in any order, until all are done.
func (c *conforming) run() {
	for step := 0; ; step++ {
		w := rapid.IntRange(0, len(c.members)-1).Draw(c.T, "worker")
		m := &c.members[w]
		patient := step > 40*int(c.last) // so that it ends
		switch act := rapid.IntRange(0, 9).Draw(c.T, "act"); {
		case act < 3 && m.next < c.last && m.next < m.expected+uint64(c.cfg.Span):
			c.send(w, m.next, false)
			m.next++
		case act == 3 && m.expected < m.next:
			c.send(w, m.expected, true)
		case act == 4 && len(c.flying) > 0 && !patient:
			c.flying = slices.Delete(c.flying, 0, 1) // lost
		case act == 5 && len(c.flying) > 0 && !patient:
			c.flying = append(c.flying, c.flying[rapid.IntRange(0, len(c.flying)-1).Draw(c.T, "copied")])
		case len(c.flying) > 0:
			at := 0
			if !patient {
				at = rapid.IntRange(0, len(c.flying)-1).Draw(c.T, "delivered")
			}
			f := c.flying[at]
			c.flying = slices.Delete(c.flying, at, at+1)
			c.deliver(f)
		case m.expected < m.next:
			c.send(w, m.expected, true)
		}
		if !slices.ContainsFunc(c.members, func(m member) bool { return m.expected < c.last }) {
			return
		}
	}
}

func (c *conforming) send(w int, packet uint64, resend bool) {
	c.most = max(c.most, packet)
	c.flying = append(c.flying, flight{worker: w, packet: packet, resend: resend})
}

// deliver hands over what arrives. What is older than half of all numbers is lost: packets do not live
// so long.
func (c *conforming) deliver(f flight) {
	if c.most-f.packet >= uint64(c.numbers.Size/2) {
		return
	}
	if f.answer != nil {
		c.receive(f)
		return
	}
	flags := wire.Flags(0)
	if f.resend {
		flags = wire.Resend
	}
	set := maskOf(uint8(f.worker))
	p := packetOf(&c.cfg, set, c.numbers.Of(f.packet), flags).fill(set, func(w, i int) int32 { return value(f.packet, w, i) })
	before := c.rig.counted(DropStale) + c.rig.counted(DropAhead)
	sent := c.rig.give(p)
	if dropped := c.rig.counted(DropStale)+c.rig.counted(DropAhead) > before; dropped && !c.has(f.worker, f.packet) {
		c.Fatalf("worker %d waits for the parameters of %d, and its packet was dropped", f.worker, f.packet)
	}
	for i := range sent {
		for w := range c.members {
			c.flying = append(c.flying, flight{worker: w, packet: c.packetOf(&sent[i]), answer: &sent[i]})
		}
	}
}

// packetOf returns the packet of an answer, which is near what workers send.
func (c *conforming) packetOf(a *answer) uint64 {
	p, ok := c.numbers.Packet(a.Sequence, c.most)
	if !ok {
		c.Fatalf("answer to %d, and nobody has sent more than %d", a.Sequence, c.most)
	}
	return p
}

// has reports whether a worker has the parameters of a packet.
func (c *conforming) has(w int, packet uint64) bool {
	m := &c.members[w]
	return packet < m.expected || m.got[packet]
}

// receive takes an answer, and goes on as far as they are all there.
func (c *conforming) receive(f flight) {
	m := &c.members[f.worker]
	for i := range wire.Values {
		want := int32(0)
		for w := range c.members {
			want += value(f.packet, w, i)
		}
		if got := integer(f.answer.values, i); got != want {
			c.Fatalf("parameters of %d: value %d is %d, want %d", f.packet, i, got, want)
		}
	}
	if c.has(f.worker, f.packet) {
		return
	}
	if f.packet >= m.next {
		c.Fatalf("parameters of %d before worker %d sent it", f.packet, f.worker)
	}
	m.got[f.packet] = true
	for m.got[m.expected] {
		delete(m.got, m.expected)
		m.expected++
	}
}

// drawPacket draws a packet that keeps to the invariant: the exact sum over whom it names (SPEC:
// one worker, some or all of a rack, all in the server's rack or some, everybody).
func drawPacket(rt *rapid.T, cfg *Config) (set trace.Mask, flags wire.Flags) {
	rack := &cfg.Racks[rapid.IntRange(0, len(cfg.Racks)-1).Draw(rt, "rack")]
	switch rapid.IntRange(0, 4).Draw(rt, "kind") {
	case 0:
		return maskOf(rack.Workers...), 0
	case 1:
		for _, w := range rack.Workers {
			if rapid.Bool().Draw(rt, "in") {
				set.Set(w)
			}
		}
		flags = wire.EdgeSwitch
	case 2:
		for w := range cfg.Workers {
			set.Set(uint8(w))
		}
		return set, 0
	case 3:
		for i := range cfg.Racks {
			if cfg.Racks[i].Direct {
				set.Set(cfg.Racks[i].Workers[0])
			}
		}
		if set.Len() > 0 {
			return set, 0
		}
	}
	if set.Len() == 0 {
		set.Set(rack.Workers[rapid.IntRange(0, len(rack.Workers)-1).Draw(rt, "worker")])
	}
	return set, flags | wire.Resend | rapid.SampledFrom([]wire.Flags{0, 0, wire.Collision | wire.EdgeSwitch}).Draw(rt, "collided")
}

// drawJob draws racks of workers.
func drawJob(rt *rapid.T) Config {
	cfg := twoRacks()
	cfg.Workers, cfg.Racks = 0, nil
	for i := range rapid.IntRange(1, 4).Draw(rt, "racks") {
		r := Rack{Bit: uint8(3*i + 1)}
		n := rapid.IntRange(1, 4).Draw(rt, "workers")
		r.Direct = n == 1 && rapid.Bool().Draw(rt, "direct")
		for range n {
			r.Workers = append(r.Workers, uint8(cfg.Workers))
			cfg.Workers++
		}
		cfg.Racks = append(cfg.Racks, r)
	}
	cfg.Superset = rapid.Bool().Draw(rt, "superset")
	cfg.Rehash = Rehash(rapid.IntRange(0, 2).Draw(rt, "rehash"))
	return cfg
}

// Whatever packets come in whatever order, each with the sum over whom it names: a fragment is answered
// when all are in, once, with the sum over all, and what is sent again is the same.
func TestAnsweredOnceWithTheExactSum(t *testing.T) {
	answers, again, overlaps, moved := 0, uint64(0), uint64(0), uint64(0)
	proptest.Until(t, func() bool { return answers > 0 && again > 0 && overlaps > 0 && moved > 0 }, func(rt *rapid.T) {
		cfg := drawJob(rt)
		r := newRig(t, cfg)
		first := map[uint32]answer{}
		for range rapid.IntRange(1, 60).Draw(rt, "packets") {
			set, flags := drawPacket(rt, &cfg)
			give(rt, r, &cfg, first, set, uint32(rapid.IntRange(1, cfg.Span).Draw(rt, "number")), flags)
		}
		for number := 1; number <= cfg.Span; number++ { // at last all send again
			for _, w := range rapid.Permutation(workersOf(&cfg)).Draw(rt, "order") {
				give(rt, r, &cfg, first, maskOf(w), uint32(number), wire.Resend)
			}
		}
		if len(first) != cfg.Span || r.counted(CountAnswered) != uint64(cfg.Span) {
			rt.Fatalf("%d fragments answered, %d counted; want %d", len(first), r.counted(CountAnswered), cfg.Span)
		}
		answers += len(first)
		again += r.counted(CountAgain)
		overlaps += r.counted(DropOverlap) + r.counted(CountReplaced)
		moved += r.counted(CountRehashed)
	})
	if answers == 0 || again == 0 || overlaps == 0 || moved == 0 {
		t.Errorf("%d answers, %d sent again, %d overlaps, %d moved: a case never came", answers, again, overlaps, moved)
	}
}

func workersOf(cfg *Config) (out []uint8) {
	for w := range cfg.Workers {
		out = append(out, uint8(w))
	}
	return out
}

// give hands over a packet with the exact sum, and checks what is sent.
func give(rt *rapid.T, r *rig, cfg *Config, first map[uint32]answer, set trace.Mask, number uint32, flags wire.Flags) {
	p := packetOf(cfg, set, number, flags).fill(set, func(w, i int) int32 { return value(uint64(number), w, i) })
	p.Index = uint16(number + 10*uint32(rapid.IntRange(0, 1).Draw(rt, "index")))
	for _, a := range r.give(p) {
		if a.Sequence != number {
			rt.Fatalf("answer to %d for %d", a.Sequence, number)
		}
		if before, ok := first[number]; ok {
			if before.Header != a.Header || !slices.Equal(before.values, a.values) {
				rt.Fatalf("answered %d with %+v, and again with %+v", number, before.Header, a.Header)
			}
			continue
		}
		first[number] = a
		for i := range wire.Values {
			want := int32(0)
			for w := range cfg.Workers {
				want += value(uint64(number), w, i)
			}
			if got := int32(binary.BigEndian.Uint32(a.values[4*i:])); got != want {
				rt.Fatalf("answered %d with %d at %d, want %d", number, got, i, want)
			}
		}
	}
}
