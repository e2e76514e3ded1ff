package switchml_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchml"
)

var (
	inf = float32(math.Inf(1))
	nan = float32(math.NaN())
)

// What is no number, too small or too large has a defined place, whatever values
// packets carry, and its neighbours of the same block are right.
func TestOddValues(t *testing.T) {
	small := float32(math.SmallestNonzeroFloat32)
	for _, kind := range []switchml.Values{"", switchml.Int32, switchml.Fixed16} {
		for _, c := range []struct {
			name      string
			a, b      []float32 // of two workers
			want      []float32
			saturated [2]int
		}{
			{"NaN is zero", []float32{nan, 1}, []float32{2, 1}, []float32{1, 1}, [2]int{1, 0}},
			{"nothing but NaN", []float32{nan, nan}, []float32{nan, 0}, []float32{0, 0}, [2]int{2, 1}},
			{"zeros", []float32{0, 0}, []float32{0, float32(math.Copysign(0, -1))}, []float32{0, 0}, [2]int{}},
			{"zeros and values", []float32{0, 0}, []float32{3, -8}, []float32{1.5, -4}, [2]int{}},
			{"subnormal numbers", []float32{1000 * small, 0}, []float32{3000 * small, 0x1p-127}, []float32{2000 * small, 0x1p-128}, [2]int{}},
			{"the largest", []float32{math.MaxFloat32, 0}, []float32{math.MaxFloat32, 0}, []float32{math.MaxFloat32, 0}, [2]int{}},
			{"infinities are the largest", []float32{inf, 1}, []float32{-inf, 1}, []float32{0, 0}, [2]int{1, 1}},
			{"one infinity", []float32{inf, 0}, []float32{0, 0}, []float32{math.MaxFloat32 / 2, 0}, [2]int{1, 0}},
		} {
			r := newRig(t, params{n: 2, tensor: len(c.a), slots: 1, gens: 1, host: func(cfg *switchml.Config) { cfg.Values = kind }})
			r.hosts[0].Tensors[0], r.hosts[1].Tensors[0] = c.a, c.b
			mustBeDone(t, r)
			top := 0.0
			for _, v := range append(append([]float32(nil), c.a...), c.b...) {
				if a := math.Abs(float64(v)); a == a {
					top = max(top, min(a, math.MaxFloat32))
				}
			}
			for w, h := range r.hosts {
				for i, want := range c.want {
					// Fixed16 has 14 bits for each of two workers; below 2^-126 a block has a
					// coarser unit, that of the smallest normal number.
					if off := math.Abs(float64(h.Means[0][i]) - float64(want)); off > max(top, 0x1p-126)*0x1p-13 {
						t.Errorf("%s %s: worker %d, element %d: mean %v, want %v", kind, c.name, w, i, h.Means[0][i], want)
					}
				}
				if got := h.Outcomes[0].Saturated; got != c.saturated[w] {
					t.Errorf("%s %s: worker %d: %d values saturated, want %d", kind, c.name, w, got, c.saturated[w])
				}
			}
		}
	}
}

// A packet may bear any exponent: what comes of one that no worker with this block
// can have sent is counted, and stays within its word.
func TestForeignExponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := testConfig()
		cfg.Slots, cfg.Tensor = 1, 2
		cfg.Values = switchml.Values(rapid.SampledFrom(switchml.Kinds()).Draw(t, "values"))
		cfg.Scaling = gradient.Rule(rapid.SampledFrom(gradient.Rules()).Draw(t, "rule"))
		c, err := switchml.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		g := []float32{math.Float32frombits(rapid.Uint32().Draw(t, "bits")), 1}
		e := int8(rapid.IntRange(-128, 127).Draw(t, "exponent"))
		var eff sansio.Effects
		c.Begin(0, 0, g, &eff)
		h := wire.Header{Type: 1, Size: 1, PacketID: 1, E0: e, E1: int8(rapid.IntRange(-128, 127).Draw(t, "second"))}
		eff.Reset()
		c.Handle(0, []sansio.Arrival{answer(flowOf(0).Reverse(), h, 0)}, &eff)
		if len(eff.Sends) != 1 {
			t.Fatalf("%d packets follow", len(eff.Sends))
		}
		if got, lowest := count(c, switchml.CountSaturated), gradient.Exponent(g[1:]); got == 0 && e < lowest-2 {
			t.Fatalf("1 fits below 2^%d", e)
		}
		h.PacketID, h.Set = 2, 1
		eff.Reset()
		c.Handle(0, []sansio.Arrival{answer(flowOf(0).Reverse(), h, int32(rapid.Uint32().Draw(t, "sum")))}, &eff)
		if !c.Complete(0) {
			t.Fatal("not complete")
		}
		_, mean := c.Finish(0)
		mean(make([]float32, 2))
	})
}

