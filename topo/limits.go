package topo

// Limits of a topology. [Graph.Validate] enforces each of them.
const (
	// DefaultMTU is the MTU of a graph that gives none. The papers' hosts are
	// 100 Gbit/s servers; jumbo frames on them are assumed.
	DefaultMTU = 9000
	// MinMTU is the smallest packet every IPv4 node must forward whole (RFC 791 §3.2).
	MinMTU = 68
	// MaxMTU is the largest IPv4 packet: its length field has 16 bits (RFC 791 §3.1).
	MaxMTU = 65535

	// MaxNameLen bounds node and port names in bytes. A node's name becomes a
	// host name (at most 63, RFC 1123 §2.1) and, after a lab's prefix, the name
	// of a namespace and of files.
	MaxNameLen = 32

	// MaxHosts bounds the hosts of a topology: their MACs carry 16 bits of index.
	MaxHosts = 65536
	// MaxHostsPerSwitch is how many hosts may share one switch, whose subnet is
	// a /16: ordinals 1 to 60000 leave the top of it to the switch.
	MaxHostsPerSwitch = 60000
	// MaxHostSwitches is how many switches may have hosts: one /16 each, from
	// 10.1.0.0/16 to 10.254.0.0/16.
	MaxHostSwitches = 254
	// MaxTransitSwitches is how many switches without hosts there may be: one
	// address each, from 10.255.0.1 to 10.255.0.254.
	MaxTransitSwitches = 254
	// MaxPorts bounds the ports of one switch: their MACs carry 16 bits of
	// port index. It leaves room for uplinks beside MaxHostsPerSwitch.
	MaxPorts = 65536
)
