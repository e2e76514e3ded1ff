// Package switchml is the common part of the switch programs of SwitchML: the jobs of a
// switch, without the processing of packets.
//
//	configuration, client --> Job --Table--> reference    Algorithm 3 as it is printed
//	                                    \--> pipeline     the same on an emulated Tofino
//
// A [Job] names its workers, its part of the pool and, in a tree of switches, its parent.
// A process starts with the jobs of its [Config]. A control plane adds and removes jobs at
// run time, as documents of [dataplane.Managed]. Both go through [Table.Add], with the same
// checks.
//
// A job has its part of the pool from its addition to its removal. Its packets count slots
// from 0 and know nothing of other jobs. A job that lacks workers only holds its part; its
// packets are counted drops. To change a job, remove it and add it again; both happen
// between two batches of packets.
//
// A worker is known by its source address, as in the public switch program, and by the
// UDP port of the switch. A parent is known by its address and its own UDP port. RDMA
// clients and their switch also agree on queue pairs ([RDMA]).
//
// Each program keeps its own slots and bitmaps, and shows them to the table through [Kept].
// Package session makes jobs of clients' requests.
package switchml
