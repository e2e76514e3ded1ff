package sansio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

func testFlow() inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, 1}, DstMAC: inet.MAC{2, 0, 0, 0, 0, 2},
		Src: netip.MustParseAddr("10.1.0.1"), Dst: netip.MustParseAddr("10.1.0.2"),
		SrcPort: 4000, DstPort: 5000,
	}
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

// udpTrain returns a super-packet with a partial checksum.
func udpTrain(body, seg int, id uint16) Train {
	h := inet.UDPHeader(testFlow())
	inet.IPv4(h[inet.EtherLen:]).SetID(id)
	inet.SetUDPBody(h, body)
	FillPartial(h, body)
	return Train{Header: h, Body: pattern(body), Seg: seg, Checksum: ChecksumPartial}
}

const (
	tcpOptions = 12
	tcpStart   = 0xffff_ff00 // sequence numbers wrap inside the test trains
)

// tcpTrain returns a super-packet with all flags set, IP and TCP options, and a
// partial checksum.
func tcpTrain(body, seg int, id uint16) Train {
	const ihl = inet.IPv4Len + 4
	h := make([]byte, inet.EtherLen+ihl+inet.TCPLen+tcpOptions)
	copy(h, inet.UDPHeader(testFlow())[:inet.EtherLen+inet.IPv4Len])
	ip := inet.IPv4(h[inet.EtherLen:])
	ip[0] = 0x40 | ihl/4
	ip[9] = inet.ProtoTCP
	ip.SetID(id)
	ip.SetTotalLen(ihl + inet.TCPLen + tcpOptions + body)
	ip.UpdateChecksum()
	tcp := inet.TCP(h[inet.EtherLen+ihl:])
	tcp[12], tcp[13] = (inet.TCPLen+tcpOptions)/4<<4, 0xff
	tcp.SetSeq(tcpStart)
	FillPartial(h, body)
	return Train{Header: h, Body: pattern(body), Seg: seg, Checksum: ChecksumPartial}
}

func headers(t Train) (inet.IPv4, []byte) {
	ip := inet.IPv4(t.Header[inet.EtherLen:])
	return ip, t.Header[inet.EtherLen+ip.HeaderLen():]
}

func TestTrainSizes(t *testing.T) {
	for _, c := range []struct {
		body, seg, frames int
		last              int // payload of the last frame
	}{
		{0, 0, 1, 0}, {100, 0, 1, 100}, {100, 100, 1, 100}, {100, 200, 1, 100}, {100, -1, 1, 100},
		{200, 100, 2, 100}, {201, 100, 3, 1}, {6400, 100, 64, 100},
	} {
		tr := udpTrain(c.body, c.seg, 0)
		if got := tr.Frames(); got != c.frames {
			t.Errorf("%+v: %d frames", c, got)
		}
		if got := len(tr.Payload(c.frames - 1)); got != c.last {
			t.Errorf("%+v: last payload %d bytes", c, got)
		}
		sum := units.Bytes(0)
		for i := range c.frames {
			sum += tr.FrameBytes(i)
		}
		if want := units.Bytes(c.body + c.frames*inet.UDPHeaders); sum != want || tr.Bytes() != want {
			t.Errorf("%+v: %d bytes frame by frame, %d together, want %d", c, sum, tr.Bytes(), want)
		}
		if got, want := tr.WireBytes()-tr.Bytes(), units.Bytes(c.frames)*24; got != want {
			t.Errorf("%+v: framing %d bytes, want %d", c, got, want)
		}
	}
}

func TestFramesOfUDP(t *testing.T) {
	tr := udpTrain(250, 100, 9)
	for i, want := range []int{100, 100, 50} {
		f := tr.Frame(i, nil)
		ip, l4 := headers(f)
		if len(f.Body) != want || f.Frames() != 1 || f.Seg != 0 || f.Checksum != ChecksumPartial {
			t.Fatalf("frame %d: %d bytes, %d frames, checksum kind %d", i, len(f.Body), f.Frames(), f.Checksum)
		}
		if ip.TotalLen() != 28+want || inet.UDP(l4).Len() != 8+want {
			t.Errorf("frame %d: IP length %d, UDP length %d", i, ip.TotalLen(), inet.UDP(l4).Len())
		}
		if ip.ID() != uint16(9+i) || !ip.ChecksumOK() {
			t.Errorf("frame %d: identification %d, checksum ok %v", i, ip.ID(), ip.ChecksumOK())
		}
		pseudo := append(append([]byte{}, ip[12:20]...), 0, inet.ProtoUDP, 0, byte(8+want))
		if got, want := binary.BigEndian.Uint16(l4[6:]), inet.Fold(inet.Sum(pseudo, 0)); got != want {
			t.Errorf("frame %d: partial checksum %#x, want %#x", i, got, want)
		}
		if l, problem := inet.Parse(append(bytes.Clone(f.Header), f.Body...)); problem != inet.OK || l.Body != inet.UDPHeaders {
			t.Errorf("frame %d does not parse: %+v %s", i, l, problem)
		}
	}
}

func TestFramesOfTCP(t *testing.T) {
	tr := tcpTrain(250, 100, 9)
	for i, want := range []struct {
		n     int
		flags uint8
	}{
		{100, 0xff &^ (inet.TCPFin | inet.TCPPsh)},
		{100, 0xff &^ (inet.TCPFin | inet.TCPPsh | inet.TCPCwr)},
		{50, 0xff &^ inet.TCPCwr},
	} {
		f := tr.Frame(i, nil)
		ip, l4 := headers(f)
		if ip.TotalLen() != 24+32+want.n || ip.ID() != uint16(9+i) || !ip.ChecksumOK() {
			t.Errorf("frame %d: IP length %d, identification %d, checksum ok %v", i, ip.TotalLen(), ip.ID(), ip.ChecksumOK())
		}
		if got, want := inet.TCP(l4).Seq(), uint32(tcpStart+100*uint64(i)&0xffff_ffff); got != want {
			t.Errorf("frame %d: sequence %#x, want %#x", i, got, want)
		}
		if l4[13] != want.flags {
			t.Errorf("frame %d: flags %#x, want %#x", i, l4[13], want.flags)
		}
		if got, want := binary.BigEndian.Uint16(l4[16:]), inet.PseudoSum(ip, 32+want.n); got != want {
			t.Errorf("frame %d: partial checksum %#x, want %#x", i, got, want)
		}
	}
}

