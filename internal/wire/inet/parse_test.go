package inet

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/inalab/inalab/internal/golden"
)

// Frames as tcpdump -xx shows them, made up with the addresses of a small lab;
// transport checksums are not filled in.
const (
	udpFrame = `0200 0000 0002 0200 0000 0001 0800
		4500 0021 0000 0000 4011 66c8 0a01 0001 0a01 0002
		1234 5678 000d 0000 6865 6c6c 6f`
	tcpFrame = `0200 0000 0002 0200 0000 0001 0800
		4500 0035 0001 4000 4006 26be 0a01 0001 0a01 0002
		c000 1451 0000 0001 0000 0002 8018 01f6 0000 0000 0101 080a 0000 0001 0000 0002 61`
	arpFrame = `ffff ffff ffff 0200 0000 0001 0806
		0001 0800 0604 0001 0200 0000 0001 0a01 0001 0000 0000 0000 0a01 0002`
	icmpFrame = `0200 0000 0002 0200 0000 0001 0800
		4600 0024 0000 0000 4001 d1d0 0a01 0001 0a01 0002 9404 0000
		0800 3337 0001 0001 6162 6364`
)

func TestParseAccepts(t *testing.T) {
	for name, c := range map[string]struct {
		hex  string
		want Layout
	}{
		"udp":              {udpFrame, Layout{ProtoUDP, 34, 42, 47}},
		"udp with padding": {udpFrame + "0000 0000", Layout{ProtoUDP, 34, 42, 47}},
		"tcp with options": {tcpFrame, Layout{ProtoTCP, 34, 66, 67}},
		"icmp, ip options": {icmpFrame, Layout{ProtoICMP, 38, 38, 50}},
	} {
		frame := golden.Hex(t, c.hex)
		if got, problem := Parse(frame); problem != OK || got != c.want {
			t.Errorf("%s: %+v, %q; want %+v", name, got, problem, c.want)
		}
		if !IPv4(frame[EtherLen:]).ChecksumOK() {
			t.Errorf("%s: IP checksum wrong", name)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	edit := func(hex string, at int, b ...byte) []byte {
		f := golden.Hex(t, hex)
		copy(f[at:], b)
		return f
	}
	cut := func(hex string, n int) []byte { return golden.Hex(t, hex)[:n] }
	for name, c := range map[string]struct {
		frame []byte
		want  Problem
	}{
		"empty":                       {nil, ShortEther},
		"13 bytes":                    {cut(udpFrame, 13), ShortEther},
		"arp":                         {golden.Hex(t, arpFrame), NotIPv4},
		"ethernet header alone":       {cut(udpFrame, 14), ShortIP},
		"half an ip header":           {cut(udpFrame, 33), ShortIP},
		"ip version 6":                {edit(udpFrame, 14, 0x65), BadIPVersion},
		"ihl 4":                       {edit(udpFrame, 14, 0x44), BadIPVersion},
		"total length past the frame": {edit(udpFrame, 16, 0, 34), BadIPLength},
		"total length under ihl":      {edit(udpFrame, 16, 0, 19), BadIPLength},
		"options past total length":   {edit(udpFrame, 14, 0x4f), BadIPLength},
		"more fragments":              {edit(udpFrame, 20, 0x20, 0), Fragment},
		"later fragment":              {edit(udpFrame, 20, 0, 1), Fragment},
		"half a udp header":           {edit(udpFrame, 16, 0, 27), ShortL4},
		"udp length under its header": {edit(udpFrame, 38, 0, 7), BadUDPLength},
		"udp length past the packet":  {edit(udpFrame, 38, 0, 14), BadUDPLength},
		"half a tcp header":           {edit(tcpFrame, 16, 0, 39), ShortL4},
		"tcp offset 4":                {edit(tcpFrame, 46, 0x40), BadTCPOffset},
		"tcp offset past the packet":  {edit(tcpFrame, 46, 0xf0), BadTCPOffset},
	} {
		if _, got := Parse(c.frame); got != c.want {
			t.Errorf("%s: problem %q, want %q", name, got, c.want)
		}
	}
}

func TestParseIgnoresDontFragment(t *testing.T) {
	f := golden.Hex(t, udpFrame)
	f[20] = 0x40
	if _, problem := Parse(f); problem != OK {
		t.Errorf("problem %q", problem)
	}
}

// Whatever the bytes, Parse does not panic, and what it accepts can be read
// through the views without leaving the frame.
func FuzzParse(f *testing.F) {
	for _, s := range []string{udpFrame, tcpFrame, arpFrame, icmpFrame} {
		frame := golden.Hex(f, s)
		f.Add(frame)
		f.Add(frame[:len(frame)-3])
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		before := bytes.Clone(frame)
		l, problem := Parse(frame)
		if !bytes.Equal(before, frame) {
			t.Fatal("Parse wrote into the frame")
		}
		if problem != OK {
			return
		}
		if l.Transport < EtherLen+IPv4Len || l.Body < l.Transport || l.End < l.Body || l.End > len(frame) {
			t.Fatalf("offsets %+v in a frame of %d bytes", l, len(frame))
		}
		IPv4(frame[EtherLen:]).UpdateChecksum()
		if !IPv4(frame[EtherLen:]).ChecksumOK() {
			t.Fatal("computed IP checksum is wrong")
		}
		readTransport(t, frame, l)
	})
}

func readTransport(t *testing.T, frame []byte, l Layout) {
	switch l.Proto {
	case ProtoUDP:
		if n := UDP(frame[l.Transport:l.Body]).Len(); l.Transport+n > l.End {
			t.Fatalf("UDP length %d in %+v", n, l)
		}
		if flow := FlowOf(frame, l); flow.Reverse().Reverse() != flow {
			t.Fatalf("flow %+v is not its own reverse's reverse", flow)
		}
	case ProtoTCP:
		if n := TCP(frame[l.Transport:l.Body]).HeaderLen(); l.Transport+n != l.Body {
			t.Fatalf("TCP header of %d bytes in %+v", n, l)
		}
	}
}

func TestARP(t *testing.T) {
	frame := golden.Hex(t, arpFrame)
	req := ARP(frame[EtherLen:])
	if !req.Valid() || req.Op() != ARPRequest {
		t.Fatalf("valid %v, operation %d", req.Valid(), req.Op())
	}
	if req.SenderMAC() != (MAC{2, 0, 0, 0, 0, 1}) || [4]byte(req[14:18]) != [4]byte{10, 1, 0, 1} || req.TargetIP() != [4]byte{10, 1, 0, 2} {
		t.Errorf("sender %x %v, target %v", req.SenderMAC(), [4]byte(req[14:18]), req.TargetIP())
	}
	want := golden.Hex(t, "0001 0800 0604 0002 0200 0000 0002 0a01 0002 0200 0000 0001 0a01 0001")
	reply := make(ARP, ARPLen)
	reply.PutReply(MAC{2, 0, 0, 0, 0, 2}, [4]byte{10, 1, 0, 2}, req)
	if !bytes.Equal(reply, want) {
		t.Errorf("reply %x, want %x", reply, want)
	}
	req.PutReply(MAC{2, 0, 0, 0, 0, 2}, [4]byte{10, 1, 0, 2}, req)
	if !bytes.Equal(req, want) {
		t.Errorf("reply in place %x, want %x", req, want)
	}
}

func TestARPValid(t *testing.T) {
	good := golden.Hex(t, arpFrame)[EtherLen:]
	if ARP(good[:ARPLen-1]).Valid() {
		t.Error("a short packet is valid")
	}
	for _, at := range []int{1, 2, 4, 5} { // hardware type, protocol type, both lengths
		bad := bytes.Clone(good)
		bad[at] ^= 1
		if ARP(bad).Valid() {
			t.Errorf("valid with byte %d changed", at)
		}
	}
}

func TestMulticastMAC(t *testing.T) {
	// RFC 1112 §6.4: the low 23 bits of the group.
	got := MulticastMAC(netip.MustParseAddr("239.129.2.3"))
	if want := (MAC{0x01, 0x00, 0x5e, 0x01, 0x02, 0x03}); got != want {
		t.Errorf("%x, want %x", got, want)
	}
	if !got.IsMulticast() || !BroadcastMAC.IsMulticast() || (MAC{2, 0, 0, 0, 0, 1}).IsMulticast() {
		t.Error("group bit misread")
	}
}
