package forward

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo/plan"
)

// golden compares one answer with bytes that were checked by hand against the
// RFCs; spaces part the headers.
func golden(t *testing.T, sends []sansio.Send, to sansio.Port, want string) {
	t.Helper()
	if len(sends) != 1 || !slices.Equal(sends[0].To, []sansio.Port{to}) {
		t.Fatalf("sends %+v, want one to port %d", sends, to)
	}
	got := hex.EncodeToString(bytesOf(sends[0].Train))
	if want = strings.Join(strings.Fields(want), ""); got != want {
		t.Errorf("answer\n%s, want\n%s", got, want)
	}
}

func TestAnswersARPForTheRouter(t *testing.T) {
	p := leafSpine(t)
	fp, sw := planeOf(t, p, "leaf0")
	req := arpRequest(&p.Hosts[1], inet.BroadcastMAC, sw.Router)
	golden(t, forward(fp, 1, frame(req)), 1, `020000000001 020200000000 0806
		0001 0800 06 04 0002 020200000000 0a01fffe 020000000001 0a010002`)
}

func TestFloodsARPToTheOtherHosts(t *testing.T) {
	p := leafSpine(t)
	fp, _ := planeOf(t, p, "leaf0")
	req := arpRequest(&p.Hosts[0], inet.BroadcastMAC, p.Hosts[1].Addr.Addr())
	golden(t, forward(fp, 0, frame(req)), 1, hex.EncodeToString(req))

	reply := slices.Clone(req)
	inet.Ether(reply).Put(inet.MAC(p.Hosts[0].MAC), inet.MAC(p.Hosts[1].MAC), inet.TypeARP)
	reply[inet.EtherLen+7] = byte(inet.ARPReply)
	golden(t, forward(fp, 1, frame(reply)), 0, hex.EncodeToString(reply))

	if s := forward(fp, 2, frame(req)); len(s) != 0 {
		t.Errorf("a broadcast from another switch went to %v", s)
	}
}

func TestAnswersPing(t *testing.T) {
	p := leafSpine(t)
	fp, sw := planeOf(t, p, "leaf0")
	req := ping(&p.Hosts[0], sw.MAC, sw.Router, 4)
	want := `020000000000 020200000000 0800
		45000020 00000000 4001 66dc 0a01fffe 0a010001
		00 00 fdd0 002a 0001 00010203`
	golden(t, forward(fp, 0, frame(req)), 0, want)
	golden(t, forward(fp, 0, frame(append(req, 0, 0, 0, 0))), 0, want) // Ethernet padding

	req[len(req)-5] ^= 1
	if s := forward(fp, 0, frame(req)); len(s) != 0 || lost(fp)[DropBadICMP] != 1 {
		t.Errorf("a corrupted request is answered by %v, counters %v", s, fp.Counters())
	}
}

func TestTellsTheSenderWhy(t *testing.T) {
	p := leafSpine(t)
	fp, sw := planeOf(t, p, "leaf0")
	for _, tc := range []struct {
		reason, dst, want string
		ttl               uint8
	}{
		{DropTTL, "10.2.0.1", `0b00 e737 00000000
			45000020 00000000 0111 a5c9 0a010001 0a020001 03e8 07d0 000c 0000 00010203`, 1},
		{DropNoRoute, "192.0.2.1", `0300 ef37 00000000
			45000020 00000000 4011 aeca 0a010001 c0000201 03e8 07d0 000c 0000 00010203`, 64},
		{DropNoNeighbor, "10.1.0.77", `0301 ef36 00000000
			45000020 00000000 4011 667e 0a010001 0a01004d 03e8 07d0 000c 0000 00010203`, 64},
		{DropUnclaimed, "10.1.255.254", `0303 ef34 00000000
			45000020 00000000 4011 66cc 0a010001 0a01fffe 03e8 07d0 000c 0000 00010203`, 64},
	} {
		f := flow(&p.Hosts[0], &p.Hosts[2], sw.MAC)
		f.Dst = netip.MustParseAddr(tc.dst)
		b := udp(f, 4)
		ip := inet.IPv4(b[inet.EtherLen:])
		ip.SetTTL(tc.ttl)
		ip.UpdateChecksum()
		sends := forward(fp, 0, frame(b))
		if lost(fp)[tc.reason] != 1 {
			t.Errorf("%s: counters %v", tc.reason, fp.Counters())
		}
		golden(t, sends, 0, `020000000000 020200000000 0800 45c0003c 00000000 4001 6600 0a01fffe 0a010001`+tc.want)
	}
}

