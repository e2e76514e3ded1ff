// Package switchmlroce is the reference switch program of SwitchML's RDMA variant
// (NSDI 2021, §5 and App B): a front before the slots of package switchml, which
// takes writes of RoCEv2 on unreliable connections and makes such writes.
//
//	write --> queue pair of a worker: in sequence? --> slot and set --> package switchml
//	write <-- queue pair of each worker: its PSN   <-- result   <------ (Algorithm 3)
//
// A message is one to sixteen packets, each of which is for one slot. Its first
// packet says in the remote key where in the pool it begins: twice the number of the
// slot, bit 0 the set; each packet that follows is for two more. Queue pair i has
// the slots of one message, i times its packets and on, so that messages of several
// queue pairs interleave freely. A packet is answered, when its slot is complete, by
// the same packet of a message to each worker: operation, address and length are
// those of the packet that completed it, the key that of the receiver's memory, and
// the immediate that of the trigger with the maxima of the exponents. Addresses are
// offsets in the memory that workers register, and so the same for all.
//
// # Sequence
//
// Queue pair i of a worker has registers: the PSN that comes next, the pool index
// that goes with it, and for the other way the PSN to send and the place in the
// message. What does not come in sequence is dropped, and so is what follows it, up
// to the next first packet; a message that is sent again is then met by the bitmaps
// of its slots, packet by packet, so that nothing counts twice.
//
// Two rules keep the result right whatever the network loses, repeats or reorders,
// where the paper is silent:
//
//   - A first packet is taken up with any PSN that is not from before. A network card
//     takes up any at all; but a message that was overtaken by the worker's next one
//     would then count for a phase that is to come (ambiguity switchml.late-duplicate
//     for packets of UDP, which have their own remedy).
//   - A packet is sent to a worker only where it goes on with the message that the
//     worker is being sent, or begins one. While a worker is being answered packet by
//     packet, another's packet may complete a slot further on, or one that was
//     answered already; a card that is sent these with running PSNs writes them to the
//     place of the next packet, and reports a whole message with the wrong values.
//
// Config.Faithful leaves both out, and the check for late packets of package
// switchml, for which the phase of a slot is the count of messages on its queue pair.
//
// Frames leave one by one, with no UDP checksum and a right ICRC, for network cards.
// Jobs of UDP clients may be there too: what is not for port 4791 goes to package
// switchml as it is.
//
// Left out: levels of switches, and messages of different lengths in one job.
package roce
