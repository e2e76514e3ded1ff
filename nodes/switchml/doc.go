// Package switchml is the host side of SwitchML (NSDI 2021): the worker logic
// with packet loss recovery of §4.5 (Algorithms 2 and 4) and the per-packet
// scaling of §4.6. A [Core] is a machine with one port, the worker's interface.
//
// A tensor is cut into blocks of k elements; slot i of s carries blocks i, i+s,
// i+2s and so on, one at a time, and flips its set (the paper's ver) with every
// packet, across tensors too. The scaling factor of a block is agreed one
// packet ahead: the packet for one block carries the exponent of the slot's
// next block, and the result brings the maximum over the workers. So the first
// packet of each slot carries exponents only, over zero values (one extra round
// trip; ambiguity switchml.first-m).
//
//	slot i:  [-, e(i)]  [i, e(i+s)]  [i+s, e(i+2s)] ...
//
// A packet without a result after Timeout is sent again as it was. With
// retransmission off, a lost packet stops its slot for good, as in the
// baseline of Trio §6.1.
//
// Left out here: the sharding of slots over host threads and the adaptive
// timeout of the public client.
package switchml
