// Package switchml is the reference switch program of SwitchML with packet loss
// recovery (SwitchML, NSDI 2021, §4.5, Algorithm 3), for 64 or 256 elements a
// packet. It is small and meant to be obviously right; it is the oracle that an
// emulated pipeline is held against, and knows no stages, passes or
// recirculation.
//
// Per packet p of worker w, set v (the paper's ver), slot i (idx):
//
//	seen[v][i][w] = 0?  --yes--> seen[v] = 1, seen[1-v] = 0, count = (count+1) mod n
//	     |                       first of the phase: overwrite, else add
//	     no (a retransmission)   count = 0: multicast the result
//	     |
//	     +--> count = 0: send the stored result to w alone, else drop
//
// Two things beyond the algorithm: with n = 1 the first packet of a phase is
// also its last, so it overwrites (ambiguity switchml.n1), and the exponents of
// §4.6 travel in the header, of which the slot keeps the maxima.
//
// A worker is known by its source address, as in the public switch program. The
// multicast is one copy for each worker of the job, addressed to that worker.
package switchml
