package plan

import (
	"fmt"
	"net/netip"
)

// MAC is an Ethernet address.
type MAC [6]byte

// String writes m as "02:00:00:00:00:01".
func (m MAC) String() string {
	return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5])
}

// First two bytes of every MAC: what it belongs to. Bit 0x02 of the first says
// "locally administered" (IEEE 802).
var (
	hostPrefix   = [2]byte{0x02, 0x00}
	portPrefix   = [2]byte{0x02, 0x01}
	switchPrefix = [2]byte{0x02, 0x02}
)

func hostMAC(host int) MAC     { return newMAC(hostPrefix, 0, host) }
func portMAC(sw, port int) MAC { return newMAC(portPrefix, sw, port) }
func switchMAC(sw int) MAC     { return newMAC(switchPrefix, 0, sw) }
func newMAC(p [2]byte, a, b int) MAC {
	return MAC{p[0], p[1], byte(a >> 8), byte(a), byte(b >> 8), byte(b)}
}

const (
	subnetBits = 16  // prefix length of a switch's subnet
	routerBits = 32  // prefix length of the route to a switch without hosts
	transitNet = 255 // second byte of the addresses of switches without hosts
)

// subnetOf returns the subnet of the l-th switch with hosts.
func subnetOf(l int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(l + 1), 0, 0}), subnetBits)
}

// gatewayOf returns the router address of the l-th switch with hosts: the last
// but one of its subnet, since the last is the broadcast address.
func gatewayOf(l int) netip.Addr { return netip.AddrFrom4([4]byte{10, byte(l + 1), 255, 254}) }

// hostAddr returns the address of the j-th host of the l-th switch with hosts.
func hostAddr(l, j int) netip.Addr {
	n := j + 1
	return netip.AddrFrom4([4]byte{10, byte(l + 1), byte(n >> 8), byte(n)})
}

// transitAddr returns the router address of the s-th switch without hosts.
func transitAddr(s int) netip.Addr { return netip.AddrFrom4([4]byte{10, transitNet, 0, byte(s + 1)}) }

// Group returns the n-th multicast group, in the local scope 239.255.0.0/16
// (RFC 2365 §6.1). No two share the low 23 bits that make the group's MAC
// (RFC 1112 §6.4), so hosts can tell groups apart by MAC alone.
func Group(n uint16) netip.Addr { return netip.AddrFrom4([4]byte{239, 255, byte(n >> 8), byte(n)}) }
