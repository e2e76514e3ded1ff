package pipeline

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/tofino"
)

// until lets a chip with time run to an instant, and returns what has left.
func (c *chip) until(now units.Time) (out []sent) {
	for at := c.e.NextDeadline(); at <= now && at != units.Never; at = c.e.NextDeadline() {
		c.e.Expire(at, &c.eff)
		out = append(out, take(at, &c.eff)...)
	}
	return out
}

// numbers that each job of a flood has.
const numbers = 6

// flood is traffic of two jobs at the same ports, the first edge switch of one and the second of
// the other, with a server that adds what leaves.
type flood struct {
	*chip
	cfg      atp.Config
	random   *rand.Rand
	now      units.Time
	has      map[[2]uint32]uint32  // who is in the server's sum, by job and number
	sums     map[[2]uint32][]int64 // looked up, never ranged
	collided uint64                // packets that left as such
}

func newFlood(t *testing.T, seed uint64, timing tofino.Timing) *flood {
	t.Helper()
	cfg := configOf(3, []int{0, 1}, []int{4, 3})
	return &flood{
		chip: newChip(t, cfg, Options{Timing: &timing}), cfg: cfg, random: rand.New(rand.NewPCG(seed, 1)),
		has: map[[2]uint32]uint32{}, sums: map[[2]uint32][]int64{},
	}
}

func (f *flood) server(job uint8) *atp.Server { return &f.cfg.Jobs[job-1].Servers[0] }

// levelAt is that of a job.
func levelAt(job uint8) int { return int(job) - 1 }

// clips is the value of each half that is often cut.
const clips = 7

// contribution is what a source has at a place of a fragment: the same each time.
func contribution(job uint8, source int, sequence uint32, i int) int32 {
	x := uint64(job)<<40 ^ uint64(source+1)<<32 ^ uint64(sequence)<<16 ^ uint64(i)
	x *= 0x9e3779b97f4a7c15
	if i%31 == clips {
		return int32(x >> 32)
	}
	return int32(x>>48) - 1<<15
}

// gradient is a packet of a source.
func (f *flood) gradient(job uint8, source int, sequence uint32) *packet {
	p := gradient(f.server(job), job, levelAt(job), source, sequence, uint16(sequence%3))
	for i := range p.values {
		p.values[i] = contribution(job, source, sequence, i)
	}
	return p
}

// draw returns a packet that a run may have, late copies among them.
func (f *flood) draw() *packet {
	job, sequence := uint8(1+f.random.IntN(2)), uint32(1+f.random.IntN(numbers))
	s := f.server(job)
	if f.random.IntN(8) == 0 {
		return parameter(s, job, sequence, uint16(sequence%3))
	}
	p := f.gradient(job, f.random.IntN(s.Levels[levelAt(job)].FanIn()), sequence)
	if f.random.IntN(8) == 0 {
		p.Flags |= wire.Resend
	}
	return p
}

