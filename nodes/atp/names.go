package atp

// Notes of [trace.Retransmit] events: why a packet was sent again.
const (
	ByOrder   = "three others came first"
	ByTimeout = "timeout"
	AsFloats  = "as floats"
	SetUp     = "set up anew" // also of [trace.Sent]
)

// Names of counters; drops carry the names of the wire format or these.
const (
	CountSent       = "atp-sent"
	CountSwept      = "atp-swept" // of those sent first, packets that carry nothing and clear aggregators
	CountParameters = "atp-parameters"
	CountOutOfOrder = "atp-out-of-order" // of those, not the expected one
	CountTimeouts   = "atp-timeouts"
	CountRemapped   = "atp-remapped" // indexes that are another from now on

	CountSetups = "atp-set-ups"    // of streams that go on under another id of the job
	CountJoins  = "atp-joins"      // packets that ask where a stream goes on
	CountTaken  = "atp-taken-over" // fragments that were aggregated before this worker was there

	CountMarks  = "atp-marks" // parameter packets that say that a queue was long
	CountHalved = "atp-window-halved"

	CountWindowSum   = "atp-window-sum"   // of the windows of streams at each of so many
	CountWindowAcks  = "atp-window-acks"  // parameter packets
	CountWindowLeast = "atp-window-least" // of the windows of streams at one of these
	CountWindowMost  = "atp-window-most"

	CountSaturated = "atp-saturated-values" // that did not fit the quantiser
	CountClipped   = "atp-clipped-sums"     // results at a limit of int32: a switch saturated, and nothing repaired it
	CountFloats    = "atp-float-packets"    // first sent as float32 because a server asked for it
	CountRefused   = "atp-floats-of-int32-asked"

	DropForeign   = "atp-foreign-packet"
	DropEarlier   = "atp-earlier-set-up"
	DropStale     = "atp-stale-parameters"     // of a packet that was not sent
	DropDuplicate = "atp-duplicate-parameters" // sent again for another worker
	DropUnlike    = "atp-parameters-unlike-packet"
	DropIndex     = "atp-index-beyond-table" // a new index that is none; the parameters are taken
)
