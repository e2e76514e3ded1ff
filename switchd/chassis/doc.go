// Package chassis is one switch, from front-panel port to front-panel port: the links at its
// ports, its forwarding plane, the engines of each packet forwarding engine (PFE), and the
// fabric between them. It is one [sansio.Machine], the same for both clocks.
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
// A part is a link or an engine. A call makes a pass, in which each part has one turn:
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
//	  ingress link    receive, enter             deliver; an engine in transit: serve
//	                  deliver                    forward; an engine whose it is: serve
//	                  forward                    send
//	  server          served                     offer: its engine
//	  engine          sent, its own frames       send
//	                  sent, in transit: goOn     deliver, or out; the next engine: serve
//	                  send                       leave; to another PFE: cross
//	  fabric link     emerge                     leave; an engine: serve
//	                  leave                      out; an engine in transit: serve
//	                  out                        offer: the egress link; or the wire
//	  egress link     finish                     the wire
//
// serve offers a train to an engine, or to the server before it ([Config].Servers); cross
// offers it to the fabric link between two PFEs, behind which a frame is replicated.
// Of a PFE's engines, those that frames pass on arrival have their turn first, those that
// frames pass on leaving last; one that they pass on both has two turns. A frame passes the
// first program that claims it and the engine of the system: on arrival in this order, on
// leaving in the other.
//
// # Links and memory
//
// Links at ports may change at stated times ([Config].Changes), which count from the epoch
// ([Chassis.Begin]). Each link knows its changes beforehand: they need no deadline, and a late
// driver does not shift them. Links between PFEs do not change.
//
// Random streams bear the name of a link, such as "link/h0:eth0->tor:p0/loss".
//
// Only links copy. The output of a part stays valid until the effects of the call were carried
// out; before another pass in the same call, sends are copied. A train for a part whose turn is
// over is held for the next pass, which NextDeadline asks for at once. An engine with two turns
// does not reuse what it lent in the first. docs/ARCHITECTURE.md tells of claims and links.
//
// Left out: contention inside a PFE.
package chassis
