// Package trio is one Packet Forwarding Engine (PFE) of Juniper's Trio chipset that runs a
// Microcode program (trio §2): the machine around the threads of package vm and the shared
// memory of package mem. A [PFE] is an engine of a chassis (dataplane.Engine).
//
//	          Dispatch            PPEs x threads           Reorder Engine
//	frame --> head -- free? --> [ LMEM  registers ] --> flow in order? --> port
//	    |      |  queue            |   ^   XTXNs            |               ^
//	    |      +--------<----------+   |                    +--- created ---+
//	    +--> packet memory: tails -----+--- crossbar --> shared memory (package mem)
//	                                              SRAM, DRAM, hash table, timers
//
// The life of a packet:
//
//  1. Every frame of a train is a packet. Its head, the Ethernet header and 192 bytes, goes
//     to the local memory of a thread; its tail stays where it is.
//  2. Dispatch takes a thread of the PPE with the fewest threads in use. Without a free
//     thread packets wait in one queue, first in first out.
//  3. The thread runs. Forward sends its packet on, Drop discards it, and a thread that ends
//     without either has consumed it. A fault drops it under the fault's name.
//  4. A forwarded packet waits in the reorder engine until all earlier packets of its flow
//     (addresses, protocol and ports) have ended.
//  5. Head, as the thread left it, and tail leave by the ports of the next hop. A packet in
//     transit leaves by the port of its own way.
//
// PacketCreate gives a thread a second packet, of which Forward and Drop then speak. Its
// length is that of its head and of the tail written. The program writes the lengths of IP
// and UDP. It keeps no order with other packets.
//
// The PFE fills in sums on the way out (assumed): the IP header's where a head was changed or
// made; in a changed packet that of UDP or TCP, by the difference, unless the program wrote
// it; that of UDP in created packets.
//
// Without [Config].Timing every thread runs to its end within Handle. With it every XTXN is an
// event in time, and PPEs, queues and the reorder engine delay threads (timing.go has the
// constants). One packet at a time, both give the same packets and memory. A request takes
// effect when it is issued; its reply comes later. An asynchronous read is in local memory at
// once, so a program that does not wait reads data that hardware would not have had yet.
//
// Unstored bytes read as zero. Bytes that threads create from them are zero from the same
// place on, and leave unstored.
//
// An owner that knows the program's records can wrap the PFE: [PFE.Memory] reads shared
// memory, an [Observer] sees every thread send and end.
//
// Left out: headers longer or shorter than the head that came (a program can create a packet
// instead); the UDP or TCP sum of a fragment, and sums of other protocols, where a program
// changes what they cover; Dispatch's time between heads; queues and schedulers of the output,
// which are the chassis' links.
package trio
