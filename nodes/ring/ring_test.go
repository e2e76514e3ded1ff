package ring_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/ring"
	"github.com/inalab/inalab/nodes/worker"
)

var _ worker.Collective = (*ring.Core)(nil)

const headerLen = 12 // of a chunk

// circle is n cores whose streams are byte queues.
type circle struct {
	t      rapid.TB
	cores  []*ring.Core
	rec    []*sansiotest.Recorder
	pipes  [][]byte // pipe w leads from core w to the next one
	sent   []int    // bytes that core w sent
	gens   int
	tensor int
	gen    []int // generation that core w is in

	means []func() // of each core, the mean of the last generation, not taken yet
}

// valuesOf is worker w's tensor; values are multiples of 2^-20, exact under the
// factor 2^20.
func valuesOf(w, g, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(int32(uint32(w+1)*2654435761+uint32(g)*40503+uint32(i)*1_000_003)>>8) / (1 << 20)
	}
	return out
}

func newCircle(t rapid.TB, n, size, gens int) *circle {
	t.Helper()
	c := &circle{t: t, pipes: make([][]byte, n), sent: make([]int, n), gens: gens, tensor: size, gen: make([]int, n), means: make([]func(), n)}
	for w := range n {
		rec := &sansiotest.Recorder{}
		core, err := ring.New(ring.Config{Node: "w", Rank: w, Workers: n, Tensor: size, Fixed: gradient.Fixed{Factor: 1 << 20}, Recorder: rec})
		if err != nil {
			t.Fatal(err)
		}
		c.cores, c.rec = append(c.cores, core), append(c.rec, rec)
	}
	return c
}

// carryOut puts what core w sends into its pipe.
func (c *circle) carryOut(w int, eff *sansio.Effects) {
	for _, s := range eff.Sends {
		if len(s.To) != 1 || s.To[0] != ring.Next {
			c.t.Fatalf("core %d sends by %v", w, s.To)
		}
		c.pipes[w] = append(c.pipes[w], s.Train.Body...)
		c.sent[w] += len(s.Train.Body)
	}
	eff.Reset()
}

func (c *circle) begin(w int) {
	var eff sansio.Effects
	c.cores[w].Begin(0, c.gen[w], valuesOf(w, c.gen[w], c.tensor), &eff)
	c.carryOut(w, &eff)
	c.progress(w)
}

// deliver hands the first k bytes of pipe w to the next core.
func (c *circle) deliver(w, k int) {
	next := (w + 1) % len(c.cores)
	var eff sansio.Effects
	b := append([]byte(nil), c.pipes[w][:k]...)
	c.pipes[w] = c.pipes[w][k:]
	c.cores[next].Handle(0, []sansio.Arrival{{Port: ring.Prev, Train: sansio.Train{Body: b}}}, &eff)
	for i := range b {
		b[i] = 0xdb // borrowed until here
	}
	c.carryOut(next, &eff)
	c.progress(next)
}

// progress finishes a complete generation of core w and begins the next. The
// mean of a generation is taken as late as it can be: after the next.
func (c *circle) progress(w int) {
	core, g := c.cores[w], c.gen[w]
	if g == c.gens || !core.Complete(g) {
		return
	}
	out, take := core.Finish(g)
	if !out.Contributed || out.Saturated != 0 || out.Degraded != 0 {
		c.t.Fatalf("outcome %+v", out)
	}
	if core.Complete(g) {
		c.t.Fatal("complete after Finish")
	}
	if c.means[w] != nil {
		c.means[w]()
	}
	c.means[w] = func() { c.checkMean(w, g, take) }
	if c.gen[w]++; c.gen[w] < c.gens {
		c.begin(w)
		return
	}
	c.means[w]()
}

func (c *circle) checkMean(w, g int, take func([]float32)) {
	mean := make([]float32, c.tensor)
	take(mean)
	for i, m := range mean {
		if want := float32(float64(c.sum(g, i)) / (float64(1<<20) * float64(len(c.cores)))); m != want {
			c.t.Fatalf("core %d, generation %d: mean %d is %v, want %v", w, g, i, m, want)
		}
	}
}

