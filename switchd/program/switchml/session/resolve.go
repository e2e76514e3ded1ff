package session

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/topo/plan"
)

// resolve checks what a session says and finds the worker's port.
func (m *Machine) resolve(s *Session) (w switchml.Worker, f *Fault) {
	name := s.name()
	if f := checkRank(name, s.Rank, s.Workers); f != nil {
		return w, f
	}
	switch n := elementsOf(s.PacketSize); {
	case n == 0:
		return w, fault(Invalid, "%s: packet_size %d is unknown: use 1 for 256 bytes of values or 3 for 1024", name, s.PacketSize)
	case n != 64 && n != 256:
		return w, fault(Invalid, "%s: packet_size %d, %d bytes of values: the switch has programs for 256 and 1024, which are 1 and 3", name, s.PacketSize, 4*n)
	case s.MAC == 0 || s.MAC>>48 != 0:
		return w, fault(Invalid, "%s: rank %d has mac %#x: give the six octets of its interface as a number, the first most significant", name, s.Rank, s.MAC)
	case s.Addr == 0:
		return w, fault(Invalid, "%s: rank %d has ipv4 0: give its address as a number in host order", name, s.Rank)
	}
	w = switchml.Worker{ID: uint8(s.Rank), MAC: macOf(s.MAC), Addr: addrOf(s.Addr)}
	if w.MAC.IsMulticast() {
		return w, fault(Invalid, "%s: rank %d has MAC %v, of a group: is its first octet the most significant?", name, s.Rank, plan.MAC(w.MAC))
	}
	if s.RDMA != nil {
		w.RDMA = &s.RDMA.Queues
	}
	w.Port, f = m.port(name, &w)
	return w, f
}

// port finds a worker among the hosts, by its MAC or else its address: the public
// client takes over an interface, and gives it any address it is told to.
func (m *Machine) port(call string, w *switchml.Worker) (sansio.Port, *Fault) {
	mac := slices.IndexFunc(m.cfg.Hosts, func(h Host) bool { return h.MAC == w.MAC })
	addr := slices.IndexFunc(m.cfg.Hosts, func(h Host) bool { return h.Addr == w.Addr })
	switch {
	case mac >= 0 && addr >= 0 && mac != addr:
		return 0, fault(Invalid, "%s: rank %d: on %s, MAC %v is that of host %v, and %v that of host %v: give both of one interface",
			call, w.ID, m.cfg.Switch, plan.MAC(w.MAC), m.cfg.Hosts[mac].Addr, w.Addr, plan.MAC(m.cfg.Hosts[addr].MAC))
	case mac >= 0:
		return m.cfg.Hosts[mac].Port, nil
	case addr >= 0:
		return m.cfg.Hosts[addr].Port, nil
	}
	return 0, fault(Unknown, "%s: rank %d: %s has no host with MAC %v or address %v: it has %s", call, w.ID, m.cfg.Switch, plan.MAC(w.MAC), w.Addr, m.hostList())
}

// hostList names the first hosts.
func (m *Machine) hostList() string {
	const most = 8
	var out []string
	for i, h := range m.cfg.Hosts {
		if i == most {
			out = append(out, fmt.Sprintf("%d more", len(m.cfg.Hosts)-most))
			break
		}
		out = append(out, fmt.Sprintf("%v %v", plan.MAC(h.MAC), h.Addr))
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

// elementsOf returns the values of a packet, 0 for an unknown size.
func elementsOf(size int32) int {
	if size < 0 || size > 3 {
		return 0
	}
	return wire.SizeEnum(size).Elements()
}

func macOf(n uint64) (m inet.MAC) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], n)
	return inet.MAC(b[2:])
}

func macNumber(m inet.MAC) uint64 {
	var b [8]byte
	copy(b[2:], m[:])
	return binary.BigEndian.Uint64(b[:])
}

func addrOf(n uint32) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], n)
	return netip.AddrFrom4(b)
}

func sameQueues(a, b *switchml.Queues) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.RKey == b.RKey && slices.Equal(a.QPNs, b.QPNs) && slices.Equal(a.PSNs, b.PSNs)
}
