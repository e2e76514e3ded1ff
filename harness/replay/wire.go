package replay

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// maxHeader is the room for derived headers; longer ones are allocated.
const maxHeader = 128

// wire appends a frame as it would be on a wire, with its transport checksum filled in.
func wire(b []byte, f *sansio.Train) []byte {
	from := len(b)
	b = append(append(b, f.Header...), f.Body...)
	b = append(b, make([]byte, f.Unstored)...)
	frame := b[from:]
	l, problem := inet.Parse(frame)
	if f.Checksum != sansio.ChecksumPartial || problem != inet.OK {
		return b
	}
	ip := inet.IPv4(frame[inet.EtherLen:])
	header, body := frame[l.Transport:l.Body], frame[l.Body:l.End]
	switch l.Proto {
	case inet.ProtoUDP:
		inet.UDP(header).SetChecksum(0)
		inet.UDP(header).SetChecksum(inet.TransportChecksum(ip, header, body))
	case inet.ProtoTCP:
		inet.TCP(header).SetChecksum(0)
		inet.TCP(header).SetChecksum(inet.TransportChecksum(ip, header, body))
	}
	return b
}
