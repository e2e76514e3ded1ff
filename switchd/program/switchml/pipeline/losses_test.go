package pipeline

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// What a control plane sets is listed by port; dice that begin anew fall as before.
func TestLosses(t *testing.T) {
	c := newChip(t, oneJob(64, 1, 2), Options{})
	for _, l := range []dataplane.Loss{{Port: 1, Probability: 0.25}, {Port: 0, Leaving: true, Probability: 1}, {Port: 0, Probability: 0.5}} {
		if err := c.e.Lose(l); err != nil {
			t.Fatal(err)
		}
	}
	want := []dataplane.Loss{{Port: 0, Probability: 0.5}, {Port: 0, Leaving: true, Probability: 1}, {Port: 1, Probability: 0.25}}
	if got := c.e.Losses(); !slices.Equal(got, want) {
		t.Errorf("set %v, want %v", got, want)
	}
	if err := c.e.Lose(dataplane.Loss{Port: sansio.Port(MaxPorts)}); err == nil {
		t.Error("a port that is none")
	}
	lost := func(seed uint64) (pattern []uint64) {
		if err := c.e.ReseedLosses(0, false, seed); err != nil {
			t.Fatal(err)
		}
		for range 40 {
			before := c.count(switchml.DropArrival)
			c.send(packetOf(0, 0, 64))
			pattern = append(pattern, c.count(switchml.DropArrival)-before)
		}
		return pattern
	}
	if err := c.e.ReseedLosses(sansio.Port(MaxPorts), false, 1); err == nil {
		t.Error("dice of a port that is none")
	}
	first := lost(7)
	if !slices.Equal(first, lost(7)) || slices.Equal(first, lost(8)) || !slices.Contains(first, 0) || !slices.Contains(first, 1) {
		t.Errorf("seed 7 gives %v, again %v, seed 8 %v", first, lost(7), lost(8))
	}
}

// Which packets a port loses, in either direction, depends on its dice alone: not on
// what goes through another port, loses there, or has its dice begun anew. So it is
// with time and without.
func TestDiceOfAPortAreItsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := neighbours{
			t: t, seed: rng.Root(rapid.Uint64().Draw(t, "seed")), timed: rapid.Bool().Draw(t, "timed"), packets: rapid.IntRange(1, 60).Draw(t, "packets"),
			in: rapid.Float64Range(0, 1).Draw(t, "lost in"), out: rapid.Float64Range(0, 1).Draw(t, "lost out"),
		}
		alone := x.arrived(false)
		if crowded := x.arrived(true); !slices.Equal(alone, crowded) {
			t.Fatalf("results of phases %v come, beside a neighbour %v", alone, crowded)
		}
		if again := x.arrived(false); !slices.Equal(alone, again) {
			t.Fatalf("results of phases %v come, once more %v", alone, again)
		}
	})
}

// neighbours are two workers, each its own job, at ports 0 and 1.
type neighbours struct {
	t       *rapid.T
	seed    rng.Root
	timed   bool
	packets int
	in, out float64 // losses at port 0
}

// arrived sends the packets of the first worker, and between them those of the other, and
// returns the phases whose results come to the first.
func (x *neighbours) arrived(both bool) (phases []uint32) {
	cfg := bareConfig()
	cfg.Jobs = []switchml.Job{jobOf(1, 64, 1, 0, 1), jobOf(2, 64, 1, 1, 1)}
	o := Options{Seed: x.seed}
	if x.timed {
		o.Timing = timing(x.t)
	}
	c := newChip(x.t, cfg, o)
	x.lose(c, 0, x.in, x.out)
	if both {
		x.lose(c, 1, 0.5, 0.5)
	}
	now, other := units.Time(0), 0
	get := func(out []sent) {
		for _, s := range out {
			if s.port == 0 {
				phases = append(phases, s.header().PacketID)
			}
		}
	}
	for p := range x.packets {
		for range x.busy(both) {
			get(c.handle(now, arrivalOfVector(packetOf(1, other, 64))))
			if other++; other%7 == 0 {
				if err := c.e.ReseedLosses(1, other%2 == 0, uint64(other)); err != nil {
					x.t.Fatal(err)
				}
			}
		}
		get(c.handle(now, arrivalOfVector(packetOf(0, p, 64))))
		now = now.Add(200 * units.Nanosecond)
		get(c.until(now))
	}
	get(c.until(units.Never - 1))
	return phases
}

// busy returns how many packets the neighbour sends before the next one of the first.
func (x *neighbours) busy(both bool) int {
	if !both {
		return 0
	}
	return rapid.IntRange(0, 3).Draw(x.t, "neighbour's packets")
}

func (x *neighbours) lose(c *chip, port sansio.Port, in, out float64) {
	for dir, p := range map[Direction]float64{Arriving: in, Leaving: out} {
		if err := c.e.SetDrop(port, dir, p); err != nil {
			x.t.Fatal(err)
		}
	}
}
