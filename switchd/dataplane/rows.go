package dataplane

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// JobColumns are those of ViewJobs for engines that aggregate blocks, so that two
// engines of one protocol show alike; rows are [JobRow].
var JobColumns = []Column{
	{Key: "job", Name: "job"},
	{Key: "sources", Name: "sources", Spare: 2},
	{Key: "source_ids", Name: "src_ids"},
	{Key: "out_src_id", Name: "out src_id", Spare: 6},
	{Key: "result_group", Name: "results to", Spare: 4},
	{Key: "block_cnt_max", Name: "block_cnt_max"},
	{Key: "block_curr_cnt", Name: "blocks open"},
	{Key: "block_grad_max", Name: "block_grad_max", Spare: 5},
	{Key: "gen", Name: "newest gen", Spare: 3},
	{Key: "packets", Name: "packets"},
	{Key: "results", Name: "results"},
	{Key: "degraded", Name: "degraded"},
	{Key: "aged", Name: "aged", Spare: 1},
	{Key: "dropped", Name: "dropped"},
	IdleColumn,
}

// IdleColumn is that of [JobCounts.Idle].
var IdleColumn = Column{Key: "idle_us", Name: "last packet", Unit: "us ago", Spare: 1}

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

// Idle returns the time since the last packet; it does not apply before the first.
func (c *JobCounts) Idle(now units.Time) Value {
	if c.Packets == 0 {
		return Value{}
	}
	return Micros(now.Sub(c.Last))
}

// JobRow is a job record with its counters (trio Fig 17).
type JobRow struct {
	ID         uint8
	Sources    trace.Mask
	OutSource  uint8
	To         netip.Addr // of results
	BlockMax   int        // block_cnt_max
	BlocksOpen int        // block_curr_cnt
	GradMax    int        // block_grad_max
	Newest     Value      // generation; not applicable before the first packet
	JobCounts
}

// Values returns the row under JobColumns, as it is now.
func (r JobRow) Values(now units.Time) []Value {
	return []Value{
		Int(r.ID), Int(r.Sources.Len()), Text(MaskText(r.Sources)), Int(r.OutSource), Text(r.To.String()),
		Int(r.BlockMax), Int(r.BlocksOpen), Int(r.GradMax), r.Newest,
		Int(r.Packets), Int(r.Results), Int(r.Degraded), Int(r.Aged), Int(r.Dropped), r.Idle(now),
	}
}

// BlockColumns are those of ViewBlocks; rows are [BlockRow].
var BlockColumns = []Column{
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
	Job      uint8
	Gen      uint32
	Block    uint32
	Have     trace.Mask // sources that are in it
	Want     trace.Mask // sources that it is made of
	Grads    int
	Age      units.Duration // since it was opened
	Ref      Value          // the hash entry's flag
	Degraded bool           // a part of it was, already
}

// Values returns the row under BlockColumns.
func (r BlockRow) Values() []Value {
	return []Value{
		Int(r.Job), Int(r.Gen), Int(r.Block), Int(r.Have.Len()), Int(r.Want.Len()), Text(MaskText(r.Want.Without(r.Have))),
		Int(r.Grads), Micros(r.Age), r.Ref, Bool(r.Degraded),
	}
}

// Micros returns a span in microseconds, to the nanosecond.
func Micros(d units.Duration) Value { return Real(float64(d/units.Nanosecond) / 1e3) }

// MaskText lists the members of a set as people write them: "0-2,5".
func MaskText(m trace.Mask) string {
	var b strings.Builder
	for s := 0; s <= MaxJobSource; s++ {
		if !m.Has(uint8(s)) {
			continue
		}
		last := s
		for last < MaxJobSource && m.Has(uint8(last+1)) {
			last++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(s))
		if last > s {
			b.WriteString("-" + strconv.Itoa(last))
		}
		s = last
	}
	return b.String()
}
