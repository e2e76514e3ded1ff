package switchmltofino

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// drawJobs returns jobs of one or two sizes, whose workers are at ports of their own.
func drawJobs(t *rapid.T, most int) (out []switchml.Job) {
	first := 0
	for id := range rapid.IntRange(1, most).Draw(t, "jobs") {
		n := rapid.IntRange(1, 4).Draw(t, "workers")
		elements := rapid.SampledFrom([]int{64, 256}).Draw(t, "elements")
		j := jobOf(uint8(id+1), elements, rapid.IntRange(1, 3).Draw(t, "slots"), first, n)
		j.FirstByte = rapid.SampledFrom([]uint8{0, 3, 0x7f, 0xfe}).Draw(t, "first job byte")
		out = append(out, j)
		first += n
	}
	return out
}

// Packet by packet, the chip does what the reference program does: the same frames,
// byte by byte, the same counters, events and open slots. Packets are lost, doubled
// and overtaken.
func TestChipDoesWhatTheReferenceProgramDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := bareConfig()
		cfg.Jobs = drawJobs(t, 3)
		w := newTwin(t, cfg, Options{OneByOne: rapid.IntRange(0, 9).Draw(t, "one by one") == 0})
		x := newTraffic(t, cfg.Jobs, rapid.Bool().Draw(t, "fifo"))
		give := func(a sansio.Arrival) []sent { return w.give(a) }
		for range rapid.IntRange(0, 150).Draw(t, "steps") {
			x.step(give)
		}
		w.agree()
		x.heal(give)
		w.agree()
	})
}
