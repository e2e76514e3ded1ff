package atp

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/proptest"
	"github.com/inalab/inalab/internal/wire/atp"
)

// Each packet that a worker makes has the name of its block, over all wraps; sweeps have none.
func TestNamingIsThatOfWorkers(t *testing.T) {
	wraps, sweeps := 0, 0
	proptest.Until(t, func() bool { return wraps >= 3 && sweeps > 0 }, func(rt *rapid.T) {
		cfg := drawNaming(rt)
		const generations = 200
		names := NewNaming(cfg, generations)
		c, err := New(cfg)
		if err != nil {
			rt.Fatal(err)
		}
		for gen := range generations {
			g := c.newGeneration(gen)
			c.shareAll(g)
		}
		for i := range c.streams {
			w, s := checkNames(rt, &c.streams[i], names)
			wraps, sweeps = max(wraps, w), sweeps+s
		}
	})
	if wraps < 3 || sweeps == 0 {
		t.Errorf("numbers came again %d times, and there were %d sweeps", wraps, sweeps)
	}
}

func drawNaming(rt *rapid.T) Config {
	servers := rapid.IntRange(1, 2).Draw(rt, "servers")
	cfg := testConfig(0, 2, servers)
	cfg.Aggregators = rapid.IntRange(1, 4).Draw(rt, "aggregators")
	if rapid.Bool().Draw(rt, "no aggregators") {
		cfg.Aggregators = 0
	}
	cfg.Sweep = rapid.Bool().Draw(rt, "used before")
	cfg.SequenceBits, cfg.Span = 8, 4
	cfg.Threads = rapid.IntRange(1, 2).Draw(rt, "threads")
	cfg.Tensor = rapid.IntRange(5*block, 9*block).Draw(rt, "tensor")
	if first := rapid.IntRange(0, cfg.Tensor-1).Draw(rt, "first tensor"); first > 0 {
		cfg.Tensors = []int{first, cfg.Tensor - first}
	}
	cfg.Cut = rapid.IntRange(1, 4).Draw(rt, "cut") * block
	return cfg
}

// checkNames takes all packets of a stream.
func checkNames(rt *rapid.T, s *stream, names *Naming) (wraps, sweeps int) {
	for packet := uint64(0); len(s.parts) > 0; packet++ {
		turn, number := s.name(packet)
		names.Follow(turn, number)
		wraps = int(turn)
		gen, of, ok := names.Block(turn, number)
		if _, sweep := s.sweeps.index(packet); sweep {
			if sweeps++; ok {
				rt.Fatalf("packet %d is of a sweep, but has the name of block %d", packet, of)
			}
			continue
		}
		f := s.cut()
		if want := f.tensor.before + f.block; !ok || gen != f.tensor.gen.number || of != want {
			rt.Fatalf("packet %d is block %d of generation %d, named %d of %d, %v", packet, want, f.tensor.gen.number, of, gen, ok)
		}
		checkTurn(rt, names, s.numbers, packet)
	}
	return wraps, sweeps
}

// checkTurn asks for packets near the latest.
func checkTurn(rt *rapid.T, names *Naming, n atp.Numbers, latest uint64) {
	for _, packet := range []uint64{latest, latest + uint64(n.Size)/2 - 1, max(latest, uint64(n.Size)/2) - uint64(n.Size)/2} {
		if got, want := names.Turn(n.Of(packet)), uint32(packet/uint64(n.Size)); got != want {
			rt.Fatalf("packet %d next to %d is of turn %d, told %d", packet, latest, want, got)
		}
	}
}

// Numbers of no stream have no name.
func TestNamingOfNothing(t *testing.T) {
	names := NewNaming(testConfig(0, 2, 1), 1)
	for _, number := range []uint32{0, 127, 1 << 23} {
		names.Follow(9, number)
		if _, _, ok := names.Block(0, number); ok || names.Turn(number) != 0 {
			t.Errorf("number %d has a name", number)
		}
	}
	if _, _, ok := names.Block(0, 5); ok {
		t.Error("a packet behind the last has a name")
	}
}
