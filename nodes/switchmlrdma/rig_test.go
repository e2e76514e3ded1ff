package switchmlrdma_test

import (
	"math"
	"net/netip"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchmlrdma"
	"github.com/inalab/inalab/nodes/worker"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
)

var _ worker.IntegerCollective = (*switchmlrdma.Core)(nil)

const (
	elements = 64
	us       = units.Microsecond
	// firstPSN lets numbers wrap in every run that sends two packets.
	firstPSN = uint32(roce.MaxPSN)
)

func routerAddr() netip.Addr { return netip.MustParseAddr("10.0.0.254") }

func workerAddr(w int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(w + 1)}) }

func flowOf(w int) inet.Flow {
	return inet.Flow{SrcMAC: inet.MAC{2, 0, 0, 0, 0, byte(w)}, DstMAC: inet.MAC{2, 1}, Src: workerAddr(w), Dst: routerAddr(), SrcPort: roce.Port, DstPort: roce.Port}
}

// params describes a run: n workers reduce gens tensors over one switch.
type params struct {
	n, tensor, packets, queues, gens int
	ints                             bool // int32 tensors
	every                            int  // blocks that carry values
	faithful                         bool
	delay                            units.Duration
	drop                             func(worker int, up bool, f sansio.Train) bool
	copies                           func(worker int, up bool, f sansio.Train) []units.Duration // see sansiotest.Wire
}

func (p *params) block() int { return p.packets * elements }

func (p *params) blocks() int { return (p.tensor + p.block() - 1) / p.block() }

// messages returns how many a worker sends where none is sent again.
func (p *params) messages() int {
	if p.ints {
		return p.gens * p.blocks()
	}
	return p.gens * (p.blocks() + min(p.queues, p.blocks()))
}

func (p *params) core(w int) switchmlrdma.Config {
	return switchmlrdma.Config{
		Node: "w", Workers: p.n, Tensor: p.tensor, Elements: elements, Packets: p.packets, Queues: p.queues, Flow: flowOf(w),
		QPN: uint32(100 * w), PeerQPN: program.QPN(w, 0), PSN: roce.PSN(firstPSN), Key: uint32(7 + w), PeerKey: program.PoolRKey,
		CheckICRC: true, Integers: p.ints, Sample: gradient.Sampling{Every: p.every},
	}
}

func (p *params) job() program.Job {
	j := program.Job{ID: 1, Elements: elements, Slots: p.packets * p.queues, NumWorkers: p.n, RDMA: &program.RDMA{MessageBytes: 4 * p.block()}}
	for w := range p.n {
		q := &program.Queues{RKey: uint32(7 + w)}
		for i := range p.queues {
			q.QPNs, q.PSNs = append(q.QPNs, uint32(100*w+i)), append(q.PSNs, firstPSN)
		}
		j.Workers = append(j.Workers, program.Worker{ID: uint8(w), MAC: inet.MAC{2, 0, 0, 0, 1, byte(w)}, Addr: workerAddr(w), Port: sansio.Port(w), RDMA: q})
	}
	return j
}

// rig is a switch and its workers in memory.
type rig struct {
	params
	net      sansiotest.Network
	prog     *reference.RDMAProgram
	cores    []*switchmlrdma.Core
	hosts    []*sansiotest.Host
	up, down []*sansiotest.Wire
	rec      []*sansiotest.Recorder
}

// intCore reduces int32 tensors where a sansiotest.Host has floats.
type intCore struct {
	*switchmlrdma.Core
	rec *sansiotest.Recorder
	q   []int32
}

func (c *intCore) Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects) {
	c.q = c.q[:0]
	for _, v := range grad {
		c.q = append(c.q, int32(math.Float32bits(v)))
	}
	c.BeginInts(now, gen, c.q, eff)
}

func (c *intCore) Finish(gen int) (result.Outcome, func([]float32)) {
	c.rec.Sent(gen, c.q)
	c.rec.Delivered(gen, c.Sums())
	return result.Outcome{}, func([]float32) {}
}

func newRig(t rapid.TB, p params) *rig {
	t.Helper()
	r := &rig{params: p}
	var err error
	if r.prog, err = reference.NewRDMA(program.Config{Node: "tor", Router: routerAddr(), Jobs: []program.Job{p.job()}, Faithful: p.faithful, CheckICRC: true}); err != nil {
		t.Fatal(err)
	}
	sw := r.net.Add(r.prog)
	for w := range p.n {
		rec, cfg := &sansiotest.Recorder{}, p.core(w)
		cfg.Recorder = rec
		core, err := switchmlrdma.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		host := &sansiotest.Host{Core: core, Tensors: tensors(w, p)}
		if p.ints {
			host.Core = &intCore{Core: core, rec: rec}
		}
		up, down := r.wire(t, w, true), r.wire(t, w, false)
		r.net.Connect(r.net.Add(host), 0, sw, sansio.Port(w), up, down)
		r.cores, r.hosts, r.rec = append(r.cores, core), append(r.hosts, host), append(r.rec, rec)
		r.up, r.down = append(r.up, up), append(r.down, down)
	}
	return r
}

