package pipeline

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
)

// Every packet is absorbed, makes a result, is answered or dropped for a reason; and
// what the watcher has counted is what the tables of the chip have.
func TestPacketsAreConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := bareConfig()
		cfg.Jobs = drawJobs(t, 2)
		o := Options{}
		if rapid.Bool().Draw(t, "timed") {
			o.Timing = timing(t)
		}
		c := newChip(t, cfg, o)
		x := newTraffic(t, cfg.Jobs, rapid.Bool().Draw(t, "fifo"))
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			x.step(func(a sansio.Arrival) []sent { return append(c.until(0), c.handle(0, a)...) })
		}
		c.until(1 << 60)
		sum := c.count(CountAbsorbed) + c.count(switchml.CountResults) + c.count(switchml.CountAnswered)
		for _, reason := range []string{switchml.DropDuplicate, switchml.DropLate} {
			sum += c.count(reason)
		}
		if n := c.count(switchml.CountPackets); n != sum {
			t.Fatalf("%d packets, %d accounted for: %v", n, sum, c.e.Counters())
		}
		hits, err := c.e.Chip().Hits("verdict")
		if err != nil {
			t.Fatal(err)
		}
		if n := verdicts(hits, "verdict"); n != sum-c.count(switchml.DropDuplicate)-c.count(switchml.DropLate) {
			t.Fatalf("the table of verdicts has counted %d of %d", n, sum)
		}
		if a, b := verdicts(hits, "duplicate"), c.count(switchml.DropDuplicate); a != b {
			t.Fatalf("%d duplicates by the table, %d by the watcher", a, b)
		}
		if got := c.e.Chip().Snapshot(); got.Inside != 0 {
			t.Fatalf("%d packets are still inside", got.Inside)
		}
	})
}

func verdicts(hits []tofino.Hit, action string) (n uint64) {
	for _, h := range hits {
		if h.Action == action {
			n += h.Packets
		}
	}
	return n
}

// Once a chip has seen its traffic, packets cost no memory.
func TestNoAllocationForAPacket(t *testing.T) {
	cfg := oneJob(256, benchTrain, benchWorkers)
	e, err := New(cfg, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rounds := [][][]sansio.Arrival{benchRound(256, 0), benchRound(256, 1)}
	var eff sansio.Effects
	phase := 0
	round := func() {
		for _, in := range rounds[phase%2] {
			stamp(&in[0].Train, uint32(phase))
			e.Handle(0, in, &eff)
			eff.Reset()
		}
		phase++
	}
	for range 4 {
		round()
	}
	if n := testing.AllocsPerRun(20, round); n > 0 {
		t.Errorf("%v allocations in a round of %d packets", n, benchWorkers*benchTrain)
	}
}
