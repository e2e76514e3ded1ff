// Package netns realises a topology: one network namespace for each node, one veth pair
// for each wire, with addresses and routes. It also takes the lab down.
//
//	 /run/netns/inalab-<lab>-h1      /run/netns/inalab-<lab>-s1
//	┌──────────────────────────┐    ┌──────────────────────────┐
//	│ h1   eth0 10.0.0.1/24    ├────┤ p1                    s1 │
//	└──────────────────────────┘veth└──────────────────────────┘
//
// The names are where iproute2 looks: "ip netns exec inalab-<lab>-h1 ping ..." works. No
// link is ever made in the caller's namespace.
//
// A pair is one RTM_NEWLINK by a netlink socket inside the new namespace, and its peer is
// born in the other: about 1 ms for a node, where moving a link costs 17 ms. Teardown drops
// namespaces, and the kernel removes their links in batches.
//
// A namespace is journaled (package journal) before it is made. [Lab.Down], or [GC] after
// a kill, removes what that lab's journal names and nothing else. Interfaces carry the
// alias "inalab:<lab>".
//
// Without root, [Enter] runs the program again inside a user and mount namespace, where
// the kernel allows it. /run/netns is then a private tmpfs, and the namespaces vanish with
// the lab's processes.
//
// Left out: IPv6, which is off in every namespace, as neighbour discovery would disturb
// measurements; link shaping (package impair, in the switch's port); processes (package
// proc).
package netns
