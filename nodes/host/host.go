package host

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Member is a machine of a host.
type Member struct {
	Port    uint16 // UDP port that its frames come to; zero: all that are for no other
	Machine sansio.Machine
}

// DropNoMachine counts frames that are for no machine of the host.
const DropNoMachine = "host-no-such-port"

// Host is the machines of one host. It is a [sansio.Machine].
type Host struct {
	members []Member
	inbox   [][]sansio.Arrival // by member, of one call
	drops   sansio.Tally
}

// New returns a host. Two machines on one port are an error.
func New(members ...Member) (*Host, error) {
	if len(members) == 0 {
		return nil, errors.New("a host needs a machine")
	}
	seen := map[uint16]bool{}
	for _, m := range members {
		if seen[m.Port] {
			return nil, fmt.Errorf("two machines of a host take UDP port %d: give each a port of its own", m.Port)
		}
		seen[m.Port] = true
	}
	return &Host{members: members, inbox: make([][]sansio.Arrival, len(members))}, nil
}

// Handle gives each machine its arrivals, in their order.
func (h *Host) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		if at := h.find(&in[i].Train); at >= 0 {
			h.inbox[at] = append(h.inbox[at], in[i])
		} else {
			h.drops.Add(DropNoMachine, uint64(in[i].Train.Frames()))
		}
	}
	for i, box := range h.inbox {
		if len(box) > 0 {
			h.members[i].Machine.Handle(now, box, eff)
			clear(box)
			h.inbox[i] = box[:0]
		}
	}
}

// find returns the machine that a train is for; -1: there is none.
func (h *Host) find(t *sansio.Train) int {
	var port uint16
	if _, udp, ok := t.UDP(); ok {
		port = udp.DstPort()
	}
	rest := -1
	for i := range h.members {
		switch h.members[i].Port {
		case port:
			return i
		case 0:
			rest = i
		}
	}
	return rest
}

// Expire has every machine do what is due.
func (h *Host) Expire(now units.Time, eff *sansio.Effects) {
	for i := range h.members {
		if m := h.members[i].Machine; m.NextDeadline() <= now {
			m.Expire(now, eff)
		}
	}
}

// NextDeadline returns the earliest deadline of any machine.
func (h *Host) NextDeadline() units.Time {
	next := units.Never
	for i := range h.members {
		next = min(next, h.members[i].Machine.NextDeadline())
	}
	return next
}

// Counters returns the frames that were for no machine.
func (h *Host) Counters() []sansio.Count { return h.drops.List() }
