// Package chassis is one switch, from front-panel port to front-panel port: the
// links at its ports, its forwarding plane, one aggregation engine for each
// packet forwarding engine (PFE), and the fabric between them. It is one
// [sansio.Machine]; the live daemon and the virtual clock drive the same one.
//
//	          1 ingress     2 engine   3 fabric   4 top     5 fabric   6 egress
//	          link          of a PFE              engine               link
//	port 0 -->[~~~]--+--> [ pfe1 ] --[~~~]--+
//	port 1 -->[~~~]--+                      +--> [ pfe4 ] --[~~~]--> [~~~]--> port 0
//	port 4 -->[~~~]--+--> [ pfe2 ] --[~~~]--+                        [~~~]--> port 1
//	                 |                                                ...
//	                 +--> forwarding ---------- (fabric) ----------> [~~~]--> port 4
//
// # Links
//
// Every link of a topology is modelled once, so that the wires between nodes
// are ideal in both clocks: a port towards a host models both directions, a
// port towards another switch only its own. A direction that is a perfect wire
// is passed by. The random numbers of a link come from streams that bear its
// name, "link/h0:eth0->tor:p0/loss" for one.
//
// # Engines and fabric
//
// A frame to the switch's own address goes to the engine of the port's PFE if
// that claims it, and to the forwarding plane otherwise. What arrives for one
// engine in one call is one batch, in order. What leaves by ports of another
// PFE crosses the fabric once for each such PFE and is replicated there;
// dataplane.Fabric(k) leads to engine k, which sees the frame come by
// dataplane.Fabric of the sender. The path between two PFEs is a link of its
// own in each direction: the topology says nothing of a capacity they share.
//
// # Servers
//
// Engines take no time. Where a model says how long one needs for a frame, its
// frames wait before it as before a line ([Config].Servers): one queue, first in
// first out, for each engine.
//
// # Time
//
// A live driver is late by what its system makes it. Links that stand behind
// one another must not add that up, nor lose the time of a stall from their
// rate, so a call first makes a pass for every instant before now at which a
// link was due, with the links at that instant. Engines are always told the
// time of the call: a timer thread that fires twice in a row, because a late
// driver caught up, would age records whose packets wait outside. A driver that
// keeps every deadline, as the virtual clock does, sees one pass a call.
//
// # Memory
//
// Nothing is copied on the way through but what links keep. That is safe
// because in one pass each part (link or engine) is called at most once, in the
// order of the stages above, so what it returned stays valid until the
// effects of the call were carried out. Where another pass follows in the same
// call, what is to be sent is copied before it. What comes for a part whose
// turn is over is copied, too, and waits for the next pass, which NextDeadline
// asks for at once; in the topologies of the papers that does not happen.
//
// Links append their final sends to the caller's effects. Other parts work in the
// same memory, but on a list of their own, from which their sends are passed on.
//
// Left out: contention inside a PFE.
package chassis
