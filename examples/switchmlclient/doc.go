// Command switchmlclient is a small SwitchML client of its own: it speaks the public
// client's protocols and nothing else of this project. One worker, one tensor of
// int32, summed by the switch:
//
//	Broadcast, UdpSession, Barriers   gRPC to the management address
//	packets of 64 or 256 values       UDP port 48864 of the switch, from one that all workers have
//
// With --raw it sends and receives frames on the interface, as a client without the
// kernel's network stack does.
//
// With rank r of n, every value of the tensor is r+1, so each sum is n(n+1)/2.
//
// Left out: floats and their exponents (nodes/switchml), threads that run by themselves, several tensors.
package main