// sum is the oracle: the integers of all workers.
func (c *circle) sum(g, i int) (sum int32) {
	for w := range c.cores {
		sum += int32(math.RoundToEven(float64(valuesOf(w, g, c.tensor)[i]) * (1 << 20)))
	}
	return sum
}

// Any number of workers, any cut of the streams, any speed of each: every rank
// has the same sums, and each sends 2(n-1) chunks of 1/n of the tensor.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "workers")
		c := newCircle(t, n, rapid.IntRange(n, 60).Draw(t, "tensor"), rapid.IntRange(1, 3).Draw(t, "generations"))
		started := make([]bool, n)
		for {
			var ready []int // pipes with bytes, and -1-w for workers that have not begun
			for w := range n {
				if len(c.pipes[w]) > 0 {
					ready = append(ready, w)
				}
				if !started[w] {
					ready = append(ready, -1-w)
				}
			}
			if len(ready) == 0 {
				break
			}
			w := rapid.SampledFrom(ready).Draw(t, "next")
			if w < 0 {
				started[-1-w] = true
				c.begin(-1 - w)
				continue
			}
			c.deliver(w, rapid.IntRange(1, len(c.pipes[w])).Draw(t, "bytes"))
		}
		c.check(t)
	})
}

func (c *circle) check(t rapid.TB) {
	t.Helper()
	n := len(c.cores)
	for w, rec := range c.rec {
		if c.gen[w] != c.gens {
			t.Fatalf("core %d is in generation %d of %d, and nothing is on its way", w, c.gen[w], c.gens)
		}
		for g := range c.gens {
			for i := range c.tensor {
				if rec.In[g][i] != c.sum(g, i) {
					t.Fatalf("core %d, generation %d: sum %d is %d, want %d", w, g, i, rec.In[g][i], c.sum(g, i))
				}
				if want := int32(math.RoundToEven(float64(valuesOf(w, g, c.tensor)[i]) * (1 << 20))); rec.Out[g][i] != want {
					t.Fatalf("core %d, generation %d: says it sent %d, want %d", w, g, rec.Out[g][i], want)
				}
			}
		}
		// Every chunk goes out n-1 times in each half, but for one a half that does not.
		size := func(i int) int { i = (i + n) % n; return 4 * ((i+1)*c.tensor/n - i*c.tensor/n) }
		all := 4 * c.tensor
		want := c.gens * (all - size(w+1) + all - size(w+2) + 2*(n-1)*headerLen)
		if c.sent[w] != want {
			t.Fatalf("core %d of %d sent %d bytes, want %d", w, n, c.sent[w], want)
		}
		if got := count(c.cores[w], ring.CountChunks); got != c.gens*2*(n-1) {
			t.Fatalf("core %d counts %d chunks", w, got)
		}
	}
}

// Where n divides the tensor, a worker sends exactly 2(n-1)/n of it.
func TestBytes(t *testing.T) {
	for n := 2; n <= 6; n++ {
		c := newCircle(t, n, 60*n, 1)
		for w := range n {
			c.begin(w)
		}
		for moved := true; moved; {
			moved = false
			for w := range n {
				if k := len(c.pipes[w]); k > 0 {
					c.deliver(w, k)
					moved = true
				}
			}
		}
		for w, got := range c.sent {
			if want := 2*(n-1)*4*60*n/n + 2*(n-1)*headerLen; got != want {
				t.Errorf("n=%d: worker %d sent %d bytes, want %d", n, w, got, want)
			}
		}
	}
}

func count(c *ring.Core, name string) int {
	for _, x := range c.Counters() {
		if x.Name == name {
			return int(x.N)
		}
	}
	return 0
}

