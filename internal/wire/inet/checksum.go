package inet

import "encoding/binary"

// Sum adds the 16-bit words of b to an unfolded one's complement sum (RFC
// 1071); a last odd byte counts as the high half of a word.
func Sum(b []byte, sum uint64) uint64 {
	for len(b) >= 8 {
		w := binary.BigEndian.Uint64(b)
		sum += w>>48 + w>>32&0xffff + w>>16&0xffff + w&0xffff
		b = b[8:]
	}
	for len(b) >= 2 {
		sum += uint64(binary.BigEndian.Uint16(b))
		b = b[2:]
	}
	if len(b) == 1 {
		sum += uint64(b[0]) << 8
	}
	return sum
}

// Fold folds a sum into 16 bits.
func Fold(sum uint64) uint16 {
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}

// AdjustSum returns a checksum of which the covered words that added up to before now add
// up to after (RFC 1624, eqn. 3).
func AdjustSum(sum uint16, before, after uint64) uint16 {
	return ^Fold(uint64(^sum) + uint64(^Fold(before)) + after)
}

// PseudoSum returns the folded sum of the pseudo-header of a packet whose
// transport header and body are n bytes long. It is what a partial ("filled by
// the hardware") checksum field holds.
func PseudoSum(ip IPv4, n int) uint16 {
	return Fold(Sum(ip[12:20], uint64(ip.Protocol())+uint64(n)))
}

// TransportChecksum returns the checksum of a UDP or TCP packet over the
// pseudo-header, the transport header with its field zeroed, and the body.
func TransportChecksum(ip IPv4, transport, body []byte) uint16 {
	sum := uint64(PseudoSum(ip, len(transport)+len(body)))
	sum = Sum(body, Sum(transport, sum)) // every header is a whole number of words
	c := ^Fold(sum)
	if c == 0 && ip.Protocol() == ProtoUDP {
		return 0xffff // zero means "no checksum" (RFC 768)
	}
	return c
}
