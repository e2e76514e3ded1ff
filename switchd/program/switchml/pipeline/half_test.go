package pipeline

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// The float model: binary16 as IEEE 754 says it, in float64, which holds every value
// and every sum of 32 exactly.

// real returns the number that a float of 16 bits is.
func real16(h uint16) float64 {
	sign, code, m := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)
	if code == 0 {
		return sign * math.Ldexp(m, -24)
	}
	return sign * math.Ldexp(1024+m, code-25)
}

// nearest returns the float of 16 bits nearest to a number; of two as near the even.
func nearest(v float64) uint16 {
	sign := uint16(0)
	if v < 0 {
		sign, v = 1<<15, -v
	}
	below := uint16(0)
	for lo, hi := uint16(0), uint16(31<<10-1); lo <= hi; { // they are in the order of their sizes
		mid := (lo + hi) / 2
		if real16(mid) <= v {
			below, lo = mid, mid+1
		} else {
			hi = mid - 1
		}
	}
	switch down, up := v-real16(below), real16(below+1)-v; {
	case up < down, up == down && below%2 == 1:
		below++
	}
	if below == 0 {
		return 0 // of what cancels the sign is plus
	}
	return sign | below
}

// halfPacket is a packet of 64 floats.
func halfPacket(w, phase int, values []uint16) []byte {
	b := make([]byte, wire.HeaderLen)
	wire.Header{Type: wire.TypeConsume, PacketID: uint32(phase), Set: uint8(phase % 2)}.Put(b)
	for _, v := range values {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}

func (s sent) half(i int) uint16 {
	return binary.BigEndian.Uint16(s.frame[inet.UDPHeaders+wire.HeaderLen+2*i:])
}

// drawHalves returns 64 floats within (-2, 2): of all sizes, with zeros, the smallest
// and the largest among them.
func drawHalves(t *rapid.T) (out []uint16) {
	for range halfElements {
		out = append(out, rapid.OneOf(rapid.Uint16Range(0, 0x3fff), rapid.SampledFrom([]uint16{0, 1, 0x3ff, 0x400, 0x3fff, 0x3c00})).Draw(t, "size")|
			rapid.SampledFrom([]uint16{0, 1 << 15}).Draw(t, "sign"))
	}
	return out
}

// Sums are those of the float model: exact, then rounded once.
func TestHalfSums(t *testing.T) {
	c := newChip(t, bareConfig(), Options{Half: true})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 3, 32}).Draw(t, "workers")
		c.mustAdd(docOf(1, halfElements, 1, 0, n))
		defer func() { _, _ = c.e.RemoveJob(0, 1) }()
		for phase := range rapid.IntRange(1, 3).Draw(t, "phases") {
			var sum [halfElements]float64
			var last []byte
			for w := range n {
				values := drawHalves(t)
				for i, v := range values {
					sum[i] += real16(v)
				}
				last = halfPacket(w, phase, values)
				if out := c.handle(0, arrival(w, last)); w < n-1 && len(out) != 0 || w == n-1 && len(out) != n {
					t.Fatalf("worker %d of %d: %d results", w, n, len(out))
				} else if w == n-1 {
					sameHalves(t, out[0], sum)
				}
			}
			again := c.handle(0, arrival(n-1, last))
			if len(again) != 1 {
				t.Fatalf("%d answers to a retransmission", len(again))
			}
			sameHalves(t, again[0], sum)
		}
	})
}

func sameHalves(t *rapid.T, s sent, sum [halfElements]float64) {
	t.Helper()
	if len(s.frame) != inet.UDPHeaders+wire.HeaderLen+2*halfElements {
		t.Fatalf("a result of %d bytes", len(s.frame))
	}
	for i, v := range sum {
		if got, want := s.half(i), nearest(v); got != want {
			t.Fatalf("element %d: %#04x (%v), want %#04x (%v) for %v", i, got, real16(got), want, real16(want), v)
		}
	}
}

