package switchml_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchml"
)

// call is one all-reduce of a worker.
type call struct {
	gen, tensor int
	at          units.Time
}

// caller is a framework that calls for tensors as they become ready, whether the
// ones before are through or not.
type caller struct {
	core   *switchml.Core
	calls  []call
	grads  [][]float32
	means  [][]float32
	ends   []units.Time
	before int // calls made while another was not complete
}

func (h *caller) NextDeadline() units.Time {
	if len(h.calls) > 0 {
		return min(h.calls[0].at, h.core.NextDeadline())
	}
	return h.core.NextDeadline()
}

func (h *caller) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	h.core.Handle(now, in, eff)
	h.progress(now, eff)
}

func (h *caller) Expire(now units.Time, eff *sansio.Effects) {
	h.core.Expire(now, eff)
	h.progress(now, eff)
}

func (h *caller) progress(now units.Time, eff *sansio.Effects) {
	for len(h.calls) > 0 && h.calls[0].at <= now {
		c := h.calls[0]
		h.calls = h.calls[1:]
		if len(h.core.Waiting(1)) > 0 {
			h.before++
		}
		h.core.Submit(now, c.gen, c.tensor, h.grads[c.gen], eff)
	}
	for g := len(h.means); g < len(h.grads) && h.core.Complete(g); g++ {
		_, mean := h.core.Finish(g)
		h.means = append(h.means, make([]float32, len(h.grads[g])))
		mean(h.means[g])
		h.ends = append(h.ends, now)
	}
}

// streamed is workers with lists of tensors on one switch.
type streamed struct {
	rig
	lengths []int
	callers []*caller
}

// newStreamed lays out a run; when says at what time worker w calls for tensor k
// of generation g, of which order is the place among all calls.
func newStreamed(t rapid.TB, p params, lengths []int, when func(w, order int) units.Time) *streamed {
	t.Helper()
	p.tensor = 0
	for _, n := range lengths {
		p.tensor += n
	}
	change := p.host
	p.host = func(c *switchml.Config) {
		c.Tensors = lengths
		if change != nil {
			change(c)
		}
	}
	s := &streamed{rig: *newRig(t, p), lengths: lengths}
	s.net = sansiotest.Network{}
	sw := s.net.Add(s.prog)
	for w := range p.n {
		c := &caller{core: s.cores[w], grads: tensors(w, p)}
		at := units.Time(0)
		for g := range p.gens {
			for k := len(lengths) - 1; k >= 0; k-- {
				at = max(at, when(w, g*len(lengths)+len(lengths)-1-k)) // calls keep their order
				c.calls = append(c.calls, call{g, k, at})
			}
		}
		s.callers = append(s.callers, c)
		s.net.Connect(s.net.Add(c), 0, sw, sansio.Port(w), s.up[w], s.down[w])
	}
	return s
}

// run runs to the end.
func (s *streamed) run(t rapid.TB) {
	t.Helper()
	if pending, err := s.net.Run(units.Time(3600 * units.Second)); err != nil || pending {
		t.Fatalf("pending %v, error %v", pending, err)
	}
	for w, c := range s.callers {
		if len(c.means) != s.gens {
			t.Fatalf("worker %d has %d of %d generations", w, len(c.means), s.gens)
		}
	}
}

// check holds sums and means against what workers sent and had.
func (s *streamed) check(t rapid.TB) {
	t.Helper()
	for g := range s.gens {
		at := 0
		for _, n := range s.lengths {
			for lo := at; lo < at+n; lo += elements {
				s.checkBlock(t, g, lo, min(lo+elements, at+n))
			}
			at += n
		}
	}
}

func (s *streamed) checkBlock(t rapid.TB, g, lo, hi int) {
	t.Helper()
	e := gradient.ExponentNone
	for _, c := range s.callers {
		e = max(e, gradient.Exponent(c.grads[g][lo:hi]))
	}
	f := gradient.BlockFactor(s.n, e)
	for i := lo; i < hi; i++ {
		sum, exact := int32(0), 0.0
		for w, c := range s.callers {
			q := s.rec[w].Out[g][i]
			if want := int32(math.RoundToEven(float64(c.grads[g][i]) * f)); q != want {
				t.Fatalf("worker %d, generation %d, element %d: sent %d, want %d", w, g, i, q, want)
			}
			sum, exact = sum+q, exact+float64(c.grads[g][i])
		}
		for w, c := range s.callers {
			if got := s.rec[w].In[g][i]; got != sum {
				t.Fatalf("worker %d, generation %d, element %d: sum %d, want %d", w, g, i, got, sum)
			}
			mean, want := float64(c.means[g][i]), exact/float64(s.n)
			if math.Abs(mean-want) > 1/f+math.Abs(want)*0x1p-24 {
				t.Fatalf("worker %d, generation %d, element %d: mean %v, want %v", w, g, i, mean, want)
			}
		}
	}
}

