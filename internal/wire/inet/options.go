package inet

import "slices"

// MaxIPOptions is how many bytes of options IPv4 has room for (RFC 791 §3.1).
const MaxIPOptions = 40

// WithIPOptions returns the headers that [UDPHeader] made with options of IPv4 in addition, for
// a body of n bytes: lengths and IP checksum are right, the UDP checksum is 0. The options are
// a multiple of 4 bytes.
func WithIPOptions(h, options []byte, n int) []byte {
	out := slices.Concat(h[:EtherLen+IPv4Len], options, h[EtherLen+IPv4Len:])
	ip := IPv4(out[EtherLen:])
	ip[0] += byte(len(options) / 4)
	ip.SetTotalLen(len(ip) + n)
	ip.UpdateChecksum()
	udp := UDP(ip[ip.HeaderLen():])
	udp.SetLen(UDPLen + n)
	udp.SetChecksum(0)
	return out
}
