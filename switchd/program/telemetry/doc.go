// Package telemetry is in-network telemetry as a Microcode program for a Trio PFE (trio §7).
// It counts every packet, where a sampling monitor sees one in tens of thousands, and exports
// the heavy hitters.
//
//	packet --> (source, destination) in the hash table --> counter --> forwarded
//	                          |
//	timer threads, each 1/N of the table:
//	    bytes since the last visit >= HeavyBytes  --> report to the collector
//	    no packet since the last visit            --> forgotten
//
// [Engine] is the PFE with its control plane. The collector gets a [Report] in a UDP packet
// for each heavy pair and visit. Who lays out a lab gives it the addresses (Config.ReportTo).
//
// Left out: ports in the key, which has 64 bits; the paper's classification of flows by
// machine learning.
package telemetry
