package udp

import (
	"cmp"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Defaults of a [Config].
const (
	// DefaultBuffer holds a window of 512 packets of 9000 bytes seven times
	// over (assumed).
	DefaultBuffer = 32 * units.MiB
	// MaxPacket holds the payload of any IPv4 super-packet.
	MaxPacket = 64 * units.KiB
)

// Config says what a device binds and how.
type Config struct {
	// Bind is the host's own IPv4 address and the UDP port. The address must be
	// a specific one; port 0 lets the kernel choose.
	Bind netip.AddrPort
	// MAC and PeerMAC fill the headers of arrivals: PeerMAC as the source, MAC
	// (or the address of the group) as the destination. Zero is as good as any.
	MAC, PeerMAC inet.MAC
	// Groups are the IPv4 multicast groups to join. They need Iface.
	Groups []netip.Addr
	// Iface is the interface by which groups are joined and sent to. Empty:
	// the one that the routing table names.
	Iface string
	// RcvBuf and SndBuf are the socket's buffers; zero: 32 MiB. A process without
	// CAP_NET_ADMIN gets at most net.core.rmem_max and wmem_max.
	RcvBuf, SndBuf units.Bytes
	// MaxPacket is the largest (super-)packet's payload to receive; zero: 64 KiB,
	// which all fit in. Less saves memory; longer packets are counted drops.
	MaxPacket units.Bytes
	// ECN has what is sent say ECT(0), and the headers of arrivals the codepoint with which
	// they came (RFC 3168 §5). Without it all headers say that nothing can be marked.
	ECN bool
	// Options are what the IP headers of all that is sent have (IP_OPTIONS, ip(7)): a
	// multiple of 4 bytes, at most 40. Each packet is sent by itself.
	Options []byte `json:",omitempty"`
	// Plain turns segmentation offload off in both directions.
	Plain bool
}

func (c *Config) validate() error {
	if !c.Bind.Addr().Is4() || c.Bind.Addr().IsUnspecified() || c.Bind.Addr().IsMulticast() {
		return fmt.Errorf("bind address %v is not a host's IPv4 address: give the one of the worker's interface, as in 10.0.0.1:9000", c.Bind)
	}
	for _, g := range c.Groups {
		if !g.Is4() || !g.IsMulticast() {
			return fmt.Errorf("group %v is not an IPv4 multicast address: choose one in 224.0.0.0/4", g)
		}
	}
	if n := len(c.Options); n%4 != 0 || n > inet.MaxIPOptions {
		return fmt.Errorf("IP options of %d bytes: they must be a multiple of 4, and at most %d", n, inet.MaxIPOptions)
	}
	if len(c.Groups) > 0 && c.Iface == "" {
		return fmt.Errorf("group %v needs an interface to join by: set Iface", c.Groups[0])
	}
	if c.RcvBuf < 0 || c.SndBuf < 0 {
		return fmt.Errorf("socket buffers of %v and %v: they must not be negative", c.RcvBuf, c.SndBuf)
	}
	if c.MaxPacket < 0 || c.MaxPacket > MaxPacket {
		return fmt.Errorf("largest packet of %v: it must be between 1B and %v, or 0 for that", c.MaxPacket, MaxPacket)
	}
	return nil
}

func (c *Config) setDefaults() {
	c.RcvBuf = cmp.Or(c.RcvBuf, DefaultBuffer)
	c.SndBuf = cmp.Or(c.SndBuf, DefaultBuffer)
	c.MaxPacket = cmp.Or(c.MaxPacket, MaxPacket)
}

// Buffers are the socket's buffers as the kernel accounts for them: twice what
// it granted, for its own overhead (socket(7)).
type Buffers struct {
	Rcv, Snd units.Bytes
}

// Features are the offloads of the kernel's UDP sockets.
type Features struct {
	GSO pktio.Support // UDP_SEGMENT, for sending
	GRO pktio.Support // UDP_GRO, for receiving
}

// offload names the path in use.
func offload(gso, gro bool) string {
	switch {
	case gso && gro:
		return "udp-gso+gro"
	case gso:
		return "udp-gso"
	case gro:
		return "udp-gro"
	}
	return "udp-plain"
}
