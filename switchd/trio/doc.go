// Package trio is one Packet Forwarding Engine (PFE) of Juniper's Trio chipset that runs a
// Microcode program (trio §2): the machine around the threads of package vm and the shared
// memory of package mem. A [PFE] is an engine of a chassis (dataplane.Engine).
//
//	          Dispatch            PPEs x threads           Reorder Engine
//	frame --> head -- free? --> [ LMEM  registers ] --> flow in order? --> port
//	    |      |  queue            |   ^   XTXNs            |               ^
//	    |      +--------<----------+   |                    +--- created ---+
//	    +--> packet memory: tails -----+--- crossbar --> shared memory (package mem)
//
// Every frame of a train is a packet. Its head, the Ethernet header and 192 bytes, goes to the
// local memory of a thread of the PPE with the fewest threads in use; its tail stays where it
// is. Forward sends the packet on by a next hop, Drop discards it, and a thread that ends
// without either has consumed it. A fault drops it under the fault's name. A packet in transit
// leaves by the port of its own way. A flow is addresses, protocol and ports; created packets
// are of none.
//
// PacketCreate gives a thread a second packet, of which Forward and Drop then speak. The
// program writes its lengths of IP and UDP. The PFE fills in sums on the way out (assumed):
// the IP header's where a head was changed or made; in a changed packet that of UDP or TCP,
// by the difference, unless the program wrote it; that of UDP in created packets. Where the
// head has grown or shrunk, only the sum of the IP header that the frame then begins with.
//
// With [Config].Timing a request takes effect when it is issued, and its reply comes later. What
// an asynchronous read brings is in local memory when XtxnWait is done, with time and without;
// a thread that uses those bytes before is ended, as is one that sends them as a head.
//
// Unstored bytes read as zero. Bytes that threads create from them are zero from the same
// place on, and leave unstored.
//
// Left out: the UDP or TCP sum of a fragment, of a packet whose head has grown or shrunk, and
// sums of other protocols, where a program changes what they cover; Dispatch's time between
// heads; queues and schedulers of the output, which are the chassis' links.
package trio
