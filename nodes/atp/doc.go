// Package atp is the host side of ATP (NSDI 2021): the worker of §3.6 with the reliability and
// congestion control of §3.7. A [Core] is a machine with one port.
//
// Tensors are cut to 4 MB, in whole packets. A cut goes to the thread that was given the fewest
// values so far (§4), and to a server by its number. What one thread sends to one server is a
// stream: packets of 62 values with sequence numbers, a window and a timer of their own.
//
//	tensor |--- cut 0 ---|--- cut 1 ---|- 2 -|      stream = thread * servers + server
//	         server 0      server 1      server 0   numbers of the job, a run for each stream
//
// A packet names an aggregator of the switches ([Indexing]). Where another job has it, the
// parameter packet says which one to use from now on, and the worker follows such moves.
//
// Packets of a job with more than two levels of switches have a larger header, and go to a port of their
// own ([Server.Upper], appendix A.2).
//
// A packet is sent again when parameters of three later ones came ([Resend]), or after a timeout,
// with all that is in flight (loss.go). It is the same but for a flag, and has the index of its first
// sending, so that it frees what it reserved.
//
// The window of a stream starts at its share of 200 packets. Parameters of the expected packet
// enlarge it; a mark, three out of order and a timeout halve it. Where the paper says nothing, both
// possibilities are in [Config].
//
// When numbers come round again, or an id was another job's, switches may hold sums of their
// earlier use. The worker has them freed by sweeps (sweep.go): one packet for each aggregator in
// half of a stream's numbers. It waits for one only if that half took it less than two lifetimes of
// packets and the age limit.
//
// Values are scaled by a constant and saturate. Where a switch or the server saturated, the server
// asks for float32 (§3.8) and the worker sends them past all aggregators. int32 tensors have
// none: that request is counted, and the generation never completes. A sum at a limit of int32
// that comes all the same is counted.
//
// Events and what a worker waits for have the sequence number as block, and as generation how
// often the stream went through its numbers.
//
// A job is set up anew when one of its workers was started again (A.3). It has another id then.
// Servers name the earliest number that is not aggregated, and each stream goes on from there
// (setup.go). The new worker takes part in the generation at hand ([Core.Resume]): it sends what
// is not aggregated yet, the same values as the one before it.
//
// Left out: a server in the worker's process.
package atp