// run sends packets, at times drawn within a span, and lets all leave.
func (f *flood) run(packets int, span units.Duration) {
	f.t.Helper()
	start := f.now
	type event struct {
		at units.Time
		p  *packet
	}
	var list []event
	for range packets {
		list = append(list, event{start.Add(units.Duration(f.random.Int64N(int64(span)))), f.draw()})
	}
	slices.SortStableFunc(list, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	for _, v := range list {
		f.leave(f.until(v.at))
		if f.random.IntN(100) == 0 {
			f.e.Forget(v.at)
		}
		f.leave(f.handle(v.at, arrival(v.p)))
	}
	f.drain()
}

// drain lets all leave that is inside.
func (f *flood) drain() {
	f.t.Helper()
	f.leave(f.until(units.Never - 1))
	f.now = f.now.Add(units.Millisecond)
	f.leave(f.until(f.now))
	if n := f.e.Chip().Snapshot().Inside; n != 0 {
		f.t.Fatalf("%d packets are inside for ever", n)
	}
}

// leave checks frames that left, and gives them to the server.
func (f *flood) leave(frames []sent) {
	f.t.Helper()
	for i := range frames {
		s := &frames[i]
		h := s.header()
		if h.Flags.Has(wire.IsAck) {
			continue
		}
		f.exact(s, &h)
		set, at := h.Bitmaps[levelAt(h.Job)], [2]uint32{uint32(h.Job), h.Sequence}
		if h.Flags.Has(wire.Collision) {
			f.collided++
		}
		if f.has[at]&set == 0 {
			f.has[at] |= set
			if f.sums[at] == nil {
				f.sums[at] = make([]int64, wire.Values)
			}
			for k := range wire.Values {
				f.sums[at][k] += int64(s.value(k))
			}
		}
	}
}

// exact holds a frame against the sum of those in its bitmap: each value is that, or shows that it was cut.
func (f *flood) exact(s *sent, h *wire.Header) {
	f.t.Helper()
	set := h.Bitmaps[levelAt(h.Job)]
	full := uint32(1)<<f.server(h.Job).Levels[levelAt(h.Job)].FanIn() - 1
	if len(s.frame) != inet.UDPHeaders+wire.PayloadLen || set == 0 || set&^full != 0 {
		f.t.Fatalf("a frame of %d bytes left: %+v", len(s.frame), h)
	}
	for k := range wire.Values {
		want := int64(0)
		for w := range 32 {
			if set>>w&1 != 0 {
				want += int64(contribution(h.Job, w, h.Sequence, k))
			}
		}
		if got := s.value(k); int64(got) != want && (k%31 != clips || got != math.MaxInt32 && got != math.MinInt32) {
			f.t.Fatalf("job %d number %d, sources %b: value %d is %d, their sum %d", h.Job, h.Sequence, set, k, got, want)
		}
	}
}

// heal has all sources send again, alone: until the server has everybody.
func (f *flood) heal() {
	f.t.Helper()
	for range 2 { // the first may bring along who is there already
		for job := uint8(1); job <= 2; job++ {
			for sequence := uint32(1); sequence <= numbers; sequence++ {
				for w := range f.server(job).Levels[levelAt(job)].FanIn() {
					p := f.gradient(job, w, sequence)
					p.Flags |= wire.Resend
					f.leave(f.handle(f.now, arrival(p)))
					f.drain()
				}
			}
		}
	}
}

// complete checks that the server has everybody, and each once.
func (f *flood) complete() {
	f.t.Helper()
	for job := uint8(1); job <= 2; job++ {
		n := f.server(job).Levels[levelAt(job)].FanIn()
		for sequence := uint32(1); sequence <= numbers; sequence++ {
			at := [2]uint32{uint32(job), sequence}
			if f.has[at] != 1<<n-1 {
				f.t.Errorf("job %d number %d: the server has %b", job, sequence, f.has[at])
				continue
			}
			want := int64(0)
			for w := range n {
				want += int64(contribution(job, w, sequence, 0))
			}
			if got := f.sums[at][0]; got != want {
				f.t.Errorf("job %d number %d: the server's sum is %d, want %d", job, sequence, got, want)
			}
		}
	}
}

// flooded runs some floods of three bursts, and returns what the chips have counted.
func flooded(t *testing.T, timing tofino.Timing, floods uint64, burst int) map[string]uint64 {
	t.Helper()
	count := map[string]uint64{}
	for seed := range floods {
		f := newFlood(t, seed, timing)
		for range 3 {
			f.run(burst, 4*units.Microsecond)
		}
		f.heal()
		f.complete()
		if f.e.Remembers() {
			t.Errorf("seed %d: the chip still holds %d halves", seed, f.e.watch.halves)
		}
		if n := f.count(atp.Collisions.String()); n < f.collided || n > f.collided+f.count(tofino.DropQueue) {
			t.Errorf("seed %d: of %d packets that collided %d left", seed, n, f.collided)
		}
		for _, c := range f.e.Counters() {
			count[c.Name] += c.N
		}
	}
	return count
}

func happened(t *testing.T, count map[string]uint64, names ...string) {
	t.Helper()
	for _, name := range names {
		if count[name] == 0 {
			t.Errorf("no %s in any run", name)
		}
	}
}

// Whatever order second passes come in, each packet that leaves is the sum of those whom it names
// (the invariant of §3.7's exactly-once), and sources that send again come through. No half stays.
func TestSecondPassesMayOvertake(t *testing.T) {
	count := flooded(t, tofino.DefaultTiming(), 40, 120) // ways into the ingress are slow: packets wait there
	happened(t, count, CountDiffer, CountSecondPass, CountRound, atp.Partials.String(), atp.Results.String())
}

// Nor does it matter that packets are lost between their passes: sums in the queue of the port that
// leads back, others before the ingress.
func TestPacketsMayBeLostBetweenPasses(t *testing.T) {
	timing := tofino.DefaultTiming()
	timing.Front, timing.Loop, timing.Queue, timing.Input = 0, 20*units.GbitPerSecond, 12, 20*units.GbitPerSecond
	happened(t, flooded(t, timing, 8, 800), tofino.DropQueue, tofino.DropInput, CountDiffer, CountSecondPass)
}
