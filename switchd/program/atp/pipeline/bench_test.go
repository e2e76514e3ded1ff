package pipeline

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/program/atp/reference"
)

// BenchmarkHandle is blocks of eight packets and their parameter packets, in trains of 32 of one
// source.
func BenchmarkHandle(b *testing.B) {
	const workers, train = 8, 32
	cfg := configOf(train, []int{0}, []int{workers})
	s := &cfg.Jobs[0].Servers[0]
	var round []sansio.Arrival
	for w := range workers + 1 {
		var list []*packet
		for i := range uint32(train) {
			p := parameter(s, 1, 1+i, uint16(i))
			if w < workers {
				p = gradient(s, 1, 0, w, 1+i, uint16(i))
				p.fill(int32(w))
			}
			list = append(list, p)
		}
		round = append(round, arrival(list[0], list[1:]...))
	}
	run := func(b *testing.B, h interface {
		Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects)
	}) {
		var eff sansio.Effects
		b.ReportAllocs()
		for b.Loop() {
			for i := range round {
				h.Handle(0, round[i:i+1], &eff)
				eff.Reset()
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(workers+1)/train, "ns/packet")
	}
	b.Run("chip", func(b *testing.B) {
		e, err := New(cfg, Options{})
		if err != nil {
			b.Fatal(err)
		}
		run(b, e)
	})
	b.Run("reference", func(b *testing.B) {
		e, err := reference.New(cfg)
		if err != nil {
			b.Fatal(err)
		}
		run(b, e)
	})
}