// Every float of the lower half of the exponents goes into fixed point and back
// unchanged.
func TestEveryHalfComesBack(t *testing.T) {
	c := newChip(t, oneJob(halfElements, 1, 1), Options{Half: true})
	phase := 0
	for first := 0; first < 1<<14; first += halfElements / 2 {
		var values []uint16
		for i := range halfElements / 2 {
			values = append(values, uint16(first+i), uint16(first+i)|1<<15)
		}
		out := c.handle(0, arrival(0, halfPacket(0, phase, values)))
		phase++
		for i, v := range values {
			if v == 1<<15 {
				v = 0 // minus zero is zero
			}
			if got := out[0].half(i); got != v {
				t.Fatalf("%#04x comes back as %#04x", values[i], got)
			}
		}
	}
}

// A packet with a value beyond the range is rejected before any of it is added, be it
// the first or the last, infinite or no number.
func TestHalfBeyondTheRange(t *testing.T) {
	c := newChip(t, oneJob(halfElements, 1, 2), Options{Half: true})
	rejected := uint64(0)
	for _, i := range []int{0, 1, 31, 32, 62, 63} {
		for _, v := range []uint16{0x4000, 0xc000, 0x7bff, 0x7c00, 0xfc00, 0x7e01} {
			values := make([]uint16, halfElements)
			values[i] = v
			if out := c.handle(0, arrival(0, halfPacket(0, 0, values))); len(out) != 0 {
				t.Fatal("it is answered")
			}
			rejected++
		}
	}
	if c.count(string(vm.ParserRejected)) != rejected || len(c.e.Open(10)) != 0 {
		t.Errorf("%v, open %v", c.e.Counters(), c.e.Open(10))
	}
}

// What a packet of floats costs, and what such a chip is not for.
func TestHalfChip(t *testing.T) {
	c := newChip(t, oneJob(halfElements, 1, 2), Options{Half: true})
	for _, w := range []int{0, 1} {
		c.handle(0, arrival(w, halfPacket(w, 0, make([]uint16, halfElements))))
	}
	if got, want := c.passes(), map[int]uint64{HalfPasses(false): 1, HalfPasses(true): 1}; fmt.Sprint(got) != fmt.Sprint(want) || HalfPasses(true) != 11 {
		t.Errorf("packets by passes %v, want %v", got, want)
	}
	for _, j := range []switchml.Job{jobOf(2, 256, 1, 4, 1), func() switchml.Job {
		j := jobOf(2, 64, 1, 4, 1)
		j.Parent = &switchml.Parent{Addr: routerAddr(), Port: 9}
		return j
	}()} {
		if _, r := c.e.AddJob(0, &j); r == nil || !strings.Contains(r.Error(), "16-bit floats") {
			t.Errorf("%v", r)
		}
	}
}

// Half the range fills the memory of the stages; the full range has 31 blocks for
// each value, more than there are: the checker refuses it.
func TestHalfRangeFitsAndFullDoesNot(t *testing.T) {
	b := builder{half: true}
	placed, err := fit.Place(b.program())
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "half.txt", placed.String())
	_, err = fit.Place(HalfOfAll())
	refused := fit.Refusals(err)
	if len(refused) == 0 {
		t.Fatal("the full range fits")
	}
	for _, r := range refused {
		if r.Rule != fit.SRAM.Rule() || !strings.Contains(r.What, "31 for it") {
			t.Errorf("%v", r)
		}
	}
}

// The largest value of the table, from as many workers as there may be, and its
// negative: the sums are exact, and fit.
func TestLargestSumOfHalves(t *testing.T) {
	c := newChip(t, oneJob(halfElements, 1, wire.HalfWorkers), Options{Half: true})
	values := make([]uint16, halfElements)
	for i := range values {
		values[i] = nearest(wire.HalfLimit) - 1 | uint16(i%2)<<15
	}
	var out []sent
	for w := range wire.HalfWorkers {
		out = c.handle(0, arrival(w, halfPacket(w, 0, values)))
	}
	if len(out) != wire.HalfWorkers {
		t.Fatalf("%d results", len(out))
	}
	for i, v := range values {
		if got, want := real16(out[0].half(i)), wire.HalfWorkers*real16(v); got != want {
			t.Errorf("element %d: %v, want %v", i, got, want)
		}
	}
}
