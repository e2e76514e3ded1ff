package switchml

// Reasons for which packets are dropped, beside those of the wire format.
const (
	DropNotUDP        = "switchml-not-udp"
	DropUnknownWorker = "switchml-unknown-worker"
	DropIncomplete    = "switchml-job-lacks-workers"
	DropWrongSize     = "switchml-size-of-another-job"
	DropSlotRange     = "switchml-slot-out-of-range"
	DropDuplicate     = "switchml-duplicate-in-open-slot"
	DropLate          = "switchml-late"
	DropMixed         = "switchml-values-and-lengths-in-one-slot"
	DropRefused       = "switchml-of-a-refused-job"
	DropArrival       = "switchml-simulated-loss-of-arrivals" // by the drop simulator
	DropDeparture     = "switchml-simulated-loss-of-departures"
)

// Names of the other counters.
const (
	CountPackets  = "switchml-packets"
	CountResults  = "switchml-results" // slots that came to be complete
	CountAnswered = "switchml-retransmissions-answered"
	CountSentUp   = "switchml-retransmissions-sent-up" // to the parent
	CountPassedOn = "switchml-results-passed-on"       // from the parent
	CountRemoved  = "switchml-slots-of-removed-jobs"   // that waited for workers
)

// Reasons for which packets of RoCE are dropped before they come to a slot, beside those
// of the wire format.
const (
	DropRDMAUnknownWorker = "switchml-rdma-unknown-worker"
	DropRDMASpeaksUDP     = "switchml-rdma-worker-sends-udp"
	DropRDMAQueuePair     = "switchml-rdma-unknown-queue-pair"
	DropRDMASequence      = "switchml-rdma-out-of-sequence"
	DropRDMAKey           = "switchml-rdma-key-of-another-queue-pair"
	DropRDMAShape         = "switchml-rdma-misshapen-message" // length, operation, or bytes of a packet
	DropRDMAICRC          = "switchml-rdma-wrong-icrc"
)

// Names of the other counters of RoCE.
const (
	CountRDMAPackets  = "switchml-rdma-packets"
	CountRDMASent     = "switchml-rdma-packets-sent"
	CountRDMAHeldBack = "switchml-rdma-results-held-back" // that do not go on with the message sent
)
