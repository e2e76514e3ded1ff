// Package telemetry is in-network telemetry as a Microcode program for a Trio PFE
// (trio §7): it counts every packet, where a sampling monitor sees one in tens of
// thousands, and exports the heavy hitters.
//
//	packet --> (source, destination) in the hash table --> counter --> forwarded
//	                          |
//	timer threads, each 1/N of the table:
//	    bytes since the last visit >= HeavyBytes  --> report to the collector
//	    no packet since the last visit            --> forgotten
//
// [Engine] is the PFE with its control plane, [Report] what the collector gets: a
// UDP packet for each heavy pair and visit.
//
// Left out: ports as part of the key, which the 64 bits of a key have no room for;
// classification of flows by machine learning, of which the paper speaks as well.
package telemetry