func TestQuotesAtMost576Bytes(t *testing.T) {
	p := leafSpine(t)
	fp, sw := planeOf(t, p, "leaf0")
	b := udp(flow(&p.Hosts[0], &p.Hosts[2], sw.MAC), 3000)
	copy(b[inet.EtherLen+16:], sw.Router.AsSlice())
	got := bytesOf(forward(fp, 0, frame(b))[0].Train)
	if len(got) != inet.EtherLen+576 || !bytes.Equal(got[42:], b[14:14+548]) {
		t.Errorf("an error of %d bytes that quotes %x", len(got), got[42:])
	}
	if inet.Fold(inet.Sum(got[34:], 0)) != 0xffff {
		t.Error("wrong ICMP checksum")
	}
}

func TestErrorsAreLimitedAndNeverAboutErrors(t *testing.T) {
	p := leafSpine(t)
	fp, sw := planeOf(t, p, "leaf0")
	f := flow(&p.Hosts[0], &p.Hosts[2], sw.MAC)
	f.Dst = netip.MustParseAddr("192.0.2.1")
	echo := ping(&p.Hosts[0], sw.MAC, f.Dst, 0)
	if s := forward(fp, 0, frame(echo)); len(s) != 1 {
		t.Errorf("a ping to nowhere is answered by %v, want one error", s)
	}
	echo[inet.EtherLen+inet.IPv4Len] = icmpUnreachable
	fragment := udp(f, 8)
	fragment[inet.EtherLen+7] = 1
	nobody := udp(f, 8)
	copy(nobody[inet.EtherLen+12:], []byte{0, 0, 0, 0})
	for _, b := range [][]byte{echo, fragment, nobody} {
		if s := forward(fp, 0, frame(b)); len(s) != 0 {
			t.Errorf("%x is answered by %v", b, s)
		}
	}
	var eff sansio.Effects
	for range 3 * errorsPerSecond {
		fp.Forward(units.Time(units.Second), sansio.Arrival{Train: frame(udp(f, 0))}, &eff)
	}
	if n := len(eff.Sends); n != errorsPerSecond {
		t.Errorf("%d errors in one second, want %d", n, errorsPerSecond)
	}
	fp.Forward(units.Time(2*units.Second), sansio.Arrival{Train: frame(udp(f, 0))}, &eff)
	if n := len(eff.Sends); n != errorsPerSecond+1 {
		t.Errorf("%d errors after a second more, want one more", n)
	}
}

func TestBridgesUntouched(t *testing.T) {
	p := leafSpine(t)
	fp, _ := planeOf(t, p, "leaf0")
	b := udp(flow(&p.Hosts[0], &p.Hosts[1], p.Hosts[1].MAC), 10)
	tr := frame(b)
	sends := forward(fp, 0, tr)
	golden(t, sends, 1, hex.EncodeToString(b))
	if &sends[0].Train.Header[0] != &tr.Header[0] || &sends[0].Train.Body[0] != &tr.Body[0] {
		t.Error("a bridged frame was copied")
	}
}

