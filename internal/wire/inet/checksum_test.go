package inet

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
)

// RFC 1071 §3 works this example: the sum is ddf2, its complement 220d.
func TestRFC1071Example(t *testing.T) {
	b := golden.Hex(t, "0001 f203 f4f5 f6f7")
	if got := Sum(b, 0); got != 0x2ddf0 {
		t.Errorf("sum %#x, want 0x2ddf0", got)
	}
	if got := Fold(Sum(b, 0)); got != 0xddf2 {
		t.Errorf("folded sum %#x, want 0xddf2", got)
	}
}

// naiveSum is one's complement addition as RFC 1071 states it: 16-bit words,
// and a carry comes back in at the low end at once.
func naiveSum(b []byte, sum uint16) uint16 {
	s := uint32(sum)
	for i := range b {
		v := uint32(b[i])
		if i%2 == 0 {
			v <<= 8
		}
		s += v
		s = s&0xffff + s>>16
	}
	return uint16(s)
}

func TestSumAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "b")
		start := rapid.Uint16().Draw(t, "start")
		if got, want := Fold(Sum(b, uint64(start))), naiveSum(b, start); got != want {
			t.Fatalf("%#x, want %#x", got, want)
		}
		cut := rapid.IntRange(0, len(b)/2).Draw(t, "cut") * 2
		if got, want := Sum(b[cut:], Sum(b[:cut], 0)), Sum(b, 0); got != want {
			t.Fatalf("in two parts %#x, in one %#x", got, want)
		}
	})
}

func TestSumOfLargestPacketFolds(t *testing.T) {
	b := make([]byte, 65535)
	for i := range b {
		b[i] = 0xff
	}
	if got, want := Fold(Sum(b, 0xffff)), naiveSum(b, 0xffff); got != want {
		t.Errorf("%#x, want %#x", got, want)
	}
}

// The header of the worked example in Wikipedia's "Internet checksum" article.
func TestIPv4Checksum(t *testing.T) {
	ip := IPv4(golden.Hex(t, "4500 0073 0000 4000 4011 b861 c0a8 0001 c0a8 00c7"))
	if !ip.ChecksumOK() {
		t.Error("a right checksum is called wrong")
	}
	ip.SetTTL(63)
	if ip.ChecksumOK() {
		t.Error("a stale checksum is called right")
	}
	ip.SetTTL(64)
	ip.SetChecksum(0x1234)
	ip.UpdateChecksum()
	if got := ip.Checksum(); got != 0xb861 {
		t.Errorf("checksum %#x, want 0xb861", got)
	}
}

// What a receiver does: the sum over pseudo-header, header and body, the
// checksum field included, is all ones.
func TestTransportChecksumVerifies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "body")
		tcp := rapid.Bool().Draw(t, "tcp")
		ip := IPv4(rapid.SliceOfN(rapid.Byte(), IPv4Len, IPv4Len).Draw(t, "ip"))
		ip[9] = ProtoUDP
		transport := make([]byte, UDPLen, TCPLen)
		if tcp {
			ip[9] = ProtoTCP
			transport = transport[:TCPLen]
		}
		copy(transport, rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "ports"))
		sum := TransportChecksum(ip, transport, body)
		if tcp {
			TCP(transport).SetChecksum(sum)
		} else {
			UDP(transport).SetChecksum(sum)
		}
		pseudo := append(append([]byte{}, ip[12:20]...), 0, ip[9], 0, byte(len(transport)+len(body)))
		all := naiveSum(body, naiveSum(transport, naiveSum(pseudo, 0)))
		if all != 0xffff {
			t.Fatalf("receiver sums %#x", all)
		}
		if !tcp && sum == 0 {
			t.Fatal("zero means that UDP has no checksum (RFC 768)")
		}
	})
}

// A body can be chosen so that the computed checksum is zero; UDP sends ffff.
func TestUDPChecksumZeroBecomesOnes(t *testing.T) {
	ip := make(IPv4, IPv4Len)
	udp := make(UDP, UDPLen)
	for _, proto := range []uint8{ProtoUDP, ProtoTCP} {
		ip[9] = proto
		partial := PseudoSum(ip, UDPLen+2)
		rest := ^partial
		got := TransportChecksum(ip, udp, []byte{byte(rest >> 8), byte(rest)})
		if want := map[uint8]uint16{ProtoUDP: 0xffff, ProtoTCP: 0}[proto]; got != want {
			t.Errorf("protocol %d: %#x, want %#x", proto, got, want)
		}
	}
}

// A partial checksum is completed by summing over transport header and body
// with the field as it stands, which is what virtio and Linux do (checksum
// from csum_start on).
func TestPartialChecksumCompletes(t *testing.T) {
	ip := IPv4(golden.Hex(t, "4500 0000 0000 0000 4011 0000 0a01 0001 0a01 0002"))
	udp := UDP(golden.Hex(t, "1234 5678 000d 0000"))
	body := []byte("hello")
	want := TransportChecksum(ip, udp, body)
	udp.SetChecksum(PseudoSum(ip, UDPLen+len(body)))
	if got := ^naiveSum(append(append([]byte{}, udp...), body...), 0); got != want {
		t.Errorf("completed %#x, want %#x", got, want)
	}
}
