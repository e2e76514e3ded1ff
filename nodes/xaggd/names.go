package xaggd

// Names of counters.
const (
	CountSent       = "xagg-sent"             // gradient packets of a worker, sent first
	CountAgain      = "xagg-sent-again"       // gradients, sums and results that were lost, or that a new parent lacks
	CountReports    = "xagg-loss-reports"     // sent
	CountControl    = "xagg-control-messages" // sent
	CountUnfinished = "xagg-not-yet-summed"   // packets that were asked for and are not finished: they leave when they are
	CountCuts       = "xagg-lossy-periods"    // of workers: more was lost than the threshold
	CountOpened     = "xagg-iterations-opened"
	CountSaturated  = "xagg-saturated-values" // that did not fit the quantiser
	CountMoves      = "xagg-moves"            // to another parent

	CountInitials    = "xagg-initial-rates"    // of iterations
	CountInitialTime = "xagg-initial-rates-ns" // from the request to a rate, together
	CountUpdates     = "xagg-updated-rates"    // that a child has confirmed
	CountUpdateTime  = "xagg-updated-rates-ns" // from the notice to that, together

	CountStoreFailed = "xagg-store-failed" // calls of the store in the kernel
)

// Names of counters of control messages that are refused; those that are no messages have the names of the
// wire format.
const (
	DropForeign  = "xagg-foreign-packet"     // no UDP to the port of control messages
	DropJob      = "xagg-control-other-job"  // of another job
	DropStranger = "xagg-control-stranger"   // of a host that is no neighbour
	DropAddress  = "xagg-control-address"    // a neighbour's id from another address
	DropKind     = "xagg-control-unexpected" // of a kind that its sender has no say in
	DropOldTree  = "xagg-control-old-tree"   // of an edge before or after a change of the tree
	DropStale    = "xagg-control-stale"      // of an iteration that is over
	DropEarly    = "xagg-control-early"      // of an iteration that is not open
	DropIndex    = "xagg-control-index"      // an index beyond the gradient, or of a packet that was not sent yet
	DropRepeated = "xagg-control-repeated"   // a loss report that came before
	DropPhase    = "xagg-control-refused"    // a rate message that makes no sense
	DropOrder    = "xagg-control-order"      // a place in the tree that cannot be
)
