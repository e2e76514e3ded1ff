package afpacket

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

var (
	hostA = netip.MustParseAddr("10.9.0.1")
	hostB = netip.MustParseAddr("10.9.0.2")
)

// pattern returns n bytes that tell their place.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 ^ i>>8)
	}
	return b
}

// udpTrain returns a train from A to B with a partial checksum.
func udpTrain(n, seg int) sansio.Train {
	h := inet.UDPHeader(inet.Flow{Src: hostA, Dst: hostB, SrcPort: 4000, DstPort: 5000})
	inet.SetUDPBody(h, n)
	sansio.FillPartial(h, n)
	return sansio.Train{Header: h, Body: pattern(n), Seg: seg, Checksum: sansio.ChecksumPartial}
}

// tcpTrain does the same for TCP, with the given flags.
func tcpTrain(n, seg int, flags byte) sansio.Train {
	h := append(inet.UDPHeader(inet.Flow{Src: hostA, Dst: hostB, SrcPort: 4000, DstPort: 5000}), make([]byte, inet.TCPLen-inet.UDPLen)...)
	ip := inet.IPv4(h[inet.EtherLen:])
	ip[9] = inet.ProtoTCP
	ip.SetTotalLen(len(h) - inet.EtherLen + n)
	ip.UpdateChecksum()
	tcp := h[inet.EtherLen+inet.IPv4Len:]
	clear(tcp[4:])
	tcp[12], tcp[13] = 5<<4, flags
	sansio.FillPartial(h, n)
	return sansio.Train{Header: h, Body: pattern(n), Seg: seg, Checksum: sansio.ChecksumPartial}
}

func bytesOf(t sansio.Train) []byte { return slices.Concat(t.Header, t.Body) }

func describe(t sansio.Train) vnetHeader {
	h := make(vnetHeader, vnetLen)
	l4, _ := findTransport(t.Header)
	h.describe(t, l4)
	return h
}

func asIs(t sansio.Train) sansio.Train { t.Checksum = sansio.ChecksumAsIs; return t }

