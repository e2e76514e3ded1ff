package reference

import (
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
)

// job is a job record and what a PFE remembers of its past blocks.
type job struct {
	Job
	mask     trace.Mask
	template []byte
	open     int        // block_curr_cnt
	absent   trace.Mask // sources that blocks do not wait for

	started bool
	newest  uint16     // newest generation seen
	done    tombstones // blocks of the newest generation that were sent

	count   JobCounts
	conduct conduct
}

func newJob(j Job) *job {
	out := &job{Job: j, template: inet.UDPHeader(j.Out)}
	for _, s := range j.Sources {
		out.mask.Set(s)
	}
	return out
}

// advance notes that generation gen was seen. When the first packet of a newer
// one arrives, every block of the older ones is done, since some worker holds
// all their results.
func (j *job) advance(gen uint16) {
	if !j.started || wire.GenBefore(j.newest, gen) {
		j.started, j.newest = true, gen
		j.done.clear()
	}
}

// bury remembers that a block was sent; it reports false where there is no room
// for that. Blocks of older generations need no memory of their own.
func (j *job) bury(gen uint16, block uint32) bool {
	return gen != j.newest || j.done.add(block)
}

// key identifies a block record (§4: hash key job_id, block_id).
type key struct {
	job   uint8
	block uint32
}

// word returns the key as one word, which a table finds faster.
func (k key) word() uint64 { return uint64(k.job)<<32 | uint64(k.block) }

// partition returns the timer thread that scans the record: a mix of the key
// modulo the number of threads, as the hash spreads records over the table.
func (k key) partition(threads int) int {
	h := k.word() * 0x9e3779b97f4a7c15 // Fibonacci hashing
	return int((h >> 33) % uint64(threads))
}

// record is a block record (Fig 18) with its aggregation buffer.
type record struct {
	key      key
	job      *job
	gen      uint16
	start    units.Time // block_start_time
	rcvd     trace.Mask // rcvd_mask
	sources  int        // rcvd_cnt
	workers  int        // workers behind the sources: the sum of their src_cnt
	degraded bool
	final    bool
	aged     bool   // age_op of an aged contribution from the level below
	ref      bool   // the hash entry's "recently referenced" flag (§5)
	grads    int    // gradients of the block
	hollow   bool   // its packets carry lengths only: there is nothing to add
	sum      []byte // big-endian int32 sums, as in the result packet; of any length where hollow

	thread       int // that scans it; for the scanner
	older, newer *record
}
