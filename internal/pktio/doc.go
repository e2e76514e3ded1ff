// Package pktio moves trains between a machine and the world.
//
// A [Device] is a small set of ports that packets come in and go out by, in
// batches. It knows nothing of any protocol: a UDP socket with segmentation
// offload, raw packet sockets on a switch's interfaces, byte streams to peers
// and an in-memory fake (package pktiotest) all look the same to the machine
// behind them.
//
//	       Recv: arrivals borrowed until the next Recv
//	Device ------------------------------------------> Machine
//	       <------------------------------------------
//	       Send: trains are on their way, or counted as dropped, when it returns
//
// [Drive] is the one loop that runs a machine on a device under the wall clock.
package pktio