// checkSlots holds every slot to its sequence: sets alternate and ids count up,
// across tensors, without a reset.
func (s *streamed) checkSlots(t rapid.TB) {
	t.Helper()
	for w, packets := range s.packets {
		last := map[uint16]uint32{}
		for _, h := range packets {
			if n := last[h.Slot]; h.PacketID != n && h.PacketID != n+1 || h.Set != uint8(h.PacketID-1)%2 {
				t.Fatalf("worker %d, slot %d: packet %d in set %d follows %d", w, h.Slot, h.PacketID, h.Set, n)
			}
			last[h.Slot] = h.PacketID
		}
	}
}

func (s *streamed) blocks() (n int) {
	for _, l := range s.lengths {
		n += (l + elements - 1) / elements
	}
	return n
}

// "the set of tensors virtually as a single, continuous stream of data across
// iterations"; "each worker machine's tensor reduction calls must occur in the same
// order" (App B), and at any times. Whatever is lost, all sums are right.
func TestStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		threads := rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "threads")
		p.slots *= threads
		streaming := rapid.IntRange(0, 3).Draw(t, "streaming") > 0
		p.host = func(c *switchml.Config) { c.Streaming, c.Threads = streaming, threads }
		rate := rapid.SampledFrom([]float64{0, 0, 0.1}).Draw(t, "loss")
		stream := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("loss")
		p.drop = func(int, bool, sansio.Train) bool { return stream.Bernoulli(rate) }
		lengths := rapid.SliceOfN(rapid.IntRange(1, 700), 1, 6).Draw(t, "lengths")
		step := rapid.SampledFrom([]int{0, 1, 100, 2000}).Draw(t, "between calls")
		times := make([][]units.Time, p.n)
		for w := range times {
			for range p.gens * len(lengths) {
				times[w] = append(times[w], units.Time(rapid.IntRange(0, step).Draw(t, "at"))*units.Time(units.Microsecond))
			}
			slices.Sort(times[w])
		}
		s := newStreamed(t, p, lengths, func(w, order int) units.Time { return times[w][order] })
		s.run(t)
		s.check(t)
		s.checkSlots(t)
	})
}

// Calls that are there in time cost no packet of their own: the whole stream has
// one round of exponents. Where tensors do not stream, each has.
func TestStreamAgreesAhead(t *testing.T) {
	lengths := []int{5 * elements, 40, 12 * elements, 3 * elements} // 21 blocks
	for streaming, want := range map[bool]int{true: 3*21 + 4, false: 3 * (21 + 4 + 1 + 4 + 3)} {
		p := params{n: 3, slots: 4, gens: 3, delay: 10 * units.Microsecond, host: func(c *switchml.Config) { c.Streaming = streaming }}
		s := newStreamed(t, p, lengths, func(int, int) units.Time { return 0 })
		s.run(t)
		s.check(t)
		for w := range p.n {
			if s.up[w].Frames != want {
				t.Errorf("streaming %v: worker %d sends %d packets for %d blocks, want %d", streaming, w, s.up[w].Frames, 3*s.blocks(), want)
			}
			if s.callers[w].before == 0 {
				t.Errorf("worker %d never calls while a call is open", w)
			}
		}
	}
}

// One worker that does not have the next tensor yet is enough: its second exponent
// says so, and all agree on the scale once more before they go on.
func TestStreamWaitsForTheSlowestCaller(t *testing.T) {
	late := units.Time(500 * units.Microsecond)
	p := params{n: 2, slots: 2, gens: 1, delay: 10 * units.Microsecond, host: func(c *switchml.Config) { c.Streaming = true }}
	s := newStreamed(t, p, []int{2 * elements, 2 * elements}, func(w, order int) units.Time {
		if w == 1 && order == 1 {
			return late
		}
		return 0
	})
	s.run(t)
	s.check(t)
	for w, want := range [][]int8{{0, 0, 0, 0, 0, 0, 1, 1}, {0, 0, 1, 1, 0, 0, 1, 1}} {
		var got []int8
		for _, h := range s.packets[w] {
			got = append(got, h.E1)
		}
		// Exponents only; the first tensor's blocks; exponents only; the second's, behind
		// which nobody has anything.
		if !slices.Equal(got, want) {
			t.Errorf("worker %d sends second exponents %v, want %v", w, got, want)
		}
	}
	if s.callers[0].ends[0] < late {
		t.Errorf("worker 0 ends at %v, before worker 1 called", s.callers[0].ends[0])
	}
}

