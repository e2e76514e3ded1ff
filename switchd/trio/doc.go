// Package trio is one Packet Forwarding Engine (PFE) of Juniper's Trio chipset
// that runs a Microcode program (trio §2): the machine around the threads of
// package vm and the shared memory of package mem.
//
//	          Dispatch            PPEs x threads           Reorder Engine
//	frame --> head -- free? --> [ LMEM  registers ] --> flow in order? --> port
//	    |      |  queue            |   ^   XTXNs            |               ^
//	    |      +--------<----------+   |                    +--- created ---+
//	    +--> packet memory: tails -----+--- crossbar --> shared memory (package mem)
//	                                              SRAM, DRAM, hash table, timers
//
// A [PFE] is an engine of a chassis (dataplane.Engine). What it does with a packet
// is the program's: whatever a Go program of this module could do to a record, here
// a thread does with XTXNs.
//
// # The life of a packet
//
//  1. Every frame of a train is a packet. Its head, the Ethernet header and 192
//     bytes, goes to the local memory of a thread; its tail stays where it is.
//  2. Dispatch takes a thread of the PPE with the fewest threads in use, of several
//     the first. Without a free thread packets wait in one queue, first in first out.
//  3. The thread runs. Forward sends its packet on, Drop discards it; a thread
//     that ends without either has consumed it. A fault drops it under the fault's
//     name.
//  4. What is forwarded waits in the reorder engine until all packets of its flow
//     that arrived earlier have come to their end. A flow is addresses, protocol
//     and ports.
//  5. Head, as the thread left it, and tail leave by the ports of the next hop, or by the
//     port that the packet came by: one in transit goes on its way.
//
// PacketCreate gives a thread a packet beside its own. Forward and Drop then
// speak of that, until it is gone. Its length is that of the head asked for and of
// the tail written; the program writes the lengths of IP and UDP. It keeps no order
// with any other packet.
//
// Sums are filled in on the way out: that of the IP header where a head was changed or
// made; in a changed packet that of UDP or TCP, by what has changed, unless the program
// wrote it; that of UDP in packets that were made. That hardware does so is assumed.
//
// # Instant and timed
//
// Without [Config].Timing every thread runs to its end within Handle, and there
// is no PPE, queue or reorder engine to wait for: the live mode. With it every
// XTXN is an event in time, and everything has a place in which it may wait;
// file timing.go has the constants. One packet at a time, both give the same
// packets and the same memory.
//
// In timed mode a request takes effect at the time at which it is issued, and its
// reply comes when memory says. Requests of one memory bank are served in the
// order of issue, so this is what their threads would see. What an asynchronous
// read brings is in local memory at once; a program that does not wait for it reads
// what hardware would not have had yet.
//
// # Unstored values
//
// Under the virtual clock frames may carry unstored values. Unstored bytes
// read as zero. What threads create from them is zero from the same place on, and
// leaves unstored, too.
//
// # Reading records
//
// The PFE does not know what its program keeps. Who does can wrap it: [PFE.Memory]
// reads shared memory, an [Observer] sees every thread send and end.
//
// # Left out
//
// Headers longer or shorter than the head that came (a program can create a packet
// instead); the UDP or TCP sum of a fragment, and sums of other protocols, where a program
// changes what they cover; the time that Dispatch needs for one head after another; queues and
// schedulers of the output, which belong to the links of the chassis.
package trio
