package atp

import (
	"fmt"
	"math"
	"net/netip"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
)

var (
	_ worker.IntegerCollective = (*Core)(nil)
	_ worker.Waiter            = (*Core)(nil)
)

const us = units.Time(units.Microsecond)

func groupAddr() netip.Addr { return netip.MustParseAddr("239.255.0.1") }

func serverAddr(s int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 1, byte(s + 1)}) }

func workerAddr(w int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(w + 1)}) }

// serversOf returns the directions of worker w of n in one rack to so many servers there.
func serversOf(w, n, servers int) (out []Server) {
	for s := range servers {
		out = append(out, Server{
			Flow:    inet.Flow{Src: workerAddr(w), Dst: serverAddr(s), SrcPort: wire.Port, DstPort: wire.Port},
			Bitmaps: [2]uint32{1 << w, 1}, FanIns: [2]uint8{uint8(n), 1},
		})
	}
	return out
}

// testConfig is a worker with small numbers of everything: 126 sequence numbers, spans of 8.
func testConfig(w, n, servers int) Config {
	return Config{
		Node: "w", Worker: w, Workers: n, Job: 1, Tensor: 4 * block, Servers: serversOf(w, n, servers),
		Aggregators: 16, Window: 4, Span: 8, SequenceBits: 7,
		Age: units.Millisecond, Lifetime: units.Millisecond, Timeout: 100 * units.Microsecond,
	}
}

// params describes a run of n workers with the model.
type params struct {
	n, gens, servers int
	host             func(*Config) // changes the configuration; nil: nothing
	age              units.Duration
	rehash           bool
	delay            units.Duration
	seed             rng.Root
	loss, again, odd float64 // probability that a frame is lost, copied, late
	mark             float64
	spoiled          bool // sweeps are not as they must be
}

// rig is a model and its workers in memory.
type rig struct {
	params
	cfg   Config // of worker 0, resolved
	net   sansiotest.Network
	model *model
	cores []*Core
	hosts []*sansiotest.Host
	rec   []*sansiotest.Recorder
	sent  [][]frame // by each worker, in order
}

// frame is a packet that a worker sent.
type frame struct {
	wire.Header
	at    units.Time
	zeros bool // it carries no values but 0
	none  bool // it carries none
}

func newRig(t rapid.TB, p params) *rig {
	t.Helper()
	r := &rig{params: p, cfg: p.config(0), sent: make([][]frame, p.n)}
	r.cfg.resolve()
	r.model = newModel(&r.cfg, p.age, p.rehash)
	middle := r.net.Add(r.model)
	for w := range p.n {
		cfg, rec := p.config(w), &sansiotest.Recorder{}
		cfg.Recorder = rec
		core, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		host := &sansiotest.Host{Core: core, Tensors: tensors(w, p.gens, core.held)}
		r.cores, r.hosts, r.rec = append(r.cores, core), append(r.hosts, host), append(r.rec, rec)
		up, down := r.wire(t, w, true), r.wire(t, w, false)
		r.net.Connect(r.net.Add(host), 0, middle, sansio.Port(w), up, down)
	}
	return r
}

func (p *params) config(w int) Config {
	cfg := testConfig(w, p.n, p.servers)
	if p.host != nil {
		p.host(&cfg)
	}
	return cfg
}

// tensors returns a worker's gradients, small enough for sums not to saturate.
func tensors(w, gens, n int) [][]float32 {
	return sansiotest.Tensors(7, w, gens, n, func(int, int) float64 { return 1 })
}

// wire is one direction of a worker's link. Frames are late by up to what is left of the lifetime
// of packets, so that they overtake each other.
func (r *rig) wire(t rapid.TB, w int, up bool) *sansiotest.Wire {
	draw := func(what string) *rng.Stream { return r.seed.Stream(fmt.Sprintf("%s of wire %d up %v", what, w, up)) }
	losses, marks, copies := draw("losses"), draw("marks"), draw("copies")
	late := int(r.cfg.Lifetime - 2*r.delay)
	return &sansiotest.Wire{
		Delay: r.delay,
		Drop: func(f sansio.Train) bool {
			if up {
				r.see(t, w, f)
			}
			return losses.Bernoulli(r.loss)
		},
		Mark: func(sansio.Train) bool { return marks.Bernoulli(r.mark) },
		Copies: func(sansio.Train) []units.Duration {
			out := []units.Duration{0}
			if copies.Bernoulli(r.odd) {
				out[0] = units.Duration(copies.IntN(late / 20))
			}
			if copies.Bernoulli(r.again) {
				out = append(out, units.Duration(copies.IntN(late)))
			}
			return out
		},
	}
}

