// Package netns realises a topology: one network namespace a node, one veth
// pair a wire, with addresses, routes and everything up; and takes it down.
//
//	 /run/netns/inalab-<lab>-h1      /run/netns/inalab-<lab>-s1
//	┌──────────────────────────┐    ┌──────────────────────────┐
//	│ h1   eth0 10.0.0.1/24    ├────┤ p1                    s1 │
//	└──────────────────────────┘veth└──────────────────────────┘
//
// No link is ever made in the caller's namespace. The names are where iproute2
// looks, so that "ip netns exec inalab-<lab>-h1 ping ..." works.
//
// # Cost
//
// A pair is one RTM_NEWLINK by a netlink socket that was opened inside the new
// namespace, with the peer born in its own: moving a link costs 17 ms, this
// about 1 ms a node all in. Teardown drops namespaces and lets the kernel batch
// the rest; no link is removed one by one.
//
// # Ownership
//
// A namespace is journaled (package journal) before it is made. [Lab.Down], or
// [GC] after a kill, removes what the journal of that lab names and nothing
// else. Interfaces carry the alias "inalab:<lab>".
//
// # Without root
//
// [Enter] runs the program again inside a user and mount namespace of its own
// where the kernel allows it. There /run/netns is a private tmpfs, and all else
// is the same code. The namespaces of such a lab vanish with its processes.
//
// What is left out: IPv6 (switched off in every namespace, or neighbour
// discovery would mix with what is measured), link shaping (package impair does
// that in the switch's port), and processes (package proc).
package netns
