package reference

import (
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// job is a job record and what a PFE remembers of its past blocks.
type job struct {
	*trioml.Entry
	template []byte
	open     int        // block_curr_cnt
	ended    int        // blocks, sent or superseded: block_total_cnt
	absent   trace.Mask // sources that blocks do not wait for

	started bool
	newest  uint16     // newest generation seen
	done    tombstones // blocks of the newest generation that were sent

	stragglers stragglers
}

func newJob(e *trioml.Entry) *job { return &job{Entry: e, template: inet.UDPHeader(e.Out)} }

// advance notes that generation gen was seen. When the first packet of a newer
// one arrives, every block of the older ones is done, since some worker holds
// all their results.
func (j *job) advance(gen uint16) {
	if !j.started || wire.GenBefore(j.newest, gen) {
		j.started, j.newest = true, gen
		j.done.clear()
	}
}

// markDone remembers that a block was sent; it reports false where there is no room
// for that. Blocks of older generations need no memory of their own.
func (j *job) markDone(gen uint16, block uint32) bool {
	return gen != j.newest || j.done.add(block)
}

// key is the hash key of a block record (§4: job_id, block_id).
type key uint64

func keyOf(job uint8, block uint32) key { return key(job)<<32 | key(block) }

// partition returns the timer thread that scans the record: a mix of the key
// modulo the number of threads, as the hash spreads records over the table.
func (k key) partition(threads int) int {
	h := uint64(k) * 0x9e3779b97f4a7c15 // Fibonacci hashing
	return int((h >> 33) % uint64(threads))
}

// BlockRecord is a block record (Fig 18) with its aggregation buffer.
type BlockRecord struct {
	Job      uint8
	Block    uint32
	Gen      uint16
	Start    units.Time     // block_start_time
	Left     units.Duration // block_exp: how long it still waits unreferenced
	Received trace.Mask     // rcvd_mask
	Sources  int            // rcvd_cnt
	Workers  int            // behind the sources: the sum of their src_cnt
	Grads    int            // grad_cnt
	AgeOp    uint8          // AgeTimeout: it aged out, or a contribution from the level below had
	Final    bool
	Degraded bool
	Ref      bool   // the hash entry's "recently referenced" flag (§5)
	Unstored bool   // its packets carry unstored values: there is nothing to add
	Sums     []byte // big-endian int32, as in the result packet; of any length where Unstored
}

// record is a block record in the table.
type record struct {
	BlockRecord
	job          *job
	thread       int // that scans it
	older, newer *record
	owned        bool // that thread builds its result
}

func (r *record) key() key { return keyOf(r.Job, r.Block) }