// A stream whose next chunk is not the awaited one is given up: nothing of it is
// added, and nothing ever completes.
func TestStreamOutOfStep(t *testing.T) {
	good := make([]byte, headerLen+4*5)
	binary.BigEndian.PutUint32(good[8:], 4*5)
	for name, change := range map[string]func([]byte){
		"generation": func(b []byte) { b[3] = 1 },
		"step":       func(b []byte) { b[7] = 1 },
		"length":     func(b []byte) { b[11] += 4 },
	} {
		c, err := ring.New(ring.Config{Node: "w", Rank: 0, Workers: 2, Tensor: 10})
		if err != nil {
			t.Fatal(err)
		}
		var eff sansio.Effects
		c.Begin(0, 0, make([]float32, 10), &eff)
		eff.Reset()
		bad := append([]byte(nil), good...)
		change(bad)
		handle := func(port sansio.Port, b []byte) {
			c.Handle(0, []sansio.Arrival{{Port: port, Train: sansio.Train{Body: b}}}, &eff)
		}
		handle(ring.Prev, bad[:headerLen-1])
		if count(c, ring.DropOutOfStep) != 0 {
			t.Errorf("%s: judged before the header is complete", name)
		}
		handle(ring.Prev, bad[headerLen-1:])
		handle(ring.Prev, good)
		handle(ring.Next, good)
		for reason, want := range map[string]int{ring.DropOutOfStep: 1, ring.DropAfterFault: 1, ring.DropWrongPort: 1} {
			if got := count(c, reason); got != want {
				t.Errorf("%s: %s %d, want %d", name, reason, got, want)
			}
		}
		if c.Complete(0) || len(eff.Sends) != 0 {
			t.Errorf("%s: went on after the fault", name)
		}
	}
}

// Bytes on the sending stream are nobody's.
func TestWrongPort(t *testing.T) {
	c := newCircle(t, 2, 10, 1)
	c.begin(0)
	var eff sansio.Effects
	c.cores[0].Handle(0, []sansio.Arrival{{Port: ring.Next, Train: sansio.Train{Body: []byte{1, 2, 3}}}}, &eff)
	c.begin(1)
	for c.gen[0] == 0 || c.gen[1] == 0 {
		for w := range 2 {
			c.deliver(w, len(c.pipes[w]))
		}
	}
	c.check(t)
}

func TestNoTimers(t *testing.T) {
	c := newCircle(t, 2, 10, 1)
	c.begin(0)
	var eff sansio.Effects
	c.cores[0].Expire(units.Time(units.Second), &eff)
	if c.cores[0].NextDeadline() != units.Never || len(eff.Sends) != 0 {
		t.Error("the streams keep the timers")
	}
}

func TestConfig(t *testing.T) {
	for _, cfg := range []ring.Config{
		{Rank: 0, Workers: 1, Tensor: 10}, {Rank: 2, Workers: 2, Tensor: 10}, {Rank: -1, Workers: 2, Tensor: 10}, {Rank: 0, Workers: 3, Tensor: 2}, {Rank: 0, Workers: 2, Tensor: 2, Sample: -1},
	} {
		cfg.Node = "w17"
		if _, err := ring.New(cfg); err == nil || !strings.Contains(err.Error(), "w17") {
			t.Errorf("%+v: error %v", cfg, err)
		}
	}
}

// Tensors that are int32 already go as they are.
func TestIntegers(t *testing.T) {
	const n, size = 3, 10
	c := newCircle(t, n, size, 0) // no generations of floats
	q := func(w, g, i int) int32 { return int32(uint32(w+1)*2654435761 + uint32(g)*40503 + uint32(i)*1_000_003) }
	for g := range 3 {
		for w, core := range c.cores {
			mine := make([]int32, size)
			for i := range mine {
				mine[i] = q(w, g, i)
			}
			var eff sansio.Effects
			core.BeginInts(0, g, mine, &eff)
			c.carryOut(w, &eff)
		}
		for moved := true; moved; {
			moved = false
			for w := range n {
				if k := len(c.pipes[w]); k > 0 {
					c.deliver(w, k)
					moved = true
				}
			}
		}
		for w, core := range c.cores {
			if !core.Complete(g) {
				t.Fatalf("generation %d of worker %d is not complete", g, w)
			}
			for i, got := range core.Sums() {
				if want := q(0, g, i) + q(1, g, i) + q(2, g, i); got != want {
					t.Errorf("worker %d, generation %d: sum %d is %d, want %d", w, g, i, got, want)
				}
			}
		}
	}
}
