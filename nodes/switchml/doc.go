// Package switchml is the host side of SwitchML (NSDI 2021): the worker logic
// with packet loss recovery of §4.5 (Algorithms 2 and 4), the per-packet scaling
// of §4.6, and the worker of App B: threads, and tensors as one stream. A [Core]
// is a machine with one port, the worker's interface.
//
// A tensor is cut into blocks of k words; slot i of s carries blocks i, i+s, i+2s
// and so on, one at a time, and flips its set (the paper's ver) with every packet,
// across tensors too. The scaling factor of a block is agreed one packet ahead: the
// packet for one block carries the exponent of the slot's next block, and the
// result brings the maximum over the workers. So the first packet of each slot
// carries exponents only, over zero values (one extra round trip; ambiguity
// switchml.first-m).
//
//	slot i:  [-, e(i)]  [i, e(i+s)]  [i+s, e(i+2s)] ...
//
// Threads. Each of T threads has M = s/T slots, 2Mt to 2Mt+M-1 on the wire, a UDP
// source port, timers, and a contiguous part of the blocks of every tensor; they
// share nothing, and the sums are those of one thread. The machine runs them in
// turn; under the virtual clock a hostmodel.MultiQueue gives each a core and its
// batches of 32.
//
// Stream. Calls queue in the order in which they are made, which must be the same
// at all workers; when they are made may differ. Without Streaming a tensor begins
// at the first slot when the one before is complete. With it, slots just go on:
//
//	slot 0:  [-,e]  [t0 b0]  [t0 b4]  [t1 b3]  [t2 b1] ...
//	slot 1:  [-,e]  [t0 b1]  [t0 b5]  [t2 b0] ...
//
// A worker that has no next block for a slot yet says so in the second exponent
// byte, of which the switch takes the maximum as well. If anybody did, the slot's
// next packet is one of exponents only again. This byte is this project's choice;
// the public client leaves it zero, as a Core does that does not stream.
//
// Values. Packets carry int32, or values of 16 bits, two to a word: [Fixed16], which any
// switch adds, or [Half], for one that converts binary16, of up to wire.HalfWorkers workers.
//
// A packet without a result after the timeout is sent again as it was. The timeout
// is fixed, as in the paper, or doubles after so many timeouts, as in the public
// client. With retransmission off, a lost packet stops its slot for good, as in
// the baseline of Trio §6.1.
//
// Bad input. NaN counts as zero and an infinity as the largest float32; both count
// as saturated, and so does a value that the agreed exponent does not cover. A
// result that is not for the packet in flight is a counted drop.
//
// Left out: scheduling of tensors by priority, and the stealing of blocks between
// slots, which the paper does without (§6.3).
package switchml
