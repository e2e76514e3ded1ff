// Package netnstest makes network namespaces and the wires between them, for
// the tests of what needs a kernel's network but must not meet the machine's
// own:
//
//	NewSpace          Connect           NewSpace
//	+--------+                          +--------+
//	|   End A| Iface ---- veth ---- Iface|End B  |
//	+--------+ Addr                Addr +--------+
//
// All of it goes away with the test. A namespace is nowhere but in a descriptor
// of the test binary, so that nothing stays behind even if that is killed.
//
// It also holds the one rule on privilege: a test that cannot make namespaces is
// skipped, unless INALAB_REQUIRE_ROOT=1, with which it fails. See [Require].
//
// Only tests import this package. Left out: switches, routes, more than one
// address an interface (package harness/netns makes whole labs), and IPv6,
// which is switched off so that nothing moves that a test did not send.
package netnstest
