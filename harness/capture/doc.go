// Package capture writes what crosses the wires of a lab into pcapng, for either clock, with
// the decisions of switches as comments.
//
//	trains --(split, checksums)--> frames --(filter)--> held --(decisions)--> file, or ring
//	                                                      ^
//	events of switches ------(job, generation, block)-----+
//
// A [Tap] is one end of a wire: the interface of a node, outside of the link model of the
// switch. A frame from a host is seen as it leaves the host, before the queue and the line of
// the link. A frame to a host is seen behind them. So both clocks have the same points, and
// a frame that a link loses on its way to the switch is in the capture.
//
// Frames are those of a wire, although packets travel in trains: each has lengths, identification and
// checksum of its own. The frames of a train have one time, since they were handed over at one.
//
// A frame waits a while for what the switch decides on it. An event names job, generation, block
// and source. So does a frame, but for the source, which its header or [Lab.Sources] tells.
// Of several that fit, the newest is the one: a link lost the others.
//
// Left out: reading captures (package pcapfile), frames between the engines of a chassis, and
// displaying: see the dissector in packaging/wireshark.
package capture
