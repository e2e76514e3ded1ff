package pipeline

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// lose sends n packets of 64 values of a job of one worker, each a phase, at a port
// that loses some, and returns which results arrived.
func lose(t *testing.T, seed rng.Root, dir Direction, probability float64, n int) (arrived []bool, c *chip) {
	t.Helper()
	c = newChip(t, oneJob(64, 1, 1), Options{Seed: seed})
	if err := c.e.SetDrop(0, dir, probability); err != nil {
		t.Fatal(err)
	}
	for p := range n {
		arrived = append(arrived, len(c.send(packetOf(0, p, 64))) == 1)
	}
	return arrived, c
}

// Packets are lost by the probability of their port and direction, the same ones for
// the same seed; what is lost on its way in changes no state.
func TestDropSimulator(t *testing.T) {
	const n = 4000
	for _, dir := range []Direction{Arriving, Leaving} {
		name := switchml.DropArrival
		if dir == Leaving {
			name = switchml.DropDeparture
		}
		for _, p := range []float64{0, 0.01, 0.5, 1} {
			arrived, c := lose(t, 1, dir, p, n)
			lost := c.count(name)
			if results := uint64(len(slices.DeleteFunc(slices.Clone(arrived), func(b bool) bool { return !b }))); results+lost != n {
				t.Errorf("%v, %v: %d results and %d losses of %d", dir, p, results, lost, n)
			}
			if far := math.Abs(float64(lost) - p*n); far > 5*math.Sqrt(p*(1-p)*n) {
				t.Errorf("%v: %d of %d are lost, with probability %v", dir, lost, n, p)
			}
			if again, _ := lose(t, 1, dir, p, n); !slices.Equal(arrived, again) {
				t.Errorf("%v, %v: the same seed loses other packets", dir, p)
			}
			if other, _ := lose(t, 2, dir, p, n); slices.Equal(arrived, other) == (p == 0.01 || p == 0.5) {
				t.Errorf("%v, %v: another seed loses the same packets, or none can be lost and some are", dir, p)
			}
			if arrivals := c.count(switchml.CountResults); dir == Leaving && arrivals != n {
				t.Errorf("%d sums, want %d: only copies are lost", arrivals, n)
			}
		}
	}
}

// A port is set and reset; other ports and the other direction lose nothing.
func TestDropIsOfOnePortAndDirection(t *testing.T) {
	c := newChip(t, oneJob(256, 1, 2), Options{})
	for _, set := range []struct {
		dir Direction
		p   float64
	}{{Arriving, 1}, {Arriving, 0.3}, {Arriving, 0}, {Leaving, 1}} {
		if err := c.e.SetDrop(1, set.dir, set.p); err != nil {
			t.Fatal(err)
		}
	}
	c.send(packetOf(0, 0, 256))
	if out := c.send(packetOf(1, 0, 256)); len(out) != 1 || out[0].port != 0 {
		t.Errorf("%d results left, want that of port 0 alone", len(out))
	}
	for says, err := range map[string]error{
		"it has ports 0 to 15": c.e.SetDrop(16, Leaving, 0.5),
		"with probability 1.5": c.e.SetDrop(0, Leaving, 1.5),
		"with probability NaN": c.e.SetDrop(0, Arriving, math.NaN()),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
