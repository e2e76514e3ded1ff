package dataplane

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/inalab/inalab/internal/wire/inet"
)

// Match names the frames of a program. Every field that is set must hold. The zero value is
// all frames, ARP and malformed ones among them.
type Match struct {
	EtherType uint16       `json:",omitempty"` // zero: any
	Dst       netip.Prefix `json:",omitzero"`  // of IPv4, address or prefix; the zero Prefix: any
	Protocol  uint8        `json:",omitempty"` // of IPv4; zero: any
	Port      uint16       `json:",omitempty"` // destination port of UDP or TCP; zero: any. Fragments have none
}

// Matched is an engine that has only some of the frames in transit. One that wants frames in
// transit and is not Matched has all of them.
type Matched interface {
	// Match says which. It does not change.
	Match() Match
}

// MatchOf returns the match of an engine.
func MatchOf(e any) Match {
	if m, ok := e.(Matched); ok {
		return m.Match()
	}
	return Match{}
}

// All reports whether m names all frames.
func (m Match) All() bool { return m == Match{} }

// ip reports whether only IPv4 can match.
func (m Match) ip() bool {
	return m.EtherType == inet.TypeIPv4 || m.Dst.IsValid() || m.Protocol != 0 || m.Port != 0
}

// ARP reports whether ARP frames may match.
func (m Match) ARP() bool { return m.All() || m.EtherType == inet.TypeARP }

// Validate reports what no frame can match.
func (m Match) Validate() error {
	switch {
	case m.Dst.IsValid() && !m.Dst.Addr().Is4():
		return fmt.Errorf("match: destination %v: it must be an IPv4 address or prefix", m.Dst)
	case m.Dst.IsValid() && m.Dst != m.Dst.Masked():
		return fmt.Errorf("match: destination %v has bits behind its length: write %v", m.Dst, m.Dst.Masked())
	case m.Port != 0 && m.Protocol != 0 && m.Protocol != inet.ProtoUDP && m.Protocol != inet.ProtoTCP:
		return fmt.Errorf("match: port %d of protocol %d: only UDP (%d) and TCP (%d) have ports", m.Port, m.Protocol, inet.ProtoUDP, inet.ProtoTCP)
	case m.EtherType != 0 && m.EtherType != inet.TypeIPv4 && (m.Dst.IsValid() || m.Protocol != 0 || m.Port != 0):
		return errors.New("match: destination, protocol and port are of IPv4: leave the other EtherType out")
	}
	return nil
}

// Matches reports whether a frame matches. Destination and protocol of malformed packets and
// of fragments count as far as their IPv4 header is there.
func (m Match) Matches(f *Frame) bool {
	if m.All() {
		return true
	}
	h := inet.Ether(f.Header)
	if len(h) < inet.EtherLen {
		return false
	}
	if !m.ip() {
		return h.Type() == m.EtherType
	}
	if h.Type() != inet.TypeIPv4 || len(h) < inet.EtherLen+inet.IPv4Len || h[inet.EtherLen]>>4 != 4 {
		return false
	}
	ip := inet.IPv4(h[inet.EtherLen:])
	if m.Protocol != 0 && ip.Protocol() != m.Protocol {
		return false
	}
	if m.Dst.IsValid() && !m.Dst.Contains(netip.AddrFrom4([4]byte(ip[16:20]))) {
		return false
	}
	return m.Port == 0 || m.matchesPort(f)
}

func (m Match) matchesPort(f *Frame) bool {
	if f.Problem != inet.OK || f.Layout.Proto != inet.ProtoUDP && f.Layout.Proto != inet.ProtoTCP {
		return false
	}
	return inet.UDP(f.Header[f.Layout.Transport:]).DstPort() == m.Port // TCP has it at the same place
}

// Covers reports whether every frame that matches o matches m.
func (m Match) Covers(o Match) bool {
	if m.All() {
		return true
	}
	if m.EtherType != 0 && m.EtherType != o.EtherType && (m.EtherType != inet.TypeIPv4 || !o.ip()) {
		return false
	}
	if m.Dst.IsValid() && !(o.Dst.IsValid() && m.Dst.Bits() <= o.Dst.Bits() && m.Dst.Contains(o.Dst.Addr())) {
		return false
	}
	return (m.Protocol == 0 || m.Protocol == o.Protocol) && (m.Port == 0 || m.Port == o.Port)
}

// String says in words what matches.
func (m Match) String() string {
	if m.All() {
		return "all frames"
	}
	var words []string
	switch {
	case m.ip():
		words = append(words, "IPv4")
	case m.EtherType == inet.TypeARP:
		words = append(words, "ARP")
	default:
		words = append(words, fmt.Sprintf("EtherType %#04x", m.EtherType))
	}
	if m.Dst.IsValid() {
		words = append(words, "to "+m.Dst.String())
	}
	switch m.Protocol {
	case 0:
	case inet.ProtoUDP:
		words = append(words, "UDP")
	case inet.ProtoTCP:
		words = append(words, "TCP")
	default:
		words = append(words, fmt.Sprint("protocol ", m.Protocol))
	}
	if m.Port != 0 {
		words = append(words, fmt.Sprint("port ", m.Port))
	}
	return strings.Join(words, " ")
}
