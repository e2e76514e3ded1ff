package pipeline

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
)

// crowded is traffic through a chip whose queues hold two packets, so that packets are
// lost between passes.
type crowded struct {
	*chip
	*traffic
	now units.Time
}

// internal is how much longer a packet may be inside than outside.
const internal = 32

func newCrowded(t *rapid.T, elements int) *crowded {
	cfg := bareConfig()
	first := 0
	for id := range rapid.IntRange(1, 2).Draw(t, "jobs") {
		j := jobOf(uint8(id+1), elements, rapid.IntRange(1, 2).Draw(t, "slots"), first, rapid.IntRange(1, 4).Draw(t, "workers"))
		first += len(j.Workers)
		cfg.Jobs = append(cfg.Jobs, j)
		pad := jobOf(uint8(id+10), 64, portsPerPipe-j.Slots, 100+id, 1) // so the slots of the next job share ports with those of this one
		pad.Workers[0].Port = 0
		cfg.Jobs = append(cfg.Jobs, pad)
	}
	o := Options{Timing: timing(t)}
	frame := inet.UDPHeaders + wire.HeaderLen + 4*elements + internal
	o.Timing.Queue = 2 * ((frame + tofino.CellBytes - 1) / tofino.CellBytes)
	busy := slices.DeleteFunc(slices.Clone(cfg.Jobs), func(j switchml.Job) bool { return j.ID >= 10 })
	return &crowded{chip: newChip(t, cfg, o), traffic: newTraffic(t, busy, true)}
}

// soon gives the chip a packet while others are inside.
func (c *crowded) soon(a sansio.Arrival) []sent {
	c.now = c.now.Add(units.Duration(rapid.SampledFrom([]int{0, 0, 40, 500, 2000}).Draw(c.traffic.t, "ns later")) * units.Nanosecond)
	return append(c.until(c.now), c.handle(c.now, a)...)
}

// alone gives the chip a packet that nothing disturbs.
func (c *crowded) alone(a sansio.Arrival) []sent {
	out := c.until(c.now.Add(units.Millisecond))
	c.now = c.now.Add(units.Millisecond)
	out = append(out, c.handle(c.now, a)...)
	return append(out, c.until(c.now.Add(units.Millisecond))...)
}

func (c *crowded) crowd() {
	c.stress = true
	for range rapid.IntRange(0, 8).Draw(c.traffic.t, "bursts") {
		slot := rapid.IntRange(0, 1).Draw(c.traffic.t, "slot")
		for w, k := range c.clients {
			if slot < len(k.phase) && len(c.up[w]) < mostInFlight {
				v := k.packet(slot)
				c.up[w] = append(c.up[w], v.payload())
			}
		}
		for range 3 * len(c.clients) {
			c.step(c.soon)
		}
	}
}

// level brings all workers of a job to the same phases, as the end of a tensor does.
func (c *crowded) level() {
	first := 0
	for _, j := range c.jobs {
		peers := c.clients[first : first+len(j.Workers)]
		for slot := range j.Slots {
			ahead := 0
			for _, k := range peers {
				ahead = max(ahead, k.phase[slot])
			}
			for range 4 {
				for i, k := range peers {
					if k.phase[slot] < ahead {
						c.sendAgain(first+i, slot, c.alone)
					}
				}
			}
			for _, k := range peers {
				if k.phase[slot] != ahead {
					c.traffic.t.Fatalf("worker %d is in phase %d of slot %d, another one in %d", k.w, k.phase[slot], slot, ahead)
				}
			}
		}
		first += len(j.Workers)
	}
}

// Whatever is lost between passes, sums are exact, also where jobs share ports, and
// every worker gets on: a retransmission adds where its values lack.
func TestLossBetweenPasses(t *testing.T) {
	for _, elements := range []int{64, 256} {
		t.Run(fmt.Sprint(elements), func(t *testing.T) { lossBetweenPasses(t, elements) })
	}
}

func lossBetweenPasses(t *testing.T, elements int) {
	lost := uint64(0)
	rapid.Check(t, func(t *rapid.T) {
		c := newCrowded(t, elements)
		c.crowd()
		c.heal(c.alone)
		c.level()
		passed := rapid.Uint8Range(0, quarter/2).Draw(t, "tensors without packets")
		for _, k := range c.clients {
			k.first += passed
		}
		c.crowd()
		c.heal(c.alone)
		lost += c.count(tofino.DropQueue)
		if got := c.e.Chip().Snapshot(); got.Inside != 0 {
			t.Fatalf("%d packets are still inside", got.Inside)
		}
	})
	if lost == 0 {
		t.Error("nothing was lost between passes")
	}
}

// A packet that is late is so in all pipes, although those behind the first know of no
// tags: values of the pipes before would lack in the sum.
func TestLatePacketsCountInNoPipe(t *testing.T) {
	c := newChip(t, oneJob(256, 1, 2), Options{})
	for w := range 2 {
		c.send(packetOf(w, 0, 256))
	}
	c.send(packetOf(0, 1, 256))
	for i := range 3 {
		if out := c.send(packetOf(0, 0, 256)); len(out) != 0 || c.count(switchml.DropLate) != uint64(i+1) {
			t.Fatalf("%d results, %v", len(out), c.e.Counters())
		}
		for pipe := range c.e.state.pipes {
			if sets := c.e.state.seen(pipe, 0); sets != [2]uint32{0b10, 0b01} {
				t.Fatalf("pipe %d has seen %b", pipe, sets)
			}
		}
	}
}
