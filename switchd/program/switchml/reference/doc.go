// Package reference has the reference switch programs of SwitchML with packet loss
// recovery (SwitchML, NSDI 2021, §4.5, Algorithm 3), over UDP and over RoCE, for 64 or
// 256 elements a packet, several jobs, and any number of levels (§7). They are meant to
// be obviously right: an emulated pipeline is held against them. They know no stages,
// passes or recirculation.
//
// Per packet p of worker w, set v (the paper's ver), slot i (idx):
//
//	late?  --yes--> answered if it is of the phase in the set, seen, and count = 0
//	     | no
//	seen[v][i][w] = 0?  --yes--> seen[v] = 1, seen[1-v] = 0, count = (count+1) mod n
//	     |                       first of the phase: overwrite, else add
//	     no (a retransmission)   count = 0: multicast the result
//	     |
//	     +--> count = 0: send the stored result to w alone, else drop
//
// Beyond the algorithm: with n = 1 the first packet of a phase is also its last, so
// it overwrites (ambiguity switchml.n1). The exponents of §4.6 travel in the header, and
// the slot keeps their maxima.
//
// # Late packets
//
// One bit for the set does not tell a packet from one two phases later. A copy that
// is overtaken by its worker's next packet counts as new in Algorithm 3 and destroys
// the shadow copy (ambiguity switchml.late-duplicate). Here each set of a slot
// remembers the tag of its phase: the job byte and 24 bits of the packet id, which
// all workers count up alike. A packet is late if the other set has a later tag: its
// phase is complete, since somebody has gone on from it. It never counts, and
// changes no bitmap. Then results are right whatever the network reorders,
// duplicates or loses. [switchml.Config].Faithful leaves the check out.
//
// Tags wrap. A slot that lay idle for nearly 256 jobs of its client has a tag that
// looks later than the packets which use it next. So a slot counts the late packets
// that come in a row. With the [switchml.LateLimit]th both sets take its tag, and it goes
// on as a packet that is not late. A client then waits for as many retransmissions, and
// not for ever.
//
// # Levels
//
// A job with a parent sends a complete sum up, as one worker of the parent, and passes
// results from there on to all its workers. A retransmission of a phase that is complete
// here is also sent up: it climbs to the switch that has the result, which answers. UDP
// ports of the client travel up and down with the packets, so all workers of a job use
// the same.
//
//	worker --> leaf: count = 0 --sum--> root: count = 0
//	worker <-- leaf: to every worker <------------+
//
// Between switches each job has a UDP port of its own, by which a leaf is a worker
// of several jobs.
//
// # RoCE
//
// [RDMAProgram] is a front before the same slots (§5 and App B). It takes writes of
// RoCEv2 on unreliable connections and makes such writes.
//
//	write --> queue pair of a worker: in sequence? --> slot and set --> Algorithm 3
//	write <-- queue pair of each worker: its PSN   <-- result       <------+
//
// A message is one to sixteen packets, each of which is for one slot. Its first
// packet says in the remote key where in the pool it begins: twice the number of the
// slot, bit 0 the set; each packet that follows is for two more. Queue pair i has
// the slots of one message, i times its packets and on, so that messages of several
// queue pairs interleave freely. When its slot is complete, a packet is answered by
// the same packet of a message to each worker: operation, address and length are
// those of the packet that completed it, the key that of the receiver's memory, and
// the immediate that of the trigger with the maxima of the exponents. Addresses are
// offsets in the memory that workers register, and so the same for all.
//
// Queue pair i of a worker has registers: the PSN that comes next, the pool index
// that goes with it, and for the other way the PSN to send and the place in the
// message. A packet out of sequence is dropped, and so are those that follow it, up
// to the next first packet. A message that is sent again is then met by the bitmaps
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
// Config.Faithful leaves both out, and the check for late packets. Over RoCE the phase
// of a slot is the count of messages on its queue pair.
//
// Frames leave one by one, with no UDP checksum and a right ICRC, for network cards.
// Jobs of UDP clients may be beside those of RDMA clients: packets for other ports than
// 4791 go to the slots as they are.
//
// Left out over RoCE: levels of switches, and messages of different lengths in one job.
package reference