func TestRoutesOverEveryHop(t *testing.T) {
	p := leafSpine(t)
	h0, h2 := &p.Hosts[0], &p.Hosts[2]
	b := udp(flow(h0, h2, h0.GatewayMAC), 10)
	node, at, tr := "leaf0", sansio.Port(0), frame(b)
	tr.Checksum = sansio.ChecksumPartial
	var path []string
	for hops := 0; node != "h2" && hops < 5; hops++ {
		path = append(path, node)
		fp, sw := planeOf(t, p, node)
		sends := forward(fp, at, tr)
		if len(sends) != 1 || len(sends[0].To) != 1 {
			t.Fatalf("%s sends %+v", node, sends)
		}
		out := sw.Ports[sends[0].To[0]]
		tr = sends[0].Train
		if got := inet.Ether(tr.Header); got.Dst() != inet.MAC(out.PeerMAC) {
			t.Errorf("%s sends to MAC %x, want that of %v", node, got.Dst(), out.Peer)
		}
		node = out.Peer.Node
		if peer, ok := p.Switch(node); ok {
			at = sansio.Port(slices.IndexFunc(peer.Ports, func(q plan.Port) bool { return q.Name == out.Peer.Port }))
		}
	}
	if len(path) != 3 || path[0] != "leaf0" || path[2] != "leaf1" {
		t.Fatalf("path %v", path)
	}
	ip := inet.IPv4(tr.Header[inet.EtherLen:])
	if ip.TTL() != inet.DefaultTTL-3 || !ip.ChecksumOK() {
		t.Errorf("TTL %d, checksum ok %v after three routers", ip.TTL(), ip.ChecksumOK())
	}
	if inet.Ether(tr.Header).Src() != inet.MAC(h2.GatewayMAC) {
		t.Errorf("comes from %x, want the gateway", inet.Ether(tr.Header).Src())
	}
	if tr.Checksum != sansio.ChecksumPartial || !bytes.Equal(bytesOf(tr)[inet.EtherLen+inet.IPv4Len:], b[inet.EtherLen+inet.IPv4Len:]) {
		t.Error("routing touched what is above IP")
	}
}

// A fragment has no ports, so all of a packet take one path.
func TestFragmentsAreForwarded(t *testing.T) {
	p := leafSpine(t)
	fp, _ := planeOf(t, p, "leaf0")
	to := map[sansio.Port]int{}
	for i := range 40 {
		b := udp(flow(&p.Hosts[0], &p.Hosts[2], p.Hosts[0].GatewayMAC), 16)
		inet.UDP(b[inet.EtherLen+inet.IPv4Len:]).SetPorts(uint16(i), 0)
		b[inet.EtherLen+6] = 0x20 // more fragments
		for _, s := range forward(fp, 0, frame(b)) {
			to[s.To[0]]++
		}
	}
	if len(to) != 1 {
		t.Errorf("fragments left by %v, want one port", to)
	}
}

func TestECMP(t *testing.T) {
	p := leafSpine(t)
	sw, _ := p.Switch("leaf0")
	one, err1 := New(Config{Switch: *sw, Seed: 1})
	two, err2 := New(Config{Switch: *sw, Seed: 2})
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	const flows = 2000
	by, differ := map[sansio.Port]int{}, 0
	for i := range flows {
		f := flow(&p.Hosts[0], &p.Hosts[2], p.Hosts[0].GatewayMAC)
		f.SrcPort = uint16(i)
		at := forward(one, 0, frame(udp(f, 1)))[0].To[0]
		if again := forward(one, 0, frame(udp(f, 100)))[0].To[0]; again != at {
			t.Fatalf("flow %d went to port %d, then to %d", i, at, again)
		}
		if forward(two, 0, frame(udp(f, 1)))[0].To[0] != at {
			differ++
		}
		by[at]++
	}
	for _, at := range []sansio.Port{2, 3} {
		// Binomial: four standard deviations are 4*sqrt(2000)/2 = 89.
		if n := by[at]; n < flows/2-90 || n > flows/2+90 {
			t.Errorf("port %d got %d of %d flows", at, n, flows)
		}
	}
	if differ < flows/2-90 || differ > flows/2+90 {
		t.Errorf("another seed moved %d of %d flows, want about half", differ, flows)
	}
}

