package trioml

// Reasons for which packets are dropped, in addition to those of the wire format.
const (
	DropUnknownJob    = "trioml-unknown-job"
	DropUnknownSource = "trioml-unknown-source"
	DropDuplicate     = "trioml-duplicate-source"
	DropTooManyGrads  = "trioml-over-block-grad-max"
	DropGradMismatch  = "trioml-grad-count-differs-from-record"
	DropBlockCap      = "trioml-over-block-cnt-max"
	DropLateBlock     = "trioml-late-block-done"
	DropLateGen       = "trioml-late-generation"
	DropOlderRecord   = "trioml-older-than-record"
	DropNoWorkers     = "trioml-src-cnt-zero"
)

// Names of the other counters.
const (
	CountPackets          = "trioml-packets"
	CountResults          = "trioml-results"
	CountDegraded         = "trioml-results-degraded"
	CountAged             = "trioml-blocks-aged"
	CountSuperseded       = "trioml-records-superseded"
	CountBeyondTombstones = "trioml-blocks-beyond-tombstones" // done blocks that are not remembered: a late packet opens them again
	CountRemoved          = "trioml-blocks-of-removed-jobs"   // open blocks that went with their job
	CountOverCount        = "trioml-results-beyond-src-cnt"   // results of more workers than src_cnt can say: it says 255
)

// Names of counters of notices, by kind; CountRelayed are those of the level below.
const (
	CountTemporary = "trioml-notices-temporary"
	CountPermanent = "trioml-notices-permanent"
	CountBack      = "trioml-notices-back"
	CountRelayed   = "trioml-notices-relayed"
)
