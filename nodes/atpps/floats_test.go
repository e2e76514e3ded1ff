package atpps

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/proptest"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// real is a worker's value: of such size that the order of additions shows.
func real(packet uint64, worker, i int) float32 {
	return float32(math.Ldexp(1+float64(packet)/7+float64(worker)/3, (worker*17+i*5)%40-20))
}

// A value that does not fit is answered with the sum of floats in the order of workers, however they come,
// and whatever integers are still on their way.
func TestFloatsAreAddedInOrder(t *testing.T) {
	late, again := uint64(0), uint64(0)
	proptest.Until(t, func() bool { return late > 0 && again > 0 }, func(rt *rapid.T) {
		cfg := drawJob(rt)
		r := newRig(t, cfg)
		clipped := drawClipped(rt, &cfg)
		if sent := r.give(clipped); len(sent) != 1 || !sent[0].request() {
			rt.Fatalf("a clipped value is answered with %+v", sent)
		}
		var answers []answer
		for range rapid.IntRange(0, 30).Draw(rt, "packets") {
			if rapid.Bool().Draw(rt, "integers") {
				set, flags := drawPacket(rt, &cfg)
				p := packetOf(&cfg, set, 1, flags).fill(set, func(w, i int) int32 { return int32(w + i) })
				answers = append(answers, r.give(p)...)
			} else {
				answers = append(answers, r.give(floatsOf(&cfg, rapid.IntRange(0, cfg.Workers-1).Draw(rt, "worker")))...)
			}
		}
		for _, w := range rapid.Permutation(workersOf(&cfg)).Draw(rt, "order") {
			answers = append(answers, r.give(floatsOf(&cfg, int(w)))...)
		}
		checkFloats(rt, &cfg, answers)
		late += r.counted(DropClippedIn)
		again += r.counted(CountAgain)
	})
	if late == 0 || again == 0 {
		t.Errorf("%d integers late, %d answers again: a case never came", late, again)
	}
}

// drawClipped draws a packet with a value that was clipped, by a switch or a worker.
func drawClipped(rt *rapid.T, cfg *Config) *incoming {
	set, flags := drawPacket(rt, cfg)
	p := packetOf(cfg, set, 1, flags).fill(set, func(int, int) int32 { return 1 })
	at := 4 * rapid.IntRange(0, wire.Values-1).Draw(rt, "value")
	copy(p.values[at:], rapid.SampledFrom([]string{"\x7f\xff\xff\xff", "\x80\x00\x00\x00"}).Draw(rt, "extreme"))
	return p
}

func floatsOf(cfg *Config, w int) *incoming {
	return packetOf(cfg, maskOf(uint8(w)), 1, wire.Resend|wire.Overflow).fillFloats(func(i int) float32 { return real(1, w, i) })
}

// checkFloats looks for one sum, the same whenever it is sent, and only requests before it.
func checkFloats(rt *rapid.T, cfg *Config, answers []answer) {
	answered := false
	for _, a := range answers {
		if a.request() {
			if answered {
				rt.Fatal("asked again after the answer")
			}
			continue
		}
		answered = true
		if !a.Flags.Has(wire.Overflow | wire.Resend) {
			rt.Fatalf("integers in answer: %+v", a.Header)
		}
		for i := range wire.Values {
			sum := float32(0)
			for w := range cfg.Workers {
				sum += real(1, w, i)
			}
			if got := math.Float32frombits(uint32(integer(a.values, i))); got != sum {
				rt.Fatalf("value %d is %g, want %g", i, got, sum)
			}
		}
	}
	if !answered {
		rt.Fatal("all have sent floats, and there is no answer")
	}
}