func TestMulticast(t *testing.T) {
	p := leafSpine(t)
	group := plan.Group(3)
	fp, _ := planeOf(t, p, "leaf0", Group{Addr: group, Ports: []sansio.Port{0, 1, 2}}, Group{Addr: plan.Group(4), Ports: []sansio.Port{0}})
	packet := func(g netip.Addr, ttl uint8) sansio.Train {
		f := flow(&p.Hosts[0], &p.Hosts[1], plan.MAC(inet.MulticastMAC(g)))
		f.Dst = g
		b := udp(f, 4)
		ip := inet.IPv4(b[inet.EtherLen:])
		ip.SetTTL(ttl)
		ip.UpdateChecksum()
		return frame(b)
	}
	type out struct {
		To  []sansio.Port
		TTL uint8
	}
	run := func(at sansio.Port, tr sansio.Train) (got []out) {
		for _, s := range forward(fp, at, tr) {
			got = append(got, out{s.To, inet.IPv4(s.Train.Header[inet.EtherLen:]).TTL()})
		}
		return got
	}
	for _, tc := range []struct {
		name string
		at   sansio.Port
		tr   sansio.Train
		want []out
	}{
		{"from a host", 0, packet(group, 9), []out{{[]sansio.Port{1}, 9}, {[]sansio.Port{2}, 8}}},
		{"from a host, TTL 1", 0, packet(group, 1), []out{{[]sansio.Port{1}, 1}}},
		{"from above", 2, packet(group, 9), []out{{[]sansio.Port{0, 1}, 8}}},
		{"from outside", 3, packet(group, 9), []out{{[]sansio.Port{0, 1, 2}, 8}}},
		{"only itself", 0, packet(plan.Group(4), 9), nil},
		{"unknown", 0, packet(plan.Group(5), 9), nil},
		{"link-local", 0, packet(netip.MustParseAddr("224.0.0.22"), 1), nil},
	} {
		if diff := cmp.Diff(tc.want, run(tc.at, tc.tr)); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", tc.name, diff)
		}
	}
	want := map[string]uint64{DropTTL: 1, DropEmptyGroup: 1, DropUnknownGroup: 1, DropLinkLocalGroup: 1}
	if diff := cmp.Diff(want, lost(fp)); diff != "" {
		t.Errorf("drops differ (-want +got):\n%s", diff)
	}
}

func TestDropsByReason(t *testing.T) {
	p := leafSpine(t)
	h0, h1 := &p.Hosts[0], &p.Hosts[1]
	ipv6 := make([]byte, 60)
	inet.Ether(ipv6).Put(inet.MAC{0x33, 0x33, 0, 0, 0, 2}, inet.MAC(h0.MAC), 0x86dd)
	badUDP := udp(flow(h0, h1, h1.MAC), 4)
	inet.UDP(badUDP[34:]).SetLen(100)
	arp := arpRequest(h0, inet.BroadcastMAC, h1.Addr.Addr())
	toRouter := slices.Clone(arp)
	inet.Ether(toRouter).Put(inet.MAC(h0.GatewayMAC), inet.MAC(h0.MAC), inet.TypeARP)
	for _, tc := range []struct {
		reason string
		at     sansio.Port
		frame  []byte
	}{
		{DropUnknownPort, 77, nil},
		{DropUnknownPort, -1, nil},
		{string(inet.ShortEther), 0, []byte{1, 2, 3}},
		{string(inet.NotIPv4), 0, ipv6},
		{string(inet.BadUDPLength), 0, badUDP},
		{DropBadARP, 0, arp[:30]},
		{DropARPReply, 0, toRouter},
		{DropBroadcast, 0, udp(flow(h0, h1, plan.MAC(inet.BroadcastMAC)), 4)},
		{DropUnknownUnicast, 0, udp(flow(h0, h1, plan.MAC{2, 9}), 4)},
		{DropUnknownUnicast, 2, udp(flow(h0, h1, h1.MAC), 4)}, // bridged over a routed link
		{DropSamePort, 0, udp(flow(h0, h0, h0.MAC), 4)},
		{DropOverMTU, 0, udp(flow(h0, h1, h1.MAC), 9000)},
	} {
		fp, _ := planeOf(t, p, "leaf0")
		sends := forward(fp, tc.at, frame(tc.frame))
		want := []Count{{sansio.Count{Name: tc.reason, N: 1}, !Noise(tc.reason)}}
		if diff := cmp.Diff(want, fp.Counters()); diff != "" || len(sends) != 0 {
			t.Errorf("%s: sends %v, counters (-want +got):\n%s", tc.reason, sends, diff)
		}
	}
}

