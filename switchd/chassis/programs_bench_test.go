package chassis

import (
	"fmt"
	"testing"

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
	}{
		{"plain", nil}, {"plain-too", nil},
		{"no-match", ten[:1]}, {"no-match-of-ten", ten},
		{"passed", []Program{load(0, wallAgainst("in", nil))}},
		{"passed-on-leaving", []Program{narrow("out", 9, user.Egress)}},
	}
	for _, frames := range []int{1, 32} {
		b.Run(fmt.Sprintf("trains-of-%d", frames), func(b *testing.B) {
			var switches []*Chassis
			var names []string
			for _, v := range variants {
				switches = append(switches, userRig(b, Config{Switch: p.Switches[0], MTU: p.MTU}, v.programs...).c)
				names = append(names, v.name)
			}
			inTurns(b, p, switches, names, frames)
		})
	}
}