// Without streaming the second exponent is zero, as the public client leaves it.
func TestSecondExponentIsZero(t *testing.T) {
	r := newRig(t, params{n: 2, tensor: 1000, slots: 3, gens: 3})
	mustBeDone(t, r)
	for _, h := range r.packets[0] {
		if h.E1 != 0 {
			t.Fatalf("packet %d of slot %d has second exponent %d", h.PacketID, h.Slot, h.E1)
		}
	}
}

// 152 tensors (App B) of which most are smaller than the pool: as one stream the
// line is never idle, one after another each waits for its own round trips.
func TestStreamingHidesRoundTrips(t *testing.T) {
	lengths := make([]int, 152)
	for i := range lengths {
		lengths[i] = 1 + (i*i*37)%(7*elements)
	}
	took := map[bool]units.Time{}
	for _, streaming := range []bool{false, true} {
		p := params{n: 2, slots: 16, gens: 2, delay: 50 * units.Microsecond, host: func(c *switchml.Config) { c.Streaming = streaming }}
		s := newStreamed(t, p, lengths, func(int, int) units.Time { return 0 })
		s.run(t)
		s.check(t)
		took[streaming] = s.net.Now()
	}
	// 152 tensors twice take two round trips each at least where they do not stream;
	// as a stream, a round trip for 16 blocks, and worker 1's delay is twice worker 0's.
	if took[true]*4 > took[false] {
		t.Errorf("streaming takes %v, one after another %v", took[true], took[false])
	}
}

// intCaller calls for several int32 tensors at once.
type intCaller struct {
	*switchml.Core
	qs   [][]int32
	sums [][]int32
	open bool
}

func (c *intCaller) NextDeadline() units.Time {
	if !c.open {
		return 0
	}
	return c.Core.NextDeadline()
}

func (c *intCaller) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	c.Core.Handle(now, in, eff)
	for c.Complete(len(c.sums)) {
		g := len(c.sums)
		c.sums = append(c.sums, slices.Clone(c.Sums()))
		c.Finish(g)
	}
}

func (c *intCaller) Expire(now units.Time, eff *sansio.Effects) {
	if !c.open {
		c.open = true
		for g, q := range c.qs {
			c.BeginInts(now, g, q, eff)
		}
	}
	c.Core.Expire(now, eff)
}

// BeginInts may have several calls open as well, without a packet of exponents.
func TestIntegersStream(t *testing.T) {
	const n, gens = 10*elements + 5, 4
	p := params{n: 3, tensor: n, slots: 3, ints: true, host: func(c *switchml.Config) { c.Streaming = true }}
	r := newRig(t, p)
	r.net = sansiotest.Network{}
	sw := r.net.Add(r.prog)
	want := make([][]int32, gens)
	var callers []*intCaller
	for w, core := range r.cores {
		c := &intCaller{Core: core}
		for g := range gens {
			c.qs = append(c.qs, make([]int32, n))
			want[g] = append(want[g], make([]int32, n-len(want[g]))...)
			for i := range n {
				c.qs[g][i] = integer(w, g, i)
				want[g][i] += c.qs[g][i]
			}
		}
		callers = append(callers, c)
		r.net.Connect(r.net.Add(c), 0, sw, sansio.Port(w), r.up[w], r.down[w])
	}
	if pending, err := r.net.Run(units.Time(units.Second)); err != nil || pending {
		t.Fatalf("pending %v, error %v", pending, err)
	}
	for w, c := range callers {
		if len(c.sums) != gens {
			t.Fatalf("worker %d has %d of %d tensors", w, len(c.sums), gens)
		}
		for g := range gens {
			if !slices.Equal(c.sums[g], want[g]) {
				t.Errorf("worker %d, tensor %d: wrong sums", w, g)
			}
		}
		if r.up[w].Frames != gens*11 {
			t.Errorf("worker %d sends %d packets for %d blocks", w, r.up[w].Frames, gens*11)
		}
	}
}
