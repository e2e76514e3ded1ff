package host

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Member is a machine of a host.
type Member struct {
	Port    uint16 // that its frames come to; zero: all that are for no other
	TCP     bool   // a port of TCP; else of UDP
	Machine sansio.Machine
}

// address is where frames of a host go; the zero value is that of all others.
type address struct {
	tcp  bool
	port uint16
}

func (a address) String() string {
	if a.tcp {
		return fmt.Sprintf("TCP port %d", a.port)
	}
	return fmt.Sprintf("UDP port %d", a.port)
}

func (m *Member) address() address { return address{m.TCP && m.Port != 0, m.Port} }

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
	seen := map[address]bool{}
	for _, m := range members {
		if seen[m.address()] {
			return nil, fmt.Errorf("two machines of a host take %v: give each a port of its own", m.address())
		}
		seen[m.address()] = true
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
	to := destination(t)
	rest := -1
	for i := range h.members {
		switch h.members[i].address() {
		case to:
			return i
		case address{}:
			rest = i
		}
	}
	return rest
}

// destination returns the port of a train, if it has one.
func destination(t *sansio.Train) address {
	l, problem := t.Layout()
	switch {
	case problem != inet.OK:
	case l.Proto == inet.ProtoUDP:
		return address{false, inet.UDP(t.Header[l.Transport:]).DstPort()}
	case l.Proto == inet.ProtoTCP:
		return address{true, inet.TCP(t.Header[l.Transport:]).DstPort()}
	}
	return address{}
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
