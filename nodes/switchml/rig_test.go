package switchml_test

import (
	"math"
	"net/netip"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/nodes/worker"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
)

var _ worker.Collective = (*switchml.Core)(nil)

const (
	ms   = units.Time(units.Millisecond)
	port = 4711
)

func routerAddr() netip.Addr { return netip.MustParseAddr("10.0.0.254") }

func workerAddr(w int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(w + 1)}) }

func flowOf(w int) inet.Flow {
	return inet.Flow{SrcMAC: inet.MAC{2, 0, 0, 0, 0, byte(w)}, DstMAC: inet.MAC{2, 1}, Src: workerAddr(w), Dst: routerAddr(), SrcPort: port, DstPort: wire.Port}
}

// params describes a run: n workers reduce gens tensors over one switch.
type params struct {
	n, tensor, slots, gens int
	noRetransmit           bool
	ints                   bool // int32 tensors
	every                  int  // blocks that carry values
	faithful               bool // of the switch
	host                   func(*switchml.Config)
	delay                  units.Duration
	drop                   func(worker int, up bool, frame sansio.Train) bool
	copies                 func(worker int, up bool, frame sansio.Train) []units.Duration // see sansiotest.Wire
}

// rig is a switch and its workers in memory.
type rig struct {
	params
	net      sansiotest.Network
	prog     *reference.Program
	cores    []*switchml.Core
	hosts    []*sansiotest.Host
	up, down []*sansiotest.Wire
	rec      []*sansiotest.Recorder
	packets  [][]wire.Header // sent by each worker, in order
}

const elements = 64

func newRig(t rapid.TB, p params) *rig {
	t.Helper()
	r := &rig{params: p, packets: make([][]wire.Header, p.n)}
	host := p.config(0)
	job := program.Job{ID: 1, Elements: elements, Slots: switchml.PoolOf(p.slots, host.Threads)}
	for w := range p.n {
		job.Workers = append(job.Workers, program.Worker{MAC: inet.MAC{2, 0, 0, 0, byte(w >> 8), byte(w)}, Addr: workerAddr(w), Port: sansio.Port(w)})
	}
	var err error
	if r.prog, err = reference.New(program.Config{Node: "tor", Router: routerAddr(), Jobs: []program.Job{job}, Faithful: p.faithful}); err != nil {
		t.Fatal(err)
	}
	sw := r.net.Add(r.prog)
	for w := range p.n {
		rec := &sansiotest.Recorder{}
		cfg := p.config(w)
		cfg.Recorder = rec
		core, err := switchml.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		host := &sansiotest.Host{Core: core, Tensors: tensors(w, p)}
		if p.ints {
			host.Core = integers(core, w, p.tensor)
		}
		up, down := r.wire(t, w, true), r.wire(t, w, false)
		r.net.Connect(r.net.Add(host), 0, sw, sansio.Port(w), up, down)
		r.cores, r.hosts, r.rec = append(r.cores, core), append(r.hosts, host), append(r.rec, rec)
		r.up, r.down = append(r.up, up), append(r.down, down)
	}
	return r
}

// config is that of worker w, as the test wants it.
func (p *params) config(w int) switchml.Config {
	cfg := switchml.Config{
		Node: "w", Workers: p.n, Tensor: p.tensor, Elements: elements, Slots: p.slots, Job: 1, Flow: flowOf(w),
		NoRetransmit: p.noRetransmit, Integers: p.ints, Sample: gradient.Sampling{Every: p.every},
	}
	if p.host != nil {
		p.host(&cfg)
	}
	return cfg
}

// wire returns one direction of worker w's link; its Drop also listens in.
func (r *rig) wire(t rapid.TB, w int, up bool) *sansiotest.Wire {
	out := &sansiotest.Wire{Delay: r.delay * units.Duration(w+1), Drop: func(f sansio.Train) bool {
		h, problem := wire.ParseUnstored(f.Body, f.Unstored)
		if problem != wire.OK {
			t.Fatalf("a frame on the wire is none of SwitchML: %s", problem)
		}
		if up {
			r.packets[w] = append(r.packets[w], h)
		}
		return r.drop != nil && r.drop(w, up, f)
	}}
	if r.copies != nil {
		out.Copies = func(f sansio.Train) []units.Duration { return r.copies(w, up, f) }
	}
	return out
}

