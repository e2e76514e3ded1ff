package xaggd

import (
	"slices"

	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/nodes/xagg/groups"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// lookup answers which packets are in the elements, a group at a time: that is one call of the kernel.
type lookup struct {
	agent *agent
	flags wire.Flags // Result: of results
	check xagg.Check // of the group at hand; Gradient 0: none
	lost  []uint32
}

// forget makes the lookup look again.
func (l *lookup) forget() { l.check = xagg.Check{} }

// has reports whether the packet of a host and an index is there.
func (l *lookup) has(h groups.Host, i uint32) bool {
	end := min((i+wire.Group-1)/wire.Group*wire.Group, l.agent.cfg.Fragments)
	check := xagg.Check{Host: 1 << h, Gradient: end, Iteration: l.agent.iteration, Flags: l.flags}
	if check != l.check {
		var err error
		if l.lost, err = l.agent.store.Lost(l.lost[:0], check); err != nil {
			l.agent.count.Add(CountStoreFailed, 1)
			l.forget()
			return false
		}
		l.check = check
	}
	_, lacks := slices.BinarySearch(l.lost, i)
	return !lacks
}
