// Package pcapfiletest makes captures for tests from lines of text.
//
//	0s    udp 10.0.0.1 10.0.0.2 100    # a UDP packet with 100 bytes of payload
//	1ms   if 1 arp                     # by the second interface; pcapng only
//	2ms   snap 60 udp 10.0.0.1 10.0.0.2 1000
//	3ms   hex 0102030405060708090a0b0c0800
//
// Only tests import this package. Left out: all other protocols; write them in hexadecimal
// digits.
package pcapfiletest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Start is the time of what happens at 0s.
var Start = time.Unix(1_700_000_000, 0).UTC()

// A Packet is one line.
type Packet struct {
	At        units.Time
	Interface int
	Frame     []byte
	Snap      int // bytes that the capture keeps; 0: all
}

// Parse reads lines.
func Parse(text string) (out []Packet, err error) {
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		p, err := parse(strings.Fields(line))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		out = append(out, p)
	}
	return out, nil
}

func parse(words []string) (p Packet, err error) {
	d, err := units.ParseDuration(words[0])
	if err != nil {
		return p, err
	}
	p.At, words = units.Time(d), words[1:]
	for len(words) > 2 && (words[0] == "if" || words[0] == "snap") {
		n, err := strconv.Atoi(words[1])
		if err != nil {
			return p, err
		}
		if words[0] == "if" {
			p.Interface = n
		} else {
			p.Snap = n
		}
		words = words[2:]
	}
	p.Frame, err = frame(words)
	return p, err
}

func frame(words []string) ([]byte, error) {
	switch {
	case len(words) == 4 && words[0] == "udp":
		return udp(words[1], words[2], words[3])
	case len(words) == 1 && words[0] == "arp":
		b := make([]byte, 60)
		inet.Ether(b).Put(inet.MAC{2, 0, 0, 0, 0, 2}, inet.MAC{2, 0, 0, 0, 0, 1}, 0x0806)
		return b, nil
	case len(words) == 2 && words[0] == "hex":
		return hex.DecodeString(words[1])
	}
	return nil, fmt.Errorf("%q: udp SRC DST BYTES, arp or hex DIGITS", words)
}

func udp(src, dst, payload string) ([]byte, error) {
	from, err := netip.ParseAddr(src)
	if err != nil {
		return nil, err
	}
	to, err := netip.ParseAddr(dst)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(payload)
	if err != nil {
		return nil, err
	}
	h := inet.UDPHeader(inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, 1}, DstMAC: inet.MAC{2, 0, 0, 0, 0, 2}, Src: from, Dst: to, SrcPort: 5000, DstPort: 6000,
	})
	inet.SetUDPBody(h, n)
	inet.IPv4(h[inet.EtherLen:]).UpdateChecksum()
	inet.UDP(h[inet.EtherLen+20:]).SetChecksum(0)
	return append(h, make([]byte, n)...), nil
}

// Pcap makes a pcap file, with a link type.
func Pcap(packets []Packet, link layers.LinkType) ([]byte, error) {
	var b bytes.Buffer
	w := pcapgo.NewWriterNanos(&b)
	if err := w.WriteFileHeader(65549, link); err != nil {
		return nil, err
	}
	for _, p := range packets {
		if err := w.WritePacket(p.info()); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// Pcapng makes a pcapng file with two interfaces.
func Pcapng(packets []Packet) ([]byte, error) {
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeEthernet)
	if err != nil {
		return nil, err
	}
	if _, err := w.AddInterface(pcapgo.NgInterface{Name: "second", LinkType: layers.LinkTypeEthernet}); err != nil {
		return nil, err
	}
	for _, p := range packets {
		if err := w.WritePacket(p.info()); err != nil {
			return nil, err
		}
	}
	err = w.Flush()
	return b.Bytes(), err
}

func (p *Packet) info() (gopacket.CaptureInfo, []byte) {
	data := p.Frame
	if p.Snap > 0 {
		data = data[:min(p.Snap, len(data))]
	}
	return gopacket.CaptureInfo{
		Timestamp: Start.Add(time.Duration(p.At / units.Time(units.Nanosecond))), CaptureLength: len(data), Length: len(p.Frame),
		InterfaceIndex: p.Interface,
	}, data
}
