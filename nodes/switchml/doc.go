// Package switchml is the host side of SwitchML (NSDI 2021): the worker with packet
// loss recovery of §4.5 (Algorithms 2 and 4), the per-packet scaling of §4.6, and
// the threads and stream of tensors of App B. A [Core] is a machine with one port.
//
// A tensor is cut into blocks of k words. Slot i of s carries blocks i, i+s, i+2s
// and so on, one at a time, and flips its set (the paper's ver) with every packet.
// Each packet also carries the exponent of the slot's next block, and the result
// brings the maximum over the workers. So the first packet of a slot carries
// exponents only, one extra round trip (ambiguity switchml.first-m).
//
//	slot i:  [-, e(i)]  [i, e(i+s)]  [i+s, e(i+2s)] ...
//
// Each of T threads has a part of the slots and of every tensor's blocks, a UDP source
// port and timers; threads share nothing.
//
// Calls queue in the order in which they are made, the same at all workers. With
// Streaming, slots do not wait for a tensor to be complete:
//
//	slot 0:  [-,e]  [t0 b0]  [t0 b4]  [t1 b3]  [t2 b1] ...
//	slot 1:  [-,e]  [t0 b1]  [t0 b5]  [t2 b0] ...
//
// A worker without a next block for a slot says so in the second exponent byte, whose
// maximum the switch takes as well. The slot's next packet then carries exponents only.
//
// A packet without a result after the timeout is sent again unchanged. The timeout is
// fixed, as in the paper, or doubles, as in the public client. Without retransmission
// a lost packet stops its slot for good, as in the baseline of Trio §6.1.
//
// Left out: priorities of tensors, and blocks that move between slots (§6.3).
package switchml