func owns(p *Plane, at sansio.Port, t sansio.Train) bool { return p.Owns(at, &t) }

func TestOwns(t *testing.T) {
	p := leafSpine(t)
	fp, sw := planeOf(t, p, "leaf0")
	f := flow(&p.Hosts[0], &p.Hosts[1], sw.MAC)
	f.Dst = sw.Router
	byPort := f
	byPort.DstMAC = inet.MAC(sw.Ports[2].MAC)
	host := f
	host.Dst = p.Hosts[1].Addr.Addr()
	for _, tc := range []struct {
		at   sansio.Port
		f    inet.Flow
		n    int
		want bool
	}{{0, f, 0, true}, {2, f, 0, true}, {2, byPort, 0, true}, {0, byPort, 0, false}, {0, host, 0, false}, {0, f, 8972, true}, {0, f, 8973, false}} {
		if got := owns(fp, tc.at, frame(udp(tc.f, tc.n))); got != tc.want {
			t.Errorf("%d bytes at port %d, %+v: owned %v, want %v", tc.n, tc.at, tc.f, got, tc.want)
		}
	}
}

func TestRefusesBadConfigs(t *testing.T) {
	p := leafSpine(t)
	base, _ := p.Switch("leaf0")
	for _, tc := range []struct {
		change func(c *Config)
		want   string
	}{
		{func(c *Config) { c.MTU = -1 }, "mtu -1 is negative: it must be positive, or zero for 9000"},
		{func(c *Config) { c.Switch.Router = netip.Addr{} }, "router address invalid IP is not IPv4"},
		{func(c *Config) { c.Switch.Neighbors[0].Port = 9 }, "neighbor 10.1.0.1 is at port 9, which has no link"},
		{func(c *Config) { c.Switch.Routes[0].Hops = nil }, "route to 10.2.0.0/16 has no next hop"},
		{func(c *Config) { c.Switch.Ports[1].Index = 0 }, "port p1 has index 0 at place 1: ports stand in the order of their indexes"},
		{func(c *Config) { c.Groups = []Group{{Addr: netip.MustParseAddr("224.0.0.5")}} },
			"group 224.0.0.5 is not a multicast address that is forwarded: use one of 224.0.1.0 to 239.255.255.255"},
		{func(c *Config) { c.Groups = []Group{{Addr: plan.Group(1), Ports: []sansio.Port{4}}} }, "group 239.255.0.1: port 4 has no link"},
		{func(c *Config) { c.Groups = []Group{{Addr: plan.Group(1), Ports: []sansio.Port{1, 1}}} }, "group 239.255.0.1 names port 1 twice"},
		{func(c *Config) { c.Groups = []Group{{Addr: plan.Group(1)}, {Addr: plan.Group(1)}} }, "group 239.255.0.1 is given twice"},
	} {
		sw := *base
		sw.Ports, sw.Neighbors, sw.Routes = slices.Clone(sw.Ports), slices.Clone(sw.Neighbors), slices.Clone(sw.Routes)
		cfg := Config{Switch: sw}
		tc.change(&cfg)
		_, err := New(cfg)
		if want := `forwarding of switch "leaf0": ` + tc.want; err == nil || err.Error() != want {
			t.Errorf("error %v\nwant %s", err, want)
		}
	}
}
