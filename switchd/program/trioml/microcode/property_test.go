package microcode

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// The Microcode program does what the reference program does: any packets, in any
// order, lost, twice, late, aged out, from workers or from the level below,
// malformed or over a cap. After each, what was sent, every open record and every
// counter are the same. So it is whatever the width of an add.
func TestSameAsReference(t *testing.T) {
	programs := everyWidth(t)
	rapid.Check(t, func(t *rapid.T) {
		prog := rapid.SampledFrom(programs).Draw(t, "program")
		jobs := []trioml.Job{testJob(1, rapid.IntRange(1, 5).Draw(t, "sources"))}
		if rapid.Bool().Draw(t, "two jobs") {
			wide := testJob(2, 2)
			wide.Sources = []uint8{0, 3, 64, 130, 255}
			wide.BlockMax = rapid.IntRange(1, 3).Draw(t, "block_cnt_max")
			wide.GradMax = rapid.SampledFrom([]int{0, 39}).Draw(t, "block_grad_max")
			jobs = append(jobs, wide)
		}
		cfg := trioml.Config{
			Node: "pfe", Jobs: jobs, Threads: 1,
			Late:    rapid.SampledFrom([]trioml.LatePolicy{"", trioml.LateStale, trioml.LateNaive}).Draw(t, "late"),
			Age:     rapid.SampledFrom([]trioml.AgePolicy{"", "", trioml.AgeAbsent}).Draw(t, "age"),
			NoAging: rapid.IntRange(0, 9).Draw(t, "no ageing") == 0,
		}
		p := newPair(t, prog, cfg)
		d := &drawn{job: jobs, blocks: rapid.IntRange(1, 4).Draw(t, "blocks"), gen: uint16(rapid.SampledFrom([]int{0, 65534}).Draw(t, "generation"))}
		if cfg.Age == trioml.AgeAbsent {
			// Blocks that are visited together would be told apart by their order.
			d.job, d.blocks = jobs[:1], 1
		}
		d.size = rapid.SampledFrom([]int{1, 5, 37, 38, 39, 54, 70, 150}).Draw(t, "gradients")
		for range rapid.IntRange(1, 80).Draw(t, "packets") {
			p.advance(p.now + units.Time(rapid.SampledFrom([]int64{0, 0, 0, 0, 0, 1000, int64(ms), int64(6 * ms), int64(21 * ms)}).Draw(t, "pause")))
			p.handle(d.payload(t))
		}
		p.advance(p.now + 50*ms)
		if !cfg.NoAging && p.mc.NextDeadline() != units.Never {
			t.Fatalf("no block is open, and a timer is due at %v", p.mc.NextDeadline())
		}
	})
}

// drawn makes packets.
type drawn struct {
	job    []trioml.Job
	blocks int
	size   int
	gen    uint16
	n      int32
}

// payload draws a packet: mostly of the newest generation and right, sometimes
// older, newer or wrong.
func (d *drawn) payload(t *rapid.T) []byte {
	j := rapid.SampledFrom(d.job).Draw(t, "job")
	if rapid.IntRange(0, 15).Draw(t, "next generation") == 0 {
		d.gen++
	}
	h := wire.Header{
		Job: j.ID, Block: uint32(rapid.IntRange(0, d.blocks-1).Draw(t, "block")),
		Source: rapid.SampledFrom(j.Sources).Draw(t, "source"),
		SrcCnt: rapid.SampledFrom([]uint8{1, 1, 1, 6, 255, 0}).Draw(t, "src_cnt"),
		Gen:    d.gen - rapid.SampledFrom([]uint16{0, 0, 0, 0, 0, 0, 1, 2, 0x8000}).Draw(t, "late"),
	}
	if rapid.IntRange(0, 9).Draw(t, "flags") == 0 {
		h.Final, h.Degraded, h.AgeOp = rapid.Bool().Draw(t, "final"), rapid.Bool().Draw(t, "degraded"), uint8(rapid.IntRange(0, 15).Draw(t, "age_op"))
	}
	size := d.size
	switch rapid.IntRange(0, 40).Draw(t, "wrong") {
	case 0:
		h.Job = 7
	case 1:
		h.Source = uint8(rapid.IntRange(0, 255).Draw(t, "any source"))
	case 2:
		size = rapid.IntRange(0, 60).Draw(t, "another size")
	}
	grads := make([]int32, size)
	for i := range grads {
		d.n += 0x0f1e2d3c
		grads[i] = d.n
	}
	b := packet(h, grads...)
	switch rapid.IntRange(0, 40).Draw(t, "length") {
	case 0:
		return b[:rapid.IntRange(0, len(b)).Draw(t, "cut")]
	case 1:
		return append(b, 0xff)
	}
	return b
}
