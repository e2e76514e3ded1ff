package capture

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// splitter makes frames of trains, in memory that it uses again.
type splitter struct{ header, frame []byte }

// frames calls each with every frame of a train as it is on the wire: what is stored of it, and
// its length. The bytes are valid during the call.
func (s *splitter) frames(t *sansio.Train, each func(data []byte, length int)) {
	if cap(s.header) < len(t.Header) {
		s.header = make([]byte, 0, len(t.Header))
	}
	for i := range t.Frames() {
		f := t.Frame(i, s.header)
		s.frame = append(append(s.frame[:0], f.Header...), f.Body...)
		if f.Checksum == sansio.ChecksumPartial {
			complete(s.frame)
		}
		each(s.frame, len(s.frame)+f.Unstored)
	}
}

// Offsets of the checksum in the headers of UDP and TCP.
const (
	checksumUDP = 6
	checksumTCP = 16
)

// complete computes the checksum of a frame whose field holds the sum of the pseudo-header, as
// the last interface on the way would. Bytes that are not stored are zero and add nothing.
func complete(frame []byte) {
	if len(frame) < inet.EtherLen+inet.IPv4Len {
		return
	}
	ip := inet.IPv4(frame[inet.EtherLen:])
	start := inet.EtherLen + ip.HeaderLen()
	end := min(len(frame), inet.EtherLen+ip.TotalLen()) // padding is not covered
	field := start + checksumUDP
	if ip.Protocol() == inet.ProtoTCP {
		field = start + checksumTCP
	}
	if field+2 > end {
		return
	}
	sum := ^inet.Fold(inet.Sum(frame[start:end], 0))
	if sum == 0 && ip.Protocol() == inet.ProtoUDP {
		sum = 0xffff // zero means "no checksum" (RFC 768)
	}
	binary.BigEndian.PutUint16(frame[field:], sum)
}