// wire returns one direction of worker w's link, which wants every ICRC right.
func (r *rig) wire(t rapid.TB, w int, up bool) *sansiotest.Wire {
	out := &sansiotest.Wire{Delay: r.delay * units.Duration(w+1), Drop: func(f sansio.Train) bool {
		var p roce.Packet
		if problem := p.Read(f.Body, f.Unstored); problem != roce.OK || f.Unstored == 0 && !roce.Check(f.Header, f.Body) {
			t.Fatalf("a frame on the wire is no write of RoCE: %q", problem)
		}
		return r.drop != nil && r.drop(w, up, f)
	}}
	if r.copies != nil {
		out.Copies = func(f sansio.Train) []units.Duration { return r.copies(w, up, f) }
	}
	return out
}

// tensors returns worker w's gradients: blocks of very different magnitude.
func tensors(w int, p params) [][]float32 {
	return sansiotest.Tensors(7, w, p.gens, p.tensor, func(g, i int) float64 { return math.Ldexp(1, (i/p.block()*13+g*5)%60-40) })
}

// run runs to the end; all workers must be done.
func (r *rig) run(t rapid.TB) {
	t.Helper()
	pending, err := r.net.Run(units.Time(3600 * units.Second))
	if err != nil || pending {
		t.Fatalf("busy after an hour: %v; %v", pending, err)
	}
	for w, h := range r.hosts {
		if !h.Done() {
			t.Fatalf("nothing is pending, but worker %d is not done: %v", w, r.cores[w].Waiting(10))
		}
	}
}

// wrong counts delivered sums that are not those of what was sent, in blocks.
func (r *rig) wrong(t rapid.TB) (blocks int) {
	t.Helper()
	bad := map[[3]int]bool{}
	for g := range r.gens {
		held := gradient.Sampling{Every: r.every}.Elements(r.tensor, r.block())
		for i := range held {
			var sum int32
			for w := range r.n {
				sum += r.rec[w].Out[g][i]
			}
			for w := range r.n {
				if len(r.rec[w].In[g]) != held {
					t.Fatalf("worker %d was given %d sums, want %d", w, len(r.rec[w].In[g]), held)
				}
				if r.rec[w].In[g][i] != sum {
					bad[[3]int{w, g, i / r.block()}] = true
				}
			}
		}
	}
	return len(bad)
}

func (r *rig) check(t rapid.TB) {
	t.Helper()
	if n := r.wrong(t); n > 0 {
		t.Fatalf("%d blocks are wrong", n)
	}
	if r.ints {
		return
	}
	for g := range r.gens { // App E, Theorem 1: the mean is within 1/f of the exact one
		for i := range r.tensor {
			exact := 0.0
			for w := range r.n {
				exact += float64(r.hosts[w].Tensors[g][i])
			}
			exact /= float64(r.n)
			for w := range r.n {
				if mean := float64(r.hosts[w].Means[g][i]); math.Abs(mean-exact) > 1/r.factor(g, i/r.block())+math.Abs(exact)*0x1p-24 {
					t.Fatalf("worker %d, generation %d, element %d: mean %v, want %v", w, g, i, mean, exact)
				}
			}
		}
	}
}

// factor is the scaling factor that the workers must have agreed on for a block.
func (r *rig) factor(g, block int) float64 {
	e := gradient.ExponentNone
	for _, h := range r.hosts {
		e = max(e, gradient.Exponent(h.Tensors[g][block*r.block():min((block+1)*r.block(), r.tensor)]))
	}
	return gradient.BlockFactor(r.n, e)
}

func (r *rig) total(name string) (n int) {
	for _, c := range r.cores {
		n += count(c, name)
	}
	return n
}

type counted interface{ Counters() []sansio.Count }

func count(c counted, name string) int {
	for _, x := range c.Counters() {
		if x.Name == name {
			return int(x.N)
		}
	}
	return 0
}

func drawParams(t *rapid.T) params {
	return params{
		n: rapid.IntRange(1, 4).Draw(t, "workers"), tensor: rapid.IntRange(1, 3000).Draw(t, "tensor"),
		packets: rapid.IntRange(1, 5).Draw(t, "packets"), queues: rapid.IntRange(1, 4).Draw(t, "queues"), gens: rapid.IntRange(1, 3).Draw(t, "generations"),
		delay: rapid.SampledFrom([]units.Duration{0, us, 90 * us}).Draw(t, "delay"), ints: rapid.Bool().Draw(t, "ints"),
	}
}
