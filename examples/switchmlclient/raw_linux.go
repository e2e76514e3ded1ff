package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"github.com/inalab/inalab/internal/wire/switchmlproto"
)

// Lengths and offsets of Ethernet, IPv4 without options, and UDP.
const (
	ethernetLen = 14
	ipv4Len     = 20
	udpLen      = 8
	frameLen    = ethernetLen + ipv4Len + udpLen // of the headers
)

// rawConn sends and receives frames on an interface that it shares with the kernel. As the
// public client over such an interface does, it takes whatever frame comes for a result, also
// one that the kernel sends.
type rawConn struct {
	*os.File
	header []byte
	frame  []byte
}

// dialRaw opens the interface for packets to the switch. The kernel has no socket at the
// client's port.
func (c *client) dialRaw(sw *switchmlproto.UdpSessionResponse) (conn, error) {
	i, err := net.InterfaceByName(c.iface)
	if err != nil {
		return nil, err
	}
	mac, ip, err := addresses(c.iface)
	if err != nil {
		return nil, err
	}
	every := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, syscall.ETH_P_ALL))
	// Without a protocol until it is bound: else it has frames of all other interfaces by then
	// (packet(7)).
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_RAW|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open a packet socket: %w", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrLinklayer{Protocol: every, Ifindex: i.Index}); err != nil {
		return nil, errors.Join(fmt.Errorf("bind a packet socket to %s: %w", c.iface, err), syscall.Close(fd))
	}
	return &rawConn{File: os.NewFile(uintptr(fd), c.iface), header: c.header(sw, mac, ip), frame: make([]byte, 1<<16)}, nil
}

// header returns the headers of all packets to the switch, which differ in nothing. Both
// checksums are zero, which the switch takes.
func (c *client) header(sw *switchmlproto.UdpSessionResponse, mac uint64, ip uint32) []byte {
	h := binary.BigEndian.AppendUint64(nil, sw.GetMac()<<16|mac>>32)
	h = binary.BigEndian.AppendUint32(h, uint32(mac))
	h = append(h, 0x08, 0x00, 0x45, 0)
	h = binary.BigEndian.AppendUint16(h, uint16(ipv4Len+udpLen+headerLen+4*c.values))
	h = append(h, 0, 0, 0, 0, 64, syscall.IPPROTO_UDP, 0, 0)
	h = binary.BigEndian.AppendUint32(h, ip)
	h = binary.BigEndian.AppendUint32(h, sw.GetIpv4())
	h = binary.BigEndian.AppendUint16(h, uint16(c.port))
	h = binary.BigEndian.AppendUint16(h, switchPort)
	h = binary.BigEndian.AppendUint16(h, uint16(udpLen+headerLen+4*c.values))
	return append(h, 0, 0)
}

// Write sends a packet.
func (c *rawConn) Write(packet []byte) (int, error) {
	c.frame = append(append(c.frame[:0], c.header...), packet...)
	n, err := c.File.Write(c.frame)
	return max(0, n-frameLen), err
}

// Read waits for a frame, and returns what is where the packet is in one that is a result.
func (c *rawConn) Read(packet []byte) (int, error) {
	c.frame = c.frame[:cap(c.frame)]
	n, err := c.File.Read(c.frame)
	return copy(packet, c.frame[min(n, frameLen):n]), err
}
