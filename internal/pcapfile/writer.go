package pcapfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// Writer writes Ethernet frames to a pcap file.
type Writer struct{ w *pcapgo.Writer }

// NewWriter writes the header of the file. Its times are in nanoseconds.
func NewWriter(to io.Writer) (*Writer, error) {
	w := pcapgo.NewWriterNanos(to)
	return &Writer{w}, w.WriteFileHeader(MaxFrame, layers.LinkTypeEthernet)
}

// Write appends a frame, of which data is stored.
func (w *Writer) Write(at time.Time, data []byte, length int) error {
	if s := at.Unix(); s < 0 || s > math.MaxUint32 {
		return fmt.Errorf("writing a packet of %v: pcap has times from 1970 to 2106", at)
	}
	if length > MaxFrame || length < len(data) {
		return errors.New("writing a packet that is longer than pcap has room for, or shorter than what is stored of it")
	}
	return w.w.WritePacket(gopacket.CaptureInfo{Timestamp: at, CaptureLength: len(data), Length: length}, data)
}
