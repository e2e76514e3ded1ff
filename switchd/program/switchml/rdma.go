package switchml

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
	return rank, i, qpn>>23 == 1 && rank < MaxRanks && i < MaxQueues
}

// MessagePackets returns the packets of a message, 1 where clients speak UDP.
func (j *Job) MessagePackets() int {
	if j.RDMA == nil {
		return 1
	}
	return j.RDMA.MessageBytes / (4 * j.Elements)
}

// Block returns what events and views call a slot: over UDP its number, of RDMA clients
// that of the queue pair.
func (j *Job) Block(slot int) uint32 { return uint32(slot / j.MessagePackets()) }

// QueuePairs returns how many the switch keeps for the job; none for clients of UDP.
func (j *Job) QueuePairs() (n int) {
	for i := range j.Workers {
		if q := j.Workers[i].RDMA; q != nil {
			n += len(q.QPNs)
		}
	}
	return n
}
