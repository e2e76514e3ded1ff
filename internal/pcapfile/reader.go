package pcapfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// A Packet is a packet of a capture.
type Packet struct {
	At        time.Time // zero: the capture does not say
	Interface int       // that it came by, from 0; always 0 in a pcap file
	Data      []byte    // what was captured of the frame, from the Ethernet header on
	Length    int       // of the frame in bytes; more than len(Data) where the capture is cut short
}

// MaxFrame is the longest frame that is read, in bytes: an Ethernet header and the longest
// IPv4 packet (RFC 791). A capture with a longer one is damaged.
const MaxFrame = 14 + 65535

// Reader reads the packets of a capture in their order.
type Reader struct {
	name   string
	bytes  *counter
	source source
	mixed  bool            // each packet says its link type
	link   layers.LinkType // of all packets otherwise
	n      int             // packets that were read
	end    error           // why there are no more; nil: there may be
}

// source is what decodes a format.
type source interface {
	ReadPacketData() ([]byte, gopacket.CaptureInfo, error)
}

// counter counts bytes on their way from a file.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// Beginnings of files.
var (
	magicGzip   = []byte{0x1f, 0x8b}
	magicPcapng = []byte{0x0a, 0x0d, 0x0d, 0x0a}
	magicsPcap  = [][]byte{{0xa1, 0xb2, 0xc3, 0xd4}, {0xd4, 0xc3, 0xb2, 0xa1}, {0xa1, 0xb2, 0x3c, 0x4d}, {0x4d, 0x3c, 0xb2, 0xa1}}
)

// NewReader reads the header of a capture, which has a name in errors.
func NewReader(name string, from io.Reader) (r *Reader, err error) {
	r = &Reader{name: name}
	defer r.guard(&err)
	b := bufio.NewReader(from)
	if magic, _ := b.Peek(len(magicGzip)); bytes.Equal(magic, magicGzip) {
		inner, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		from = inner
	} else {
		from = b
	}
	r.bytes = &counter{r: from}
	return r, r.open()
}

// open finds the format and reads the file's header.
func (r *Reader) open() error {
	b := bufio.NewReader(r.bytes)
	magic, _ := b.Peek(len(magicPcapng))
	switch {
	case len(magic) == 0:
		return fmt.Errorf("%s: the file is empty: a capture in pcap or pcapng is needed", r.name)
	case bytes.Equal(magic, magicPcapng):
		ng, err := pcapgo.NewNgReader(&blocks{r: b, order: binary.LittleEndian}, pcapgo.NgReaderOptions{WantMixedLinkType: true})
		r.source, r.mixed = ng, true
		return r.problem(err)
	}
	for _, m := range magicsPcap {
		if bytes.Equal(magic, m) {
			old, err := pcapgo.NewReader(b)
			if err != nil {
				return r.problem(err)
			}
			r.source, r.link = old, old.LinkType()
			old.SetSnaplen(MaxFrame) // that of the file is wrong in some, and 0 in others
			return nil
		}
	}
	return fmt.Errorf("%s: it begins with % x: no capture in pcap or pcapng", r.name, magic)
}

// Next returns the next packet, and io.EOF after the last.
func (r *Reader) Next() (p Packet, err error) {
	if r.end != nil {
		return Packet{}, r.end
	}
	defer func() { r.end = err }()
	defer r.guard(&err)
	data, info, err := r.source.ReadPacketData()
	switch {
	case errors.Is(err, io.EOF) && info.CaptureLength == 0:
		return Packet{}, io.EOF
	case err != nil:
		return Packet{}, r.problem(err)
	}
	link := r.link
	if r.mixed {
		link, _ = info.AncillaryData[0].(layers.LinkType)
	}
	switch {
	case link != layers.LinkTypeEthernet:
		return Packet{}, fmt.Errorf("%s: packet %d has link type %d (%s): only Ethernet has the header that programs find; "+
			"capture on one Ethernet interface", r.name, r.n+1, link, link)
	case info.Length > MaxFrame || len(data) > info.Length:
		return Packet{}, r.problem(fmt.Errorf("it has %d bytes of %d; at most %d are possible", len(data), info.Length, MaxFrame))
	}
	r.n++
	return Packet{At: info.Timestamp, Interface: info.InterfaceIndex, Data: data, Length: info.Length}, nil
}

// problem rewords what is wrong with the packet that is next.
func (r *Reader) problem(err error) error {
	switch {
	case err == nil:
		return nil
	case r.source == nil && isEnd(err):
		return fmt.Errorf("%s: cut within its header: the file ends at byte %d", r.name, r.bytes.n)
	case isEnd(err):
		return fmt.Errorf("%s: cut within packet %d: the file ends at byte %d", r.name, r.n+1, r.bytes.n)
	}
	return fmt.Errorf("%s: damaged at packet %d: %w", r.name, r.n+1, err)
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// guard makes an error of a panic: the decoder divides by what a damaged file says.
func (r *Reader) guard(err *error) {
	if v := recover(); v != nil {
		*err = r.problem(fmt.Errorf("%v", v))
	}
}