// Results of a switch that converts badly are zeros, and counted.
func TestSumsThatAreNoNumber(t *testing.T) {
	cfg := testConfig()
	cfg.Slots, cfg.Tensor, cfg.Values = 1, 3, switchml.Half
	c := newCore(t, cfg)
	var eff sansio.Effects
	c.Begin(0, 0, []float32{1, 1, 1}, &eff)
	eff.Reset()
	down := flowOf(0).Reverse()
	c.Handle(0, []sansio.Arrival{answer(down, wire.Header{Type: 1, Size: 1, PacketID: 1, E0: 1}, 0)}, &eff)
	eff.Reset()
	c.Handle(0, []sansio.Arrival{answer(down, wire.Header{Type: 1, Size: 1, PacketID: 2, Set: 1}, 0x7e003800)}, &eff) // NaN and 0.5
	if got := count(c, switchml.CountUnfit); got != 2 {
		t.Errorf("%d sums are no number, want 2 of NaN, 0.5, NaN", got)
	}
	_, mean := c.Finish(0)
	got := make([]float32, 3)
	mean(got)
	if got[0] != 0 || got[1] != 0.5 || got[2] != 0 {
		t.Errorf("means %v", got)
	}
}

// Nothing that comes from the network, in any order, makes a core panic or send
// from slots that are not its own.
func TestHostileResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := testConfig()
		cfg.Tensors, cfg.Tensor, cfg.Slots = []int{100, 1, 300}, 401, 4
		cfg.Threads = rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "threads")
		cfg.Streaming = rapid.Bool().Draw(t, "streaming")
		c, err := switchml.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var eff sansio.Effects
		c.Begin(0, 0, make([]float32, 401), &eff)
		begun := 1
		for now := range units.Time(rapid.IntRange(1, 60).Draw(t, "packets")) {
			down := flowOf(0).Reverse()
			down.DstPort += uint16(rapid.IntRange(0, 4).Draw(t, "port"))
			h := wire.Header{
				Type: 1, Size: 1, PacketID: uint32(rapid.IntRange(0, 6).Draw(t, "id")), Set: uint8(rapid.IntRange(0, 1).Draw(t, "set")),
				Slot: uint16(rapid.IntRange(0, 9).Draw(t, "slot")), E0: int8(rapid.IntRange(-128, 127).Draw(t, "e0")), E1: int8(rapid.IntRange(-1, 2).Draw(t, "e1")),
			}
			eff.Reset()
			c.Handle(now, []sansio.Arrival{answer(down, h, 1)}, &eff)
			if cfg.Streaming && begun < 4 && rapid.IntRange(0, 9).Draw(t, "begin") == 0 {
				c.Begin(now, begun, make([]float32, 401), &eff)
				begun++
			}
			for _, s := range eff.Sends {
				for f := range s.Train.Frames() {
					got, _ := wire.Parse(s.Train.Payload(f))
					if int(got.Slot) >= switchml.PoolOf(cfg.Slots, cfg.Threads) {
						t.Fatalf("sends on slot %d", got.Slot)
					}
				}
			}
		}
	})
}
