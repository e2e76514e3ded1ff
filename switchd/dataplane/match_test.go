package dataplane

import (
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/wire/inet"
)

// frameTo is a frame of an IPv4 protocol to an address and port.
func frameTo(dst string, proto uint8, port uint16) Frame {
	h := make([]byte, inet.EtherLen+inet.IPv4Len+inet.TCPLen)
	inet.Ether(h).Put(inet.MAC{1}, inet.MAC{2}, inet.TypeIPv4)
	ip := inet.IPv4(h[inet.EtherLen:])
	ip[0], ip[9] = 0x45, proto
	ip.SetTotalLen(inet.IPv4Len + inet.TCPLen)
	ip.SetDst(netip.MustParseAddr(dst))
	l4 := h[inet.EtherLen+inet.IPv4Len:]
	l4[2], l4[3], l4[5], l4[12] = byte(port>>8), byte(port), inet.TCPLen, 0x50
	l, problem := inet.Parse(h)
	return Frame{Header: h, Layout: l, Problem: problem}
}

// etherOf is a frame of an EtherType without content.
func etherOf(t uint16) Frame {
	h := make([]byte, 60)
	inet.Ether(h).Put(inet.MAC{1}, inet.MAC{2}, t)
	return Frame{Header: h, Problem: inet.NotIPv4}
}

func TestMatch(t *testing.T) {
	rack := netip.MustParsePrefix("10.1.0.0/16")
	fragment := frameTo("10.1.0.2", inet.ProtoUDP, 53)
	fragment.Header[inet.EtherLen+7], fragment.Layout, fragment.Problem = 8, inet.Layout{}, inet.Fragment
	short := Frame{Header: frameTo("10.1.0.2", inet.ProtoUDP, 53).Header[:inet.EtherLen+10], Problem: inet.ShortIP}
	for _, tc := range []struct {
		m    Match
		f    Frame
		want bool
	}{
		{Match{}, etherOf(inet.TypeARP), true},
		{Match{}, short, true},
		{Match{EtherType: inet.TypeARP}, etherOf(inet.TypeARP), true},
		{Match{EtherType: 0x86dd}, etherOf(inet.TypeARP), false},
		{Match{EtherType: inet.TypeIPv4}, frameTo("1.2.3.4", 1, 0), true},
		{Match{Dst: rack}, frameTo("10.1.0.2", 1, 0), true},
		{Match{Dst: rack}, frameTo("10.2.0.2", 1, 0), false},
		{Match{Dst: rack}, etherOf(inet.TypeARP), false},
		{Match{Dst: rack}, fragment, true},
		{Match{Dst: rack}, short, false},
		{Match{Protocol: inet.ProtoUDP}, frameTo("1.2.3.4", inet.ProtoUDP, 1), true},
		{Match{Protocol: inet.ProtoUDP}, frameTo("1.2.3.4", inet.ProtoTCP, 1), false},
		{Match{Port: 53}, frameTo("1.2.3.4", inet.ProtoUDP, 53), true},
		{Match{Port: 53}, frameTo("1.2.3.4", inet.ProtoTCP, 53), true},
		{Match{Port: 53}, frameTo("1.2.3.4", inet.ProtoTCP, 54), false},
		{Match{Port: 53}, frameTo("1.2.3.4", 1, 53), false},
		{Match{Port: 53}, fragment, false},
		{Match{Dst: rack, Protocol: inet.ProtoTCP, Port: 80}, frameTo("10.1.9.9", inet.ProtoTCP, 80), true},
	} {
		if got := tc.m.Matches(&tc.f); got != tc.want {
			t.Errorf("%v matches a frame of %x: %v, want %v", tc.m, tc.f.Header, got, tc.want)
		}
	}
}

// A match that covers another matches whatever that matches.
func TestMatchCovers(t *testing.T) {
	prefixes := []netip.Prefix{{}, netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("10.1.0.2/32"), netip.MustParsePrefix("10.2.0.0/16"), netip.MustParsePrefix("10.1.0.0/24")}
	draw := func(rt *rapid.T, name string) Match {
		return Match{
			EtherType: rapid.SampledFrom([]uint16{0, inet.TypeIPv4, inet.TypeARP}).Draw(rt, name+" type"),
			Dst:       rapid.SampledFrom(prefixes).Draw(rt, name+" dst"),
			Protocol:  rapid.SampledFrom([]uint8{0, inet.ProtoUDP, inet.ProtoTCP}).Draw(rt, name+" protocol"),
			Port:      rapid.SampledFrom([]uint16{0, 53, 54}).Draw(rt, name+" port"),
		}
	}
	for i, m := range prefixes { // every pair of them
		for k, o := range prefixes {
			if got, want := (Match{Dst: m}).Covers(Match{Dst: o}), i == 0 || i == k || i == 1 && (k == 2 || k == 4) || i == 4 && k == 2; got != want {
				t.Errorf("%v covers %v: %v, want %v", m, o, got, want)
			}
		}
	}
	var frames []Frame
	for _, dst := range []string{"10.1.0.2", "10.1.0.3", "10.1.9.3", "10.2.0.2"} {
		for _, proto := range []uint8{1, inet.ProtoUDP, inet.ProtoTCP} {
			frames = append(frames, frameTo(dst, proto, 53), frameTo(dst, proto, 54), frameTo(dst, proto, 55))
		}
	}
	frames = append(frames, etherOf(inet.TypeARP), etherOf(0x86dd))
	rapid.Check(t, func(rt *rapid.T) {
		m, o := draw(rt, "one"), draw(rt, "other")
		if m.Validate() != nil || o.Validate() != nil {
			return
		}
		all := true
		for i := range frames {
			all = all && (m.Matches(&frames[i]) || !o.Matches(&frames[i]))
		}
		// Of UDP and TCP together, which port alone names, no single match is made.
		if together := m.Protocol != 0 && o.Protocol == 0; m.Covers(o) != all && !together {
			rt.Fatalf("%v covers %v: %v, by frames %v", m, o, m.Covers(o), all)
		}
	})
}

func TestMatchRefuses(t *testing.T) {
	for want, m := range map[string]Match{
		"write 10.1.0.0/16":                    {Dst: netip.MustParsePrefix("10.1.0.2/16")},
		"it must be an IPv4 address or prefix": {Dst: netip.MustParsePrefix("fe80::/16")},
		"port 53 of protocol 1: only UDP":      {Protocol: 1, Port: 53},
		"leave the other EtherType out":        {EtherType: inet.TypeARP, Port: 53},
	} {
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if got := (Match{Dst: netip.MustParsePrefix("10.1.0.0/16"), Protocol: inet.ProtoUDP, Port: 53}).String(); got != "IPv4 to 10.1.0.0/16 UDP port 53" {
		t.Errorf("it reads %q", got)
	}
}
