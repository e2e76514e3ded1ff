// Package clienttest is a model of how the public SwitchML client (p4lang/p4app-switchML,
// client_lib, DPDK back end) numbers its packets, for tests of switch programs. It has
// neither frames nor time.
//
//	Rack --Tensor--> Client (worker) --Packet--> Switch
//	                   thread 0, 1 ...  <--Result--/
//
// What is modelled, with the file of dev_root/client_lib/src that it is from:
//
//   - Tensors are counted from 0, the empty ones too; packets bear the low 8 bits (job.cc,
//     BuildPacket in dpdk_worker_thread_utils.inc).
//   - A tensor's values are cut into one share for each thread, the first threads with one
//     more. So a tensor with fewer values than threads leaves threads without packets. All
//     threads end a tensor before one begins the next (schedulers/fifo_scheduler.cc).
//   - Each thread counts the packets of each tensor from 0 and has at most M on their way, M
//     being max_outstanding_packets by the number of threads; the result of packet i brings
//     packet i+B, where B is the first batch. Tensors of floats have B packets more, which
//     come first (dpdk_worker_thread.cc, cpu_exponent_quantizer_ppp.cc).
//   - Thread t has slots 2Mt to 2Mt+M-1 of both sets, and goes through them in turn across
//     tensors: packet i of a tensor is at place S = shift + i modulo 2M, where shift is all
//     packets of the thread before. Places from M on are of the other set (PktId2PoolIndex).
//   - Each thread has M timers. The result of packet i stops timer (i+B) mod M. A timer that
//     expires sends its packet again, with the contents that the tensor at hand has there
//     (ResendPacketCallback).
//   - In a first batch the packet id is raised before the timer is set. Timer (i+1) mod M
//     then sends packet i+1 in the slot of packet i: a packet of a first batch is never sent
//     again under its own number (dpdk_worker_thread.cc).
//   - So after a tensor with 1 < B < M timers stay armed. They send packets of that tensor
//     whenever the thread waits for results of a later one, until one sets them again.
//   - A thread takes a result that it has not had, and that bears its tensor's byte. One that
//     comes when it is done lies there until its next tensor.
//
// Decided here: an id beyond a thread's packets counts as not had (the client reads behind
// its bitmap). What it then writes beyond the tensor is an error of [Rack.Run].
//
// Left out: time, so that a test says which timers expire; offload, checksums and ports; the
// RDMA back end, whose packets have no tensor's byte.
package clienttest