func TestVnetHeaderOfATrain(t *testing.T) {
	for name, test := range map[string]struct {
		train sansio.Train
		want  [6]int // flags, type, header length, segment, checksum start and offset
	}{
		"udp train":       {udpTrain(2500, 1000), [6]int{1, 5, 42, 1000, 34, 6}},
		"udp frame":       {udpTrain(1000, 1000), [6]int{1, 0, 42, 0, 34, 6}},
		"udp frame as is": {asIs(udpTrain(1000, 0)), [6]int{}},
		"tcp train":       {tcpTrain(2500, 1000, 0x10), [6]int{1, 1, 54, 1000, 34, 16}},
		"tcp train, cwr":  {tcpTrain(2500, 1000, 0x90), [6]int{1, 0x81, 54, 1000, 34, 16}},
		"tcp frame, cwr":  {tcpTrain(900, 0, 0x90), [6]int{1, 0, 54, 0, 34, 16}},
	} {
		h := describe(test.train)
		got := [6]int{int(h.flags()), int(h.gsoType()), int(binary.NativeEndian.Uint16(h[2:])), h.gsoSize(), h.checksumStart(), h.checksumOffset()}
		if got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// What is sent with the header that describe makes comes back as the same train.
func TestTrainSurvivesTheVnetHeader(t *testing.T) {
	for _, want := range []sansio.Train{
		udpTrain(2500, 1000), udpTrain(64000, 1000), udpTrain(77, 0), asIs(udpTrain(77, 0)),
		tcpTrain(64000, 1448, 0x18), tcpTrain(0, 0, 0x10),
	} {
		got, reason := trainOf(bytesOf(want), describe(want))
		if reason != "" || got.Seg != want.Seg || got.Checksum != want.Checksum ||
			!bytes.Equal(got.Header, want.Header) || !bytes.Equal(got.Body, want.Body) {
			t.Errorf("train of %d bytes by %d came back with %d by %d, checksum %d, reason %q",
				len(want.Body), want.Seg, len(got.Body), got.Seg, got.Checksum, reason)
		}
	}
}

// Receive offload joins frames that carry whole checksums, and says nothing of
// what is in the field then.
func TestJoinedFramesGetAPartialChecksum(t *testing.T) {
	want := udpTrain(2500, 1000)
	h := describe(want)
	h[0] = 2 // VIRTIO_NET_HDR_F_DATA_VALID
	frame := bytesOf(want)
	inet.UDP(frame[34:]).SetChecksum(0xabcd)
	got, reason := trainOf(frame, h)
	if reason != "" || got.Checksum != sansio.ChecksumPartial || !bytes.Equal(got.Header, want.Header) {
		t.Errorf("reason %q, checksum %d, header %x; want %x", reason, got.Checksum, got.Header, want.Header)
	}
}

// udp6 returns a frame of IPv6 and UDP whose checksum is partial.
func udp6(body []byte) []byte {
	f := make([]byte, 14+40+8, 14+40+8+len(body))
	binary.BigEndian.PutUint16(f[12:], 0x86dd)
	f[14], f[20] = 0x60, inet.ProtoUDP
	binary.BigEndian.PutUint16(f[18:], uint16(8+len(body)))
	copy(f[22:], pattern(32))
	binary.BigEndian.PutUint16(f[58:], uint16(8+len(body)))
	pseudo := inet.Fold(inet.Sum(f[22:54], uint64(inet.ProtoUDP)+uint64(8+len(body))))
	binary.BigEndian.PutUint16(f[60:], pseudo)
	return append(f, body...)
}

// udp6OK reports whether the checksum of such a frame is right.
func udp6OK(f []byte) bool {
	n := len(f) - 54
	return inet.Fold(inet.Sum(f[54:], inet.Sum(f[22:54], uint64(inet.ProtoUDP)+uint64(n)))) == 0xffff
}

func TestChecksumThatATrainCannotCarryIsFinished(t *testing.T) {
	h := make(vnetHeader, vnetLen)
	h.setChecksum(54, 6)
	frame := udp6(pattern(101))
	got, reason := trainOf(frame, h)
	if reason != "" || got.Checksum != sansio.ChecksumAsIs || !udp6OK(got.Header) {
		t.Errorf("reason %q, checksum %d, frame %x", reason, got.Checksum, got.Header)
	}
	h.setChecksum(150, 6000)
	if _, reason := trainOf(frame, h); reason != DropVnetHeader {
		t.Errorf("reason %q", reason)
	}
	if l, ok := findTransport6(frame); !ok || l.start != 54 || l.checksumOffset() != 6 {
		t.Errorf("transport header at %+v, %v", l, ok)
	}
}

func TestSuperPacketsWithoutAFormAreDropped(t *testing.T) {
	h := describe(udpTrain(2500, 1000))
	short := bytesOf(udpTrain(2500, 1000))
	short = short[:len(short)-1]
	for name, frame := range map[string][]byte{"ipv6": udp6(pattern(2500)), "cut": short, "empty": nil} {
		if _, reason := trainOf(frame, h); reason != DropGSO {
			t.Errorf("%s: reason %q", name, reason)
		}
	}
}

func TestVLANTagIsPutBack(t *testing.T) {
	want := udpTrain(99, 0)
	buf := append(make([]byte, vlanLen), bytesOf(want)...)
	copy(buf[4:], "\x02bcdef\x02hijkl") // the addresses
	tag := vlanTag{0x8100, 0x2005}
	got, reason := taggedTrain(slices.Clone(buf), describe(want), tag)
	if reason != "" || got.Checksum != sansio.ChecksumAsIs {
		t.Fatalf("reason %q, checksum %d", reason, got.Checksum)
	}
	f := got.Header
	if string(f[:12]) != "\x02bcdef\x02hijkl" || !bytes.Equal(f[12:18], []byte{0x81, 0, 0x20, 5, 8, 0}) {
		t.Errorf("frame starts with %x", f[:18])
	}
	inner := f[4:]
	if got, want := binary.BigEndian.Uint16(inner[40:]), checksumOf(bytesOf(want)); got != want {
		t.Errorf("checksum %#x, want %#x", got, want)
	}
	if _, reason := taggedTrain(buf, describe(udpTrain(2500, 1000)), tag); reason != DropGSO {
		t.Errorf("a tagged super-packet: reason %q", reason)
	}
}

// checksumOf computes the UDP checksum of a frame from nothing.
func checksumOf(frame []byte) uint16 {
	f := slices.Clone(frame)
	inet.UDP(f[34:]).SetChecksum(0)
	return inet.TransportChecksum(inet.IPv4(f[14:]), f[34:42], f[42:])
}

func FuzzTrainOf(f *testing.F) {
	for _, t := range []sansio.Train{udpTrain(2500, 1000), tcpTrain(3000, 1448, 0x90), udpTrain(1, 0)} {
		f.Add(bytesOf(t), []byte(describe(t)))
	}
	f.Add(udp6(pattern(20)), []byte{1, 0, 0, 0, 0, 0, 54, 0, 6, 0})
	f.Fuzz(func(t *testing.T, frame, header []byte) {
		if len(header) < vnetLen {
			return
		}
		n := len(frame)
		got, reason := trainOf(frame, vnetHeader(header[:vnetLen]))
		if reason == "" && len(got.Header)+len(got.Body) != n {
			t.Errorf("frame of %d bytes became %d and %d", n, len(got.Header), len(got.Body))
		}
		tagged := append(make([]byte, vlanLen), frame...)
		if got, reason := taggedTrain(tagged, vnetHeader(header[:vnetLen]), vlanTag{1, 2}); reason == "" && len(got.Header)+len(got.Body) != n+vlanLen {
			t.Errorf("tagged frame of %d bytes became %d and %d", n, len(got.Header), len(got.Body))
		}
	})
}
