package chassis

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// What a frame costs on its way through a rack, ports and links included: to an
// engine and back as part of a result, or from host to host.
func BenchmarkFrame(b *testing.B) {
	gigabit := topo.LinkSpec{Rate: units.GbitPerSecond, Queue: units.GiB}
	for _, bc := range []struct {
		name      string
		link      topo.LinkSpec
		aggregate bool
	}{
		{"forwarded", topo.LinkSpec{}, false}, {"forwarded-shaped", gigabit, false},
		{"aggregated", topo.LinkSpec{}, true}, {"aggregated-shaped", gigabit, true},
	} {
		b.Run(bc.name, func(b *testing.B) {
			p := chassistest.Plan(b, "rack", gen.Params{Hosts: 6, Link: bc.link})
			const slots = 32
			cfg := switchmlConfig(p, slots)
			cfg.Quantum = 20 * units.Microsecond
			c, err := New(cfg.config(), newEngine, nil)
			if err != nil {
				b.Fatal(err)
			}
			var numbers []int
			for i := range slots {
				numbers = append(numbers, i)
			}
			var in [2][]sansio.Arrival // by set of the pool
			for i := range p.Hosts {
				for set := range in {
					a := hostTrain(&p.Hosts[i], &p.Hosts[(i+1)%6], slots, 266)
					if bc.aggregate {
						a = switchmlTrain(&p.Hosts[i], numbers...)
						for k := range slots {
							a.Train.Payload(k)[6] |= byte(set << 7)
						}
					}
					in[set] = append(in[set], a)
				}
			}
			var eff sansio.Effects
			now, round := units.Time(0), 0
			for b.Loop() {
				c.Handle(now, in[round%2], &eff)
				for eff.Reset(); c.NextDeadline() != units.Never; eff.Reset() {
					now = c.NextDeadline()
					c.Expire(now, &eff)
				}
				round++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(round*6*slots), "ns/frame")
		})
	}
}
