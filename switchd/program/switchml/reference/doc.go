// Package switchml is the reference switch program of SwitchML with packet loss
// recovery (SwitchML, NSDI 2021, §4.5, Algorithm 3), for 64 or 256 elements a
// packet, several jobs, and any number of levels (§7). It is meant to be obviously
// right; it is the oracle that an emulated pipeline is held against, and knows no
// stages, passes or recirculation.
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
// it overwrites (ambiguity switchml.n1), and the exponents of §4.6 travel in the
// header, of which the slot keeps the maxima.
//
// # Late packets
//
// One bit for the set does not tell a packet from one two phases later. A copy that
// is overtaken by its worker's next packet counts as new in Algorithm 3 and destroys
// the shadow copy (ambiguity switchml.late-duplicate). Here each set of a slot
// remembers the tag of its phase, the job byte and 24 bits of the packet id, which
// all workers count up alike. A packet is late if the other set has a later tag: its
// phase is complete, since somebody has gone on from it. It never counts, and
// changes no bitmap. Then results are right whatever the network reorders,
// duplicates or loses. [Config].Faithful leaves the check out.
//
// Tags wrap. A slot that lay idle for nearly 256 jobs of its client has a tag that
// looks later than the packets which use it next. So a slot counts the late packets
// that come in a row; with the [LateLimit]th both sets have its tag, and it goes on as
// a packet that is not late. A client then waits for as many retransmissions, and not
// for ever.
//
// # Jobs
//
// A worker is known by its source address, as in the public switch program. Each
// job has a part of the pool, of which its packets know nothing: they count slots
// from 0, and a slot beyond its part is a counted drop. Parts are given out by
// [switchmljob.Pool].
//
// # Levels
//
// A job with a [Parent] sends a complete sum up, as one worker of the parent, and
// passes what comes from there on to all its workers. A retransmission of what is
// complete here is sent up, too: it climbs to the switch that has the result, which
// answers. UDP ports of the client travel up and down with the packets, so all
// workers of a job use the same.
//
//	worker --> leaf: count = 0 --sum--> root: count = 0
//	worker <-- leaf: to every worker <------------+
//
// Between switches each job has a UDP port of its own, by which a leaf is a worker
// of several jobs.
package reference