// tensors returns worker w's gradients: blocks of very different magnitude, some
// all zero.
func tensors(w int, p params) [][]float32 {
	return sansiotest.Tensors(7, w, p.gens, p.tensor, func(g, i int) float64 {
		if (i/elements+g)%5 == 4 {
			return 0
		}
		return math.Ldexp(1, (i/elements*13+g*5)%60-40)
	})
}

// run runs to the end and reports whether all workers are done.
func (r *rig) run(t rapid.TB) (done bool) {
	t.Helper()
	pending, err := r.net.Run(units.Time(3600 * units.Second))
	if err != nil {
		t.Fatal(err)
	}
	if pending {
		t.Fatal("still busy after an hour")
	}
	done = true
	for _, h := range r.hosts {
		done = done && h.Done()
	}
	return done
}

// check holds every delivered sum against the oracle: the sum of the quantised
// tensors. And that these are right, and the means, against floats.
func (r *rig) check(t rapid.TB) {
	t.Helper()
	for g := range r.gens {
		for i := range r.tensor {
			var sum int64
			exact := 0.0
			f := r.factor(g, i/elements)
			for w := range r.n {
				v := float64(r.hosts[w].Tensors[g][i])
				q := int64(r.rec[w].Out[g][i])
				if q != int64(math.RoundToEven(v*f)) {
					t.Fatalf("worker %d, generation %d, element %d: sent %d for %v under %v", w, g, i, q, v, f)
				}
				sum += q
				exact += v
			}
			for w := range r.n {
				if got := int64(r.rec[w].In[g][i]); got != sum {
					t.Fatalf("worker %d, generation %d, element %d: sum %d, want %d", w, g, i, got, sum)
				}
				// App E, Theorem 1: the sum is within n/f; so the mean within 1/f, and half an ulp of float32.
				mean, want := float64(r.hosts[w].Means[g][i]), exact/float64(r.n)
				if math.Abs(mean-want) > 1/f+math.Abs(want)*0x1p-24 {
					t.Fatalf("worker %d, generation %d, element %d: mean %v, want %v within %v", w, g, i, mean, want, 1/f)
				}
			}
		}
	}
}

// factor is the scaling factor that the workers must have agreed on for a block:
// (2^31-n)/(n 2^e), 2^e the power of two above the largest magnitude.
func (r *rig) factor(g, block int) float64 {
	top := 0.0
	for _, h := range r.hosts {
		for _, v := range h.Tensors[g][block*elements : min((block+1)*elements, r.tensor)] {
			top = max(top, math.Abs(float64(v)))
		}
	}
	if top == 0 {
		return 1
	}
	_, e := math.Frexp(top) // top = frac*2^e, frac in [1/2, 1)
	return (0x1p31 - float64(r.n)) / float64(r.n) / math.Ldexp(1, e)
}

func (r *rig) blocks() int { return (r.tensor + elements - 1) / elements }

func count(c *switchml.Core, name string) int {
	for _, x := range c.Counters() {
		if x.Name == name {
			return int(x.N)
		}
	}
	return 0
}

func drawParams(t *rapid.T) params {
	return params{
		n: rapid.IntRange(1, 5).Draw(t, "workers"), tensor: rapid.IntRange(1, 1500).Draw(t, "tensor"),
		slots: rapid.IntRange(1, 8).Draw(t, "slots"), gens: rapid.IntRange(1, 3).Draw(t, "generations"),
		delay: rapid.SampledFrom([]units.Duration{0, units.Microsecond, 90 * units.Microsecond}).Draw(t, "delay"),
	}
}

func mustBeDone(t rapid.TB, r *rig) {
	t.Helper()
	if !r.run(t) {
		t.Fatal("nothing is pending, but not all workers are done")
	}
}
