package pipeline

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
	nodes "github.com/inalab/inalab/nodes/switchml"
)

// halfHosts are workers whose packets carry 16-bit floats.
func halfHosts(t rapid.TB, n, slots, tensor int) (hosts []*nodes.Core) {
	for w := range n {
		h, err := nodes.New(nodes.Config{
			Node: "h", Workers: n, Tensor: tensor, Elements: halfElements / 2, Slots: slots, Values: nodes.Half, Flow: flowFrom(w), Port: sansio.Port(w),
		})
		if err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, h)
	}
	return hosts
}

// Hosts in their 16-bit mode and the chip understand each other: means are right to
// the 11 bits of a float, without a conversion at a host after the first.
func TestHalfWithHosts(t *testing.T) {
	c := newChip(t, bareConfig(), Options{Half: true})
	rapid.Check(t, func(t *rapid.T) {
		n, slots, tensor := rapid.IntRange(1, 5).Draw(t, "workers"), rapid.IntRange(1, 3).Draw(t, "slots"), rapid.IntRange(1, 400).Draw(t, "tensor")
		c.mustAdd(docOf(1, halfElements, slots, 0, n))
		defer func() { _, _ = c.e.RemoveJob(0, 1) }()
		hosts := halfHosts(t, n, slots, tensor)
		exact, grads := make([]float64, tensor), make([][]float32, n)
		scale := math.Ldexp(1, rapid.IntRange(-20, 20).Draw(t, "scale"))
		var eff sansio.Effects
		for w, h := range hosts {
			for i := range tensor {
				g := float32(float64(value(w, 0, 0, i)) / (1 << 31) * scale)
				grads[w] = append(grads[w], g)
				exact[i] += float64(g) / float64(n)
			}
			h.Begin(0, 0, grads[w], &eff)
		}
		carry(t, c, hosts, &eff)
		for w, h := range hosts {
			if !h.Complete(0) {
				t.Fatalf("worker %d is not done", w)
			}
			mean := make([]float32, tensor)
			_, finish := h.Finish(0)
			finish(mean)
			for i, got := range mean {
				lo := i / halfElements * halfElements
				if limit := blockTop(grads, lo, min(lo+halfElements, tensor)) / 1024; math.Abs(float64(got)-exact[i]) > limit {
					t.Fatalf("worker %d, element %d: %v, want %v within %v", w, i, got, exact[i], limit)
				}
			}
		}
	})
}

// blockTop returns the power of two above the values of a block.
func blockTop(grads [][]float32, lo, hi int) float64 {
	e := gradient.ExponentNone
	for _, g := range grads {
		e = max(e, gradient.Exponent(g[lo:hi]))
	}
	return math.Ldexp(1, int(e))
}

// carry takes packets between hosts and chip until there are none.
func carry(t rapid.TB, c *chip, hosts []*nodes.Core, eff *sansio.Effects) {
	up := frames(eff)
	for round := 0; len(up) > 0; round++ {
		if round > 10_000 {
			t.Fatal("packets go round for ever")
		}
		var next []sent
		for _, s := range up {
			for _, down := range c.handle(0, frameArrival(s.port%MaxPorts, s.frame)) {
				to := down.frame[inet.EtherLen+inet.IPv4Len-1] // last byte of the address
				hosts[to].Handle(0, []sansio.Arrival{frameArrival(0, down.frame)}, eff)
				next = append(next, frames(eff)...)
			}
		}
		up = next
	}
}

// frames takes what hosts send: their own port is that of the switch.
func frames(eff *sansio.Effects) []sent { return take(0, eff) }

// At the limits that hosts and switch share, sums are exact: of as many workers as there
// may be, each with the largest magnitudes that hosts send, either sign. One worker more is
// refused by both.
func TestHalfAtTheLimits(t *testing.T) {
	const n, tensor = wire.HalfWorkers, halfElements
	c := newChip(t, bareConfig(), Options{Half: true})
	c.mustAdd(docOf(1, halfElements, 1, 0, n))
	hosts := halfHosts(t, n, 1, tensor)
	var eff sansio.Effects
	for _, h := range hosts {
		g := make([]float32, tensor)
		for i := range g {
			g[i] = float32(1-2*(i%2)) * math.Nextafter32(1, 0) // below a power of two, and rounded up to it
		}
		h.Begin(0, 0, g, &eff)
	}
	carry(t, c, hosts, &eff)
	for w, h := range hosts {
		if !h.Complete(0) {
			t.Fatalf("worker %d is not done", w)
		}
		if got := h.Sums()[0]; got != n*wire.HalfMost<<wire.HalfUnitBits {
			t.Fatalf("worker %d is given a sum of %d units", w, got)
		}
		mean := make([]float32, tensor)
		_, finish := h.Finish(0)
		finish(mean)
		for i, got := range mean {
			if want := float32(1 - 2*(i%2)); got != want {
				t.Fatalf("worker %d, element %d: %v, want %v", w, i, got, want)
			}
		}
	}
	_, err := nodes.New(nodes.Config{Node: "h", Workers: n + 1, Tensor: 1, Elements: halfElements / 2, Slots: 1, Values: nodes.Half, Flow: flowFrom(0)})
	if err == nil || !strings.Contains(err.Error(), "33 workers: half values allow 32") {
		t.Errorf("a host takes one worker more: %v", err)
	}
	if _, err := New(oneJob(halfElements, 1, n+1), Options{Half: true}); err == nil || !strings.Contains(err.Error(), "name at most 32") {
		t.Errorf("the chip takes one worker more: %v", err)
	}
}
