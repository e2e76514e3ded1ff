package inet

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/inalab/inalab/internal/golden"
)

func labFlow() Flow {
	return Flow{
		SrcMAC: MAC{2, 0, 0, 0, 0, 1}, DstMAC: MAC{2, 0, 0, 0, 0, 2},
		Src: netip.MustParseAddr("10.1.0.1"), Dst: netip.MustParseAddr("10.1.0.2"),
		SrcPort: 0x1234, DstPort: 0x5678,
	}
}

func TestUDPHeaderGolden(t *testing.T) {
	h := UDPHeader(labFlow())
	want := golden.Hex(t, `0200 0000 0002 0200 0000 0001 0800
		4500 001c 0000 0000 4011 66cd 0a01 0001 0a01 0002
		1234 5678 0008 0000`)
	if !bytes.Equal(h, want) {
		t.Errorf("got  %x\nwant %x", h, want)
	}
	SetUDPBody(h, 5)
	if frame := golden.Hex(t, udpFrame); !bytes.Equal(h, frame[:UDPHeaders]) {
		t.Errorf("with a body of 5: got  %x\nwant %x", h, frame[:UDPHeaders])
	}
	if !IPv4(h[EtherLen:]).ChecksumOK() {
		t.Error("IP checksum wrong")
	}
}

func TestFlowRoundTrip(t *testing.T) {
	h := UDPHeader(labFlow())
	l, problem := Parse(h)
	if problem != OK {
		t.Fatalf("header without a body does not parse: %s", problem)
	}
	if got := FlowOf(h, l); got != labFlow() {
		t.Errorf("flow %+v", got)
	}
	want := Flow{
		SrcMAC: MAC{2, 0, 0, 0, 0, 2}, DstMAC: MAC{2, 0, 0, 0, 0, 1},
		Src: netip.MustParseAddr("10.1.0.2"), Dst: netip.MustParseAddr("10.1.0.1"),
		SrcPort: 0x5678, DstPort: 0x1234,
	}
	if got := labFlow().Reverse(); got != want {
		t.Errorf("reverse %+v", got)
	}
}

func TestTCPView(t *testing.T) {
	f := golden.Hex(t, tcpFrame)
	tcp := TCP(f[34:])
	if binary.BigEndian.Uint16(tcp) != 0xc000 || tcp.DstPort() != 5201 || tcp.Seq() != 1 || tcp.HeaderLen() != 32 {
		t.Errorf("ports %d, %d, sequence %d, header %d", binary.BigEndian.Uint16(tcp), tcp.DstPort(), tcp.Seq(), tcp.HeaderLen())
	}
	tcp.ClearFlags(TCPPsh | TCPFin)
	if tcp[13] != 0x10 {
		t.Errorf("flags %#x, want ACK alone", tcp[13])
	}
}
