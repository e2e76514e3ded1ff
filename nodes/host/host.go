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
	Port     uint16 // that its frames come to; zero: all that are for no other
	TCP      bool   // a port of TCP; else of UDP
	Protocol uint8  // of IPv4, without ports, whose frames also come to it; zero: none
	Machine  sansio.Machine
}

// address is where frames of a host go; the zero value is that of all others.
type address struct {
	protocol uint8
	port     uint16 // of UDP and TCP
}

func (a address) String() string {
	switch a.protocol {
	case 0:
		return "what is for no other"
	case inet.ProtoTCP:
		return fmt.Sprintf("TCP port %d", a.port)
	case inet.ProtoUDP:
		return fmt.Sprintf("UDP port %d", a.port)
	}
	return fmt.Sprintf("IP protocol %d", a.protocol)
}

// addresses returns the one or two of a machine.
func (m *Member) addresses() (port, protocol address) {
	switch {
	case m.Port == 0:
	case m.TCP:
		port = address{inet.ProtoTCP, m.Port}
	default:
		port = address{inet.ProtoUDP, m.Port}
	}
	return port, address{m.Protocol, 0}
}

// DropNoMachine counts frames that are for no machine of the host.
const DropNoMachine = "host-no-such-port"

// Host is the machines of one host. It is a [sansio.Machine].
type Host struct {
	members []Member
	inbox   [][]sansio.Arrival // by member, of one call
	drops   sansio.Tally
}

// New returns a host. Two machines on one port or protocol are an error.
func New(members ...Member) (*Host, error) {
	if len(members) == 0 {
		return nil, errors.New("a host needs a machine")
	}
	seen := map[address]bool{}
	for _, m := range members {
		port, protocol := m.addresses()
		list := []address{port}
		if m.Protocol != 0 {
			list = append(list, protocol)
		}
		for _, a := range list {
			if seen[a] {
				return nil, fmt.Errorf("two machines of a host take %v: give each a port or protocol of its own", a)
			}
			seen[a] = true
		}
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
		port, protocol := h.members[i].addresses()
		switch {
		case to != address{} && (to == port || to == protocol):
			return i
		case port == address{}:
			rest = i
		}
	}
	return rest
}

// destination returns the port of a train, or its protocol if it has no ports.
func destination(t *sansio.Train) address {
	l, problem := t.Layout()
	switch {
	case problem != inet.OK:
		return address{}
	case l.Proto == inet.ProtoUDP:
		return address{l.Proto, inet.UDP(t.Header[l.Transport:]).DstPort()}
	case l.Proto == inet.ProtoTCP:
		return address{l.Proto, inet.TCP(t.Header[l.Transport:]).DstPort()}
	}
	return address{l.Proto, 0}
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