// see takes down a packet of a worker, and holds its windows to their limits.
func (r *rig) see(t rapid.TB, w int, f sansio.Train) {
	var h wire.Header
	if problem := h.Read(f.Body, f.Unstored); problem != wire.OK {
		t.Fatalf("a frame on the wire is none of ATP: %s", problem)
	}
	if ip, _, ok := f.UDP(); !ok || ip.ECN() != inet.ECT0 {
		t.Fatal("a packet cannot be marked")
	}
	zeros := !slices.ContainsFunc(f.Body[wire.HeaderLen:], func(b byte) bool { return b != 0 })
	r.sent[w] = append(r.sent[w], frame{h, r.net.Now(), zeros, f.Unstored > 0})
	for i := range r.cores[w].streams {
		s := &r.cores[w].streams[i]
		if size := s.window.size; size < r.cfg.LeastWindow || size > r.cfg.span() {
			t.Fatalf("worker %d, stream %d: window of %d packets, limits are %d and %d", w, i, size, r.cfg.LeastWindow, r.cfg.span())
		}
		if s.next-s.expected > uint64(r.cfg.span()) || s.inFlight > int(s.next-s.expected) {
			t.Fatalf("worker %d, stream %d: packets %d to %d, %d of them without parameters, exceed a span of %d", w, i, s.expected, s.next, s.inFlight, r.cfg.span())
		}
		if n := s.countInFlight(); n != s.inFlight {
			t.Fatalf("worker %d, stream %d: %d packets are in flight, %d are counted", w, i, n, s.inFlight)
		}
		if r.spoiled {
			continue
		}
		if packet, ok := s.numbers.Packet(h.Sequence, s.expected); ok && s.numbers.Has(h.Sequence) && r.behindSweep(packet) && s.expected < packet {
			t.Fatalf("worker %d, stream %d: packet %d is sent when packet %d of the sweep before it has no parameters", w, i, packet, s.expected)
		}
	}
}

// countInFlight counts packets that lack parameters and are not taken for lost.
func (s *stream) countInFlight() (n int) {
	for packet := s.expected; packet < s.next; packet++ {
		if f := s.at(packet); !f.received && !f.lost {
			n++
		}
	}
	return n
}

// behindSweep reports whether a packet is the first behind a sweep.
func (r *rig) behindSweep(packet uint64) bool {
	half := uint64(r.model.streams[0].Size / 2)
	return r.cfg.Aggregators > 0 && (r.cfg.Sweep && packet == uint64(r.cfg.Aggregators) || packet >= 2*half && packet%half == 0)
}

// mustBeDone runs to the end, within a bound that no loss here can reach.
func (r *rig) mustBeDone(t rapid.TB) {
	t.Helper()
	pending, err := r.net.Run(units.Time(20 * units.Second))
	if err != nil || pending {
		t.Fatalf("pending %v, error %v; worker 0 in generation %d waits for %v, worker %d for %v", pending, err,
			r.hosts[0].Gen(), r.cores[0].Waiting(10), r.n-1, r.cores[r.n-1].Waiting(10))
	}
	for w, h := range r.hosts {
		if !h.Done() {
			t.Fatalf("nothing is pending, but worker %d is in generation %d and waits for %v", w, h.Gen(), r.cores[w].Waiting(10))
		}
	}
}

// wrong counts delivered sums that differ from that of the quantised tensors.
func (r *rig) wrong() (n int) {
	for g := range r.gens {
		for i := range r.cores[0].held {
			sum := int64(0)
			for w := range r.n {
				sum += int64(r.rec[w].Out[g][i])
			}
			for w := range r.n {
				if int64(r.rec[w].In[g][i]) != sum {
					n++
				}
			}
		}
	}
	return n
}

// check holds all sums, the quantised tensors and the means to their definitions.
func (r *rig) check(t rapid.TB) {
	t.Helper()
	if n := r.wrong(); n > 0 {
		t.Fatalf("%d sums are wrong", n)
	}
	for g := range r.gens {
		for i := range r.cores[0].held {
			exact := 0.0
			for w := range r.n {
				v := r.hosts[w].Tensors[g][i]
				exact += float64(v)
				if want := int32(math.RoundToEven(float64(v) * gradient.DefaultFactor)); r.rec[w].Out[g][i] != want {
					t.Fatalf("worker %d sent %d for %v", w, r.rec[w].Out[g][i], v)
				}
			}
			exact /= float64(r.n)
			if got := float64(r.hosts[0].Means[g][i]); math.Abs(got-exact) > 1e-8+math.Abs(exact)*0x1p-24 {
				t.Fatalf("mean %v, want %v", got, exact)
			}
		}
	}
}

func (r *rig) count(w int, name string) int { return int(sansio.CountOf(r.cores[w].Counters(), name)) }

// firsts returns the packets that a worker sent to a stream for the first time, in order.
func (r *rig) firsts(w, stream int) (out []frame) {
	for _, f := range r.sent[w] {
		if !f.Flags.Has(wire.Resend) && r.model.streams[stream].Has(f.Sequence) {
			out = append(out, f)
		}
	}
	return out
}
