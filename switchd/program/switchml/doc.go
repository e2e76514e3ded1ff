// Package switchmljob is the document by which a control plane gives an engine a
// SwitchML job: the text of [dataplane.Managed].AddJob for every engine that runs
// SwitchML, be it the reference program or an emulated chip.
//
//	client --UdpSession--> session ... session --Job as JSON--> engine
//	        (rank by rank)                      (pool, workers, multicast group)
//
// A job takes its part of the pool when it is added, and gives it back when it is
// removed. Its slots are counted from 0, whatever part of the pool it has: the
// clients know nothing of other jobs. A job that lacks workers only holds its
// part; the packets of those it has are counted drops. To change a job, remove it
// and add it again; both happen between two batches of packets.
//
// For RDMA clients the numbers by which switch and client address one another
// are part of the document; see [RDMA].
package switchml
