// Package pktio moves trains between a machine and the world.
//
// A [Device] is a small set of ports for packets, in batches. It knows no protocol:
// a UDP socket, raw packet sockets on a switch's interfaces, byte streams to peers
// and a fake in memory (package pktiotest) look the same to a machine.
//
//	       Recv: arrivals borrowed until the next Recv
//	Device ------------------------------------------> Machine
//	       <------------------------------------------
//	       Send: trains are on their way, or counted as dropped, when it returns
//
// [Drive] is the one loop that runs a machine on a device under the wall clock. Where processors are few, who comes
// first is settled without any right: the loop of a host, which has little to do at a time, has the shortest time slice
// (Linux 6.12), that of a switch the default, and computes run at nice 10.
package pktio
