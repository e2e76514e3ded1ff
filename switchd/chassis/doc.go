// Package chassis is one switch, from front-panel port to front-panel port: the
// links at its ports, its forwarding plane, the engines of each packet forwarding
// engine (PFE), and the fabric between them. It is one [sansio.Machine]; the live
// daemon and the virtual clock drive the same one.
//
//	          1 ingress     2 engines  3 fabric   4 top     5 fabric   6 egress
//	          link          of a PFE              engines              link
//	port 0 -->[~~~]--+--> [ pfe1 ] --[~~~]--+
//	port 1 -->[~~~]--+                      +--> [ pfe4 ] --[~~~]--> [~~~]--> port 0
//	port 4 -->[~~~]--+--> [ pfe2 ] --[~~~]--+                        [~~~]--> port 1
//	                 |                                                ...
//	                 +--> forwarding ---------- (fabric) ----------> [~~~]--> port 4
//
// # From part to part
//
// A part is a link or an engine. A call makes a pass, and in a pass each part has one
// turn. This is the way of a train by the names of the functions:
//
//	Handle, Expire
//	  catchUp            a pass for every earlier instant at which a link was due
//	  pass               what was held, links and engines that are due, then:
//	    arrive           a train from the wire
//	      offer          puts it on the list "pending" of its ingress link
//	    takeTurns        stage by stage, for each part that has something to do:
//	      call           the part handles its pending trains
//	      passOn         takes each train that it sent to the next part:
//
//	  from            by                         to
//	  ingress link    receive                    deliver; an engine in transit: serve
//	                  deliver                    forward; an engine whose it is: serve
//	                  forward                    send
//	  server          served                     offer: its engine
//	  engine          sent, its own frames       send
//	                  sent, in transit: goOn     deliver, or out
//	                  send                       leave; to another PFE: cross
//	  fabric link     emerge                     leave; an engine: serve
//	                  leave                      out; an engine in transit: serve
//	                  out                        offer: the egress link; or the wire
//	  egress link     finish                     the wire
//
// serve offers a train to an engine, or to the server before it; cross offers it to the
// fabric link between two PFEs. Where a link is a perfect wire the train goes on at once.
// An engine has its turn before other engines of its PFE where frames pass it when they
// arrive, and last of all where they pass it only when they leave.
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
// A PFE has the engine of the system's program, those of [Config].Transit, or none.
// A frame goes first to the engine that wants frames in transit, if that claims it; then,
// if it is addressed to the switch, to the one engine that calls it its own; then to the
// forwarding plane. On its way out it goes to the engine that wants frames that leave.
// Package dataplane says what engines may do with it. What arrives for one engine in one
// call is one batch, in order.
//
// What leaves by ports of another PFE crosses the fabric once for each such PFE and is
// replicated there; dataplane.Fabric(k) leads to the engine of the same system on PFE k,
// which sees the frame come by dataplane.Fabric of the sender. The path between two PFEs is
// a link of its own in each direction: the topology says nothing of a capacity they share.
//
// The chassis drops, and counts by name, what two engines claim as theirs, and what an
// engine sends by a port that it has not named or that is not there.
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
// because in one pass each part is called at most once, in the order of the stages,
// so what it returned stays valid until the effects of the call were carried out.
// Where another pass follows in the same call, what is to be sent is copied before it.
// What comes for a part whose turn is over is held: its header is copied, its body copied
// or, where it has a [sansio.Memory], kept. It waits for the next pass, which NextDeadline
// asks for at once. In the topologies of the papers that does not happen; it does for
// every frame that passes one engine both when it arrives and when it leaves.
//
// Links append their final sends to the caller's effects. Other parts work in the
// same memory, but on a list of their own, from which their sends are passed on.
//
// Left out: contention inside a PFE.
package chassis
