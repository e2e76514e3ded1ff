package tofino

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
)

// BenchmarkAdd is packets of 64 values through a chip, two ingress passes each, and a
// result for each of eight ports: 11 passes with those of the egress. The rate is that
// of values in.
func BenchmarkAdd(b *testing.B) {
	x := adding(newBench(b), 0, 1, 2, 3, 4, 5, 6, 7)
	var frames [][]byte
	for i := range 32 {
		frames = append(frames, added(byte(i), i))
	}
	in := []sansio.Arrival{train(0, frames...)}
	b.SetBytes(256 * 32)
	for b.Loop() {
		x.c.Handle(0, in, &x.eff)
		x.eff.Reset()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/32/11, "ns/pass")
}
