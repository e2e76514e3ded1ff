package switchml

import "github.com/inalab/inalab/switchd/dataplane"

// RDMA is what a job of RDMA clients (RoCEv2 UC) has beside the rest. A client
// sends messages of several packets; its queue pair i writes to pool index rkey
// of the switch, which counts slots of the job from 0 (bit 0 is the set).
type RDMA struct {
	MessageBytes int `json:"message_bytes"` // values of a message; a multiple of a packet's
}

// Queues are a worker's ends of its queue pairs, as it told them.
type Queues struct {
	RKey uint32   `json:"rkey"` // of the memory that results are written to
	QPNs []uint32 `json:"qpns"` // 24 bits each
	PSNs []uint32 `json:"psns"` // 24 bits each: what it sends first on each, as many as QPNs
}

// Limits of the RDMA variant.
const (
	MaxQueues         = 4096      // queue pairs of a worker; assumed
	MaxMessagePackets = 16        // packets of a message; assumed
	max24             = 1<<24 - 1 // QPN and PSN have 24 bits (InfiniBand architecture, base transport header)
)

// The switch's end of a queue pair. Results start at FirstPSN on each, and the
// pool begins at RKey 0.
const (
	FirstPSN uint32 = 0
	PoolRKey uint32 = 0
)

// QPN returns the number of the switch's end of queue pair i of a rank. The top
// bit keeps it off the numbers 0 and 1, which management has.
func QPN(rank, i int) uint32 { return 1<<23 | uint32(rank)<<16 | uint32(i) }

// QueueOf returns what a number of the switch means; ok is false for other numbers.
func QueueOf(qpn uint32) (rank, i int, ok bool) {
	rank, i = int(qpn>>16&0x7f), int(qpn&0xffff)
	return rank, i, qpn>>23 == 1 && rank < MaxWorkers && i < MaxQueues
}

func (j *Job) checkRDMA() *dataplane.Refusal {
	packet := 4 * j.Elements
	if j.RDMA != nil && (j.RDMA.MessageBytes < packet || j.RDMA.MessageBytes%packet != 0 || j.RDMA.MessageBytes > MaxMessagePackets*packet) {
		return dataplane.Refuse(dataplane.RefusedDocument, "use 1 to 16 whole packets", "job %d has messages of %d bytes in packets of %d", j.ID, j.RDMA.MessageBytes, packet)
	}
	for i := range j.Workers {
		w := &j.Workers[i]
		if (w.RDMA != nil) != (j.RDMA != nil) {
			return dataplane.Refuse(dataplane.RefusedSource, "set up all workers with UdpSession, or all with RdmaSession", "job %d: rank %d does not speak what the job does", j.ID, w.Rank)
		}
		if w.RDMA == nil {
			continue
		}
		if r := j.checkQueues(w.Rank, w.RDMA); r != nil {
			return r
		}
	}
	return nil
}

func (j *Job) checkQueues(rank int, q *Queues) *dataplane.Refusal {
	if n := len(q.QPNs); n < 1 || n > MaxQueues || len(q.PSNs) != n {
		return dataplane.Refuse(dataplane.RefusedSource, "give 1 to 4096 of each", "job %d: rank %d has %d QPNs and %d PSNs", j.ID, rank, n, len(q.PSNs))
	}
	for i := range q.QPNs {
		if q.QPNs[i] > max24 || q.PSNs[i] > max24 {
			return dataplane.Refuse(dataplane.RefusedSource, "give numbers of 24 bits", "job %d: rank %d has QPN %#x and PSN %#x", j.ID, rank, q.QPNs[i], q.PSNs[i])
		}
	}
	return nil
}
