package pcapfile

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// Interface is a point at which frames were seen.
type Interface struct {
	Name        string
	Description string // of the point
	Filter      string // what was let through; empty: everything
}

// Direction says which way a frame went, as seen from its interface.
type Direction uint8

// The directions.
const (
	Unknown Direction = iota
	Inbound
	Outbound
)

// NgPacket is a packet of a pcapng file.
type NgPacket struct {
	Packet
	Direction Direction
	Comments  []string
}

// NgWriter writes Ethernet frames to a pcapng file. Its times are in nanoseconds.
type NgWriter struct{ w *pcapgo.NgWriter }

// NewNgWriter writes the header of the file: what it is about, and its interfaces, of which
// there is one at least.
func NewNgWriter(to io.Writer, about string, list []Interface) (*NgWriter, error) {
	if len(list) == 0 {
		return nil, errors.New("writing a capture without an interface")
	}
	section := pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "inalab", Comment: about}}
	w, err := pcapgo.NewNgWriterInterface(to, ngInterface(list[0]), section)
	if err != nil {
		return nil, err
	}
	for _, i := range list[1:] {
		if _, err := w.AddInterface(ngInterface(i)); err != nil {
			return nil, err
		}
	}
	return &NgWriter{w}, nil
}

func ngInterface(i Interface) pcapgo.NgInterface {
	return pcapgo.NgInterface{Name: i.Name, Description: i.Description, Filter: i.Filter, LinkType: layers.LinkTypeEthernet, TimestampResolution: 9}
}

// Write appends a packet. It is in the file after [NgWriter.Flush] at the latest.
func (w *NgWriter) Write(p *NgPacket) error {
	if s := p.At.Unix(); s < 0 || s >= 1<<33 {
		return fmt.Errorf("writing a packet of %v: times from 1970 to 2242 are possible", p.At)
	}
	info := gopacket.CaptureInfo{Timestamp: p.At, CaptureLength: len(p.Data), Length: p.Length, InterfaceIndex: p.Interface}
	options := pcapgo.NgPacketOptions{Comments: p.Comments}
	if p.Direction != Unknown {
		options.Flags = &pcapgo.NgEpbFlags{Direction: pcapgo.NgEpbFlag(p.Direction)}
	}
	return w.w.WritePacketWithOptions(info, p.Data, options)
}

// Count writes how many packets an interface received until at, and how many of them were
// lost before they could be looked at.
func (w *NgWriter) Count(of int, at time.Time, received, lost uint64) error {
	return w.w.WriteInterfaceStats(of, pcapgo.NgInterfaceStatistics{LastUpdate: at, PacketsReceived: received, PacketsDropped: lost})
}

// Flush writes what is left in memory.
func (w *NgWriter) Flush() error { return w.w.Flush() }
