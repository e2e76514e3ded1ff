package roce

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/inalab/inalab/internal/wire/inet"
)

// Seal writes the ICRC of a frame to the last bytes of its UDP payload. header is
// that of the frame, or of a train that it is of: lengths are taken from body. It
// is one that [inet.UDPHeader] made: without options.
func Seal(header, body []byte) {
	at := len(body) - ICRCLen
	binary.LittleEndian.PutUint32(body[at:], icrc(header, body[:at]))
}

// Unseal writes the zero that stands for an ICRC that cannot be told.
func Unseal(body []byte) { clear(body[len(body)-ICRCLen:]) }

// Check reports whether the ICRC of a frame is right. A header that is not
// Ethernet, IPv4 without options and UDP has none that is.
func Check(header, body []byte) bool {
	at := len(body) - ICRCLen
	return at >= BTHLen && len(header) == inet.UDPHeaders && binary.LittleEndian.Uint32(body[at:]) == icrc(header, body[:at])
}

// masked is the route header of InfiniBand, IPv4, UDP and BTH.
const masked = 8 + inet.IPv4Len + inet.UDPLen + BTHLen

// icrc returns the invariant CRC (annex A17) of a frame; covered is its UDP payload
// without the ICRC. It is Ethernet's CRC-32 over eight bytes of ones, then the packet
// from its IPv4 header on, with ones in the fields that routers change.
func icrc(header, covered []byte) uint32 {
	var b [masked]byte
	for i := range 8 {
		b[i] = 0xff
	}
	ip := inet.IPv4(b[8 : 8+inet.IPv4Len])
	copy(ip, header[inet.EtherLen:])
	ip[1] = 0xff // type of service
	ip.SetTotalLen(inet.IPv4Len + inet.UDPLen + len(covered) + ICRCLen)
	ip.SetTTL(0xff)
	ip.SetChecksum(0xffff)
	udp := inet.UDP(b[8+inet.IPv4Len:])
	copy(udp[:inet.UDPLen], header[inet.EtherLen+inet.IPv4Len:])
	udp.SetLen(inet.UDPLen + len(covered) + ICRCLen)
	udp.SetChecksum(0xffff)
	bth := udp[inet.UDPLen:]
	copy(bth, covered[:BTHLen])
	bth[4] = 0xff // congestion notification and reserved bits
	return crc32.Update(crc32.ChecksumIEEE(b[:]), crc32.IEEETable, covered[BTHLen:])
}