func TestFramesOfUDPWithoutChecksum(t *testing.T) {
	tr := udpTrain(250, 100, 0)
	tr.Checksum = ChecksumAsIs
	inet.UDP(tr.Header[34:]).SetChecksum(0)
	for i := range 3 {
		ip, l4 := headers(tr.Frame(i, nil))
		if sum := binary.BigEndian.Uint16(l4[6:]); sum != 0 {
			t.Errorf("frame %d: checksum %#x, want none", i, sum)
		}
		if ip.ID() != 0 {
			t.Errorf("frame %d: identification %d, want 0 to stay", i, ip.ID())
		}
	}
}

func TestIdentificationSkipsZero(t *testing.T) {
	tr := udpTrain(300, 100, 0xffff)
	for i, want := range []uint16{0xffff, 1, 2} {
		if ip, _ := headers(tr.Frame(i, nil)); ip.ID() != want {
			t.Errorf("frame %d: identification %d, want %d", i, ip.ID(), want)
		}
	}
}

// flat returns all frames byte for byte, each with its checksum kind.
func flat(t Train) []string {
	var out []string
	for i := range t.Frames() {
		f := t.Frame(i, nil)
		out = append(out, fmt.Sprintf("%d %x %x+%d", f.Checksum, f.Header, f.Body, f.Unstored))
	}
	return out
}

func drawTrain(t *rapid.T) Train {
	seg := rapid.IntRange(1, 40).Draw(t, "seg")
	body := rapid.IntRange(0, 12*seg).Draw(t, "body")
	id := rapid.SampledFrom([]uint16{0, 1, 777, 0xfffa, 0xffff}).Draw(t, "id")
	if rapid.Bool().Draw(t, "tcp") {
		return tcpTrain(body, seg, id)
	}
	return udpTrain(body, seg, id)
}

func TestSubHasTheFramesOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := drawTrain(t)
		want, whole := flat(tr), flat(tr)
		i := rapid.IntRange(0, tr.Frames()-1).Draw(t, "i")
		j := rapid.IntRange(i+1, tr.Frames()).Draw(t, "j")
		sub := tr.Sub(i, j, make([]byte, 0, 134))
		if got := flat(sub); fmt.Sprint(got) != fmt.Sprint(want[i:j]) {
			t.Fatalf("frames %d to %d: got\n%v\nwant\n%v", i, j, got, want[i:j])
		}
		k := rapid.IntRange(0, j-i-1).Draw(t, "k")
		m := rapid.IntRange(k+1, j-i).Draw(t, "m")
		if got := flat(sub.Sub(k, m, nil)); fmt.Sprint(got) != fmt.Sprint(want[i+k:i+m]) {
			t.Fatalf("a part of a part differs: got\n%v\nwant\n%v", got, want[i+k:i+m])
		}
		if fmt.Sprint(flat(tr)) != fmt.Sprint(whole) {
			t.Fatal("the train itself was changed")
		}
	})
}

func TestSubUsesItsBuffer(t *testing.T) {
	tr := udpTrain(300, 100, 1)
	buf := make([]byte, 0, 64)
	sub := tr.Sub(1, 3, buf)
	if &sub.Header[0] != &buf[:1][0] {
		t.Error("header is not in the buffer")
	}
	if &sub.Body[0] != &tr.Body[100] {
		t.Error("body is not shared")
	}
	if n := testing.AllocsPerRun(100, func() { sub = tr.Frame(2, buf) }); n != 0 {
		t.Errorf("%v allocations with a buffer that has room", n)
	}
}

func TestNewTrain(t *testing.T) {
	join := func(t Train) []byte { return append(bytes.Clone(t.Header), t.Body...) }
	udp, tcp := join(udpTrain(250, 100, 1)), join(tcpTrain(250, 100, 1))
	padded := append(bytes.Clone(udp), 0, 0)
	icmp := bytes.Clone(udp)
	icmp[23] = inet.ProtoICMP
	for name, c := range map[string]struct {
		frame          []byte
		seg            int
		header, frames int
	}{
		"udp super-packet":                   {udp, 100, 42, 3},
		"udp frame":                          {udp, 0, 42, 1},
		"tcp super-packet":                   {tcp, 100, 70, 3},
		"padding stays in the body":          {padded, 0, 42, 1},
		"super-packet with bytes to spare":   {padded, 100, len(padded), 1},
		"no segments but of UDP and TCP":     {icmp, 100, 34, 1},
		"unknown frames are all header":      {udp[:20], 100, 20, 1},
		"no bytes at all":                    {nil, 0, 0, 1},
		"one segment longer than the packet": {udp, 1000, 42, 1},
	} {
		tr := NewTrain(c.frame, c.seg, ChecksumPartial)
		if len(tr.Header) != c.header || tr.Frames() != c.frames || tr.Checksum != ChecksumPartial {
			t.Errorf("%s: header of %d bytes, %d frames, checksum kind %d", name, len(tr.Header), tr.Frames(), tr.Checksum)
		}
		if !bytes.Equal(join(tr), c.frame) {
			t.Errorf("%s: bytes changed", name)
		}
	}
}
