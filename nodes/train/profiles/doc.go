// Package profiles states, as data, the networks that the papers train, for
// replay: how large the gradient is and how long a worker computes between two
// of them. The times of communication come out of a run; these go in.
//
//	|<------------ one iteration ------------>|
//	| Compute (assumed)  | aggregation of     |
//	| forward, backward, | Size bytes         |
//	| update             | (measured)         |
//
// Names, sizes and batches are those of Table 1 of the Trio paper ("Using Trio:
// Juniper Networks' Programmable Chipset for Emerging In-Network Applications",
// SIGCOMM 2022). Its "MB" are binary: the published parameter counts, at four
// bytes each, give its numbers in MiB and not in MB.
//
// What is left out: the layers, and with them any overlap of backward pass and
// aggregation; the accuracy (package train learns for real, at a smaller size).
package profiles
