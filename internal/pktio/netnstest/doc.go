// Package netnstest makes network namespaces, and wires between them, for tests that
// need a kernel's network and must not touch the machine's own:
//
//	NewSpace          Connect           NewSpace
//	+--------+                          +--------+
//	|   End A| Iface ---- veth ---- Iface|End B  |
//	+--------+ Addr                Addr +--------+
//
// All of it goes away with the test: a namespace exists only as a descriptor of the
// test binary. A test that cannot make namespaces is skipped, or fails with
// INALAB_REQUIRE_ROOT=1 ([Require]).
//
// Only tests import this package. Left out: switches, routes, several addresses of an
// interface (package harness/netns makes whole labs), and IPv6, which is off so that
// nothing moves that a test did not send.
package netnstest
