package trioml

import (
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// JobColumns are those of ViewJobs for engines that aggregate blocks, so that two
// engines of one protocol show alike; rows are [JobRow].
var JobColumns = []dataplane.Column{
	{Key: "job", Name: "job"},
	{Key: "sources", Name: "sources", Spare: 2},
	{Key: "source_ids", Name: "src_ids"},
	{Key: "out_src_id", Name: "out src_id", Spare: 6},
	{Key: "result_group", Name: "results to", Spare: 4},
	{Key: "block_cnt_max", Name: "block_cnt_max"},
	{Key: "block_curr_cnt", Name: "blocks open"},
	{Key: "block_grad_max", Name: "block_grad_max", Spare: 5},
	{Key: "block_exp_us", Name: "block_exp", Unit: "us", Spare: 7},
	{Key: "gen", Name: "newest gen", Spare: 3},
	{Key: "packets", Name: "packets"},
	{Key: "results", Name: "results"},
	{Key: "degraded", Name: "degraded"},
	{Key: "aged", Name: "aged", Spare: 1},
	{Key: "dropped", Name: "dropped"},
	dataplane.IdleColumn,
}

// JobCounts is what an engine counts of a job.
type JobCounts struct {
	Packets  uint64 // that were added
	Results  uint64
	Degraded uint64     // results without all workers
	Aged     uint64     // blocks
	Dropped  uint64     // packets, for any reason
	Last     units.Time // when the last packet was added
}

// Add counts a packet that was added.
func (c *JobCounts) Add(now units.Time) {
	c.Packets++
	c.Last = now
}

// List returns the counters by name.
func (c *JobCounts) List() []sansio.Count {
	return []sansio.Count{
		{Name: "packets", N: c.Packets}, {Name: "results", N: c.Results}, {Name: "degraded", N: c.Degraded},
		{Name: "aged", N: c.Aged}, {Name: "dropped", N: c.Dropped},
	}
}

// TimerNote is the note of events of timer thread k of n.
func TimerNote(k, n int) string { return fmt.Sprintf("thread %d of %d", k, n) }

// JobRow is a job record with its counters (trio Fig 17).
type JobRow struct {
	ID         uint8
	Sources    trace.Mask
	OutSource  uint8
	To         netip.Addr      // of results
	BlockMax   int             // block_cnt_max
	BlocksOpen int             // block_curr_cnt
	GradMax    int             // block_grad_max
	Timeout    dataplane.Value // block_exp; not applicable where no block ages
	Newest     dataplane.Value // generation; not applicable before the first packet
	JobCounts
}

// Values returns the row under JobColumns, as it is now.
func (r JobRow) Values(now units.Time) []dataplane.Value {
	return []dataplane.Value{
		dataplane.Int(r.ID), dataplane.Int(r.Sources.Len()), dataplane.Text(dataplane.MaskText(r.Sources)), dataplane.Int(r.OutSource), dataplane.Text(r.To.String()),
		dataplane.Int(r.BlockMax), dataplane.Int(r.BlocksOpen), dataplane.Int(r.GradMax), r.Timeout, r.Newest,
		dataplane.Int(r.Packets), dataplane.Int(r.Results), dataplane.Int(r.Degraded), dataplane.Int(r.Aged), dataplane.Int(r.Dropped), dataplane.Idle(now, r.Last, r.Packets > 0),
	}
}

// TimeoutOf returns the timeout of a job for [JobRow].
func (t *Table) TimeoutOf(e *Entry) (v dataplane.Value) {
	if !t.NoAging {
		v = dataplane.Micros(e.Timeout)
	}
	return v
}

// BlockColumns are those of ViewBlocks; rows are [BlockRow].
var BlockColumns = []dataplane.Column{
	{Key: "job", Name: "job"},
	{Key: "gen", Name: "gen"},
	{Key: "block", Name: "block"},
	{Key: "have", Name: "have"},
	{Key: "want", Name: "of"},
	{Key: "missing", Name: "missing src_ids"},
	{Key: "gradients", Name: "gradients", Spare: 2},
	{Key: "age_us", Name: "open for", Unit: "us"},
	{Key: "ref", Name: "REF"},
	{Key: "degraded", Name: "degraded", Spare: 1},
}

// BlockRow is a block record (trio Fig 18).
type BlockRow struct {
	dataplane.OpenBlock
	Grads    int
	Ref      bool // the hash entry's flag
	Degraded bool // a part of it was, already
}

// Values returns the row under BlockColumns, as it is now.
func (r BlockRow) Values(now units.Time) []dataplane.Value {
	return []dataplane.Value{
		dataplane.Int(r.Job), dataplane.Int(r.Gen), dataplane.Int(r.Block), dataplane.Int(r.Have.Len()), dataplane.Int(r.Want.Len()), dataplane.Text(dataplane.MaskText(r.Want.Without(r.Have))),
		dataplane.Int(r.Grads), dataplane.Micros(now.Sub(r.Since)), dataplane.Bool(r.Ref), dataplane.Bool(r.Degraded),
	}
}
