// Package switchml is what all switch programs of SwitchML share: the jobs of a switch,
// and nothing of what happens to their packets.
//
//	configuration, client --> Job --Table--> reference    Algorithm 3 as it is printed
//	                                    \--> pipeline     the same on an emulated Tofino
//
// A [Job] names its workers, its part of the pool and, in a tree of switches, its
// parent. A process is started with jobs in its [Config]; a control plane adds and
// removes jobs at run time, as documents of [dataplane.Managed]. Both go through
// [Table.Add], with one check and one text for each mistake.
//
// A job takes its part of the pool when it is added, and gives it back when it is
// removed. Its packets count slots from 0, whatever part it has: they know nothing of
// other jobs. A job that lacks workers only holds its part; the packets of those it has
// are counted drops. To change a job, remove it and add it again; both happen between
// two batches of packets.
//
// A worker is known by its source address, as in the public switch program, and by the
// UDP port of the switch. A parent is known by its address and its own UDP port.
//
// RDMA clients and their switch also agree on the numbers of queue pairs, which are part
// of the job: see [RDMA].
//
// Each program keeps slots and bitmaps of its own and shows them to the table through
// [Kept]. Package session makes jobs of what clients ask for.
package switchml
