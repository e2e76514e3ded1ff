package forward

import "github.com/inalab/inalab/internal/wire/inet"

// Reasons for which frames go nowhere, beside those of package inet.
const (
	DropUnknownPort     = "unknown-port"         // arrived by a port without a link
	DropBroadcast       = "broadcast"            // broadcast, and not an ARP request
	DropUnknownUnicast  = "unknown-unicast"      // to a MAC that is no host of this switch
	DropSamePort        = "same-port"            // to a host at the port it came by
	DropLinkLocalGroup  = "link-local-multicast" // to 224.0.0.0/24, IGMP reports for one
	DropUnknownGroup    = "unknown-group"        // to a group that is not configured
	DropEmptyGroup      = "empty-group"          // the group has no port but the one it came by
	DropBadARP          = "bad-arp"              // not ARP for IPv4 over Ethernet
	DropARPReply        = "unsolicited-arp"      // an ARP reply to the switch, which never asks
	DropOverMTU         = "over-mtu"             // longer than any link carries
	DropTTL             = "ttl-exceeded"         // ICMP 11/0 was sent
	DropNoRoute         = "no-route"             // ICMP 3/0 was sent
	DropNoNeighbor      = "no-neighbor"          // in the subnet, but nobody's; ICMP 3/1 was sent
	DropUnclaimed       = "to-switch-unclaimed"  // to the router, and nothing takes it; ICMP 3/3 for UDP
	DropOtherICMP       = "icmp-not-echo"        // to the router: a host's error about a result that came after its worker's end
	DropBadICMP         = "bad-icmp-checksum"    // an echo request with a wrong checksum
	CountARPAnswered    = "arp-answered"         // ARP requests for the router
	CountEchoAnswered   = "icmp-echo-answered"   // ICMP echo requests to the router
	CountICMPErrors     = "icmp-errors-sent"
	CountICMPSuppressed = "icmp-errors-suppressed" // beyond the limit, or about what gets none (RFC 1812 §4.3.2.7)
)

// Noise reports whether a reason is one that ordinary hosts give rise to
// without losing anything: neighbour discovery, group reports, errors, and the
// like.
func Noise(reason string) bool {
	switch reason {
	case string(inet.NotIPv4), DropBroadcast, DropLinkLocalGroup, DropARPReply, DropOtherICMP:
		return true
	}
	return false
}

// answered reports whether a counter counts frames that were dealt with.
func answered(name string) bool {
	switch name {
	case CountARPAnswered, CountEchoAnswered, CountICMPErrors, CountICMPSuppressed:
		return true
	}
	return false
}
