package chassis

import (
	"fmt"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
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

// What it costs a forwarded frame to be offered to an engine, and to go through one that
// gives it back: times over those of plain forwarding, measured in turns.
func BenchmarkTransit(b *testing.B) {
	p := chassistest.Plan(b, "rack", gen.Params{Hosts: 6})
	notMine := func(dataplane.Frame) dataplane.Claim { return dataplane.NotMine }
	both := dataplane.Wants{Transit: true, Leaving: true}
	for _, frames := range []int{1, 32} {
		b.Run(fmt.Sprintf("trains-of-%d", frames), func(b *testing.B) {
			variants := []struct {
				name   string
				engine *chassistest.Transit
			}{
				{"plain", nil},
				{"not-mine", &chassistest.Transit{Want: dataplane.Wants{Transit: true}, Claim: notMine}},
				{"passed", &chassistest.Transit{Want: dataplane.Wants{Transit: true}}},
				{"leaving-not-mine", &chassistest.Transit{Want: dataplane.Wants{Leaving: true}, Claim: notMine}},
				{"leaving-passed", &chassistest.Transit{Want: dataplane.Wants{Leaving: true}}},
				{"both-passed", &chassistest.Transit{Want: both}},
			}
			var switches []*Chassis
			var names []string
			for _, v := range variants {
				names = append(names, v.name)
				x := crossing{Config: Config{Switch: p.Switches[0], MTU: p.MTU}}
				if v.engine != nil {
					x.add(0, v.name, v.engine)
				}
				c, err := x.new()
				if err != nil {
					b.Fatal(err)
				}
				switches = append(switches, c)
			}
			inTurns(b, p, switches, names, frames)
		})
	}
}

// inTurns forwards trains of frames between the hosts of a rack by each switch in turn, and
// reports the times of the others over that of the first.
func inTurns(b *testing.B, p *plan.Plan, switches []*Chassis, names []string, frames int) {
	var in []sansio.Arrival
	for i := range 64 { // as many trains as a device hands over at once
		in = append(in, hostTrain(&p.Hosts[i%6], &p.Hosts[(i+1)%6], frames, 1400))
	}
	spent := make([]time.Duration, len(switches))
	var eff sansio.Effects
	for b.Loop() {
		for i, c := range switches {
			start := time.Now()
			for range 16 {
				c.Handle(0, in, &eff)
				for eff.Reset(); c.NextDeadline() != units.Never; eff.Reset() {
					c.Expire(0, &eff)
				}
			}
			spent[i] += time.Since(start)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(spent[0].Nanoseconds())/float64(b.N*16*len(in)), names[0]+"-ns/train")
	for i, name := range names[1:] {
		b.ReportMetric(float64(spent[i+1])/float64(spent[0]), name+"/"+names[0])
	}
}
