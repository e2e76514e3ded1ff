package chassis

import (
	"fmt"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/user"
	"github.com/inalab/inalab/topo/gen"
)

// What programs of a user's own cost a forwarded frame: times over those of a switch without
// any, measured in turns. "plain-too" is how far the same thing differs.
func BenchmarkPrograms(b *testing.B) {
	p := chassistest.Plan(b, "rack", gen.Params{Hosts: 6})
	narrow := func(name string, port uint16, side user.Side) Program {
		u := wallAgainst(name, nil)
		u.Match, u.Side = dataplane.Match{Port: port}, side
		return load(0, u)
	}
	var ten []Program
	for i := range uint16(10) {
		ten = append(ten, narrow(fmt.Sprint("p", i), 1000+i, user.Ingress))
	}
	variants := []struct {
		name     string
		programs []Program
		spent    time.Duration
	}{
		{"plain", nil, 0}, {"plain-too", nil, 0},
		{"no-match", ten[:1], 0}, {"no-match-of-ten", ten, 0},
		{"passed", []Program{load(0, wallAgainst("in", nil))}, 0},
		{"passed-on-leaving", []Program{narrow("out", 9, user.Egress)}, 0},
	}
	for _, frames := range []int{1, 32} {
		b.Run(fmt.Sprintf("trains-of-%d", frames), func(b *testing.B) {
			var switches []*Chassis
			for i := range variants {
				switches = append(switches, userRig(b, Config{Switch: p.Switches[0], MTU: p.MTU}, variants[i].programs...).c)
				variants[i].spent = 0
			}
			var in []sansio.Arrival
			for i := range 64 {
				in = append(in, hostTrain(&p.Hosts[i%6], &p.Hosts[(i+1)%6], frames, 1400))
			}
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
					variants[i].spent += time.Since(start)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(variants[0].spent.Nanoseconds())/float64(b.N*16*len(in)), "plain-ns/train")
			for _, v := range variants[1:] {
				b.ReportMetric(float64(v.spent)/float64(variants[0].spent), v.name+"/plain")
			}
		})
	}
}
