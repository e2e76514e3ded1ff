package trioml

import (
	"cmp"
	"iter"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// MaxBuffers bounds the aggregation buffers of all jobs together, each job with
// block_cnt_max blocks of block_grad_max gradients of 4 bytes. A PFE has several GB of
// DRAM (§2.3); 4 GiB is assumed.
const MaxBuffers = 4 * units.GiB

// Table is the jobs of one PFE, as its control plane knows them. The zero value with a
// node is empty; [Config.Table] makes that of a configuration.
type Table struct {
	Node    string         // of the PFE, for refusals
	Timeout units.Duration // of jobs that say none; zero: DefaultTimeout
	Threads int            // timer threads
	NoAging bool           // there are none, and no job has a timeout
	entries [256]*Entry
	n       int
	foreign JobCounts // of packets whose job is not there
}

// Entry is a job in the table.
type Entry struct {
	Job
	Mask  trace.Mask // of Sources
	Count JobCounts
}

// Admit returns the job of a document with its defaults, if the table has room for it.
// An error is a [*dataplane.Refusal].
func (t *Table) Admit(d dataplane.Document) (Job, error) {
	doc, ok := d.(*Job)
	if !ok {
		return Job{}, dataplane.RefuseOther(d, Protocol, "name its --sources, without --slots, --elements and --worker")
	}
	if r := doc.check(); r != nil {
		return Job{}, r
	}
	j := doc.withDefaults()
	j.Timeout = cmp.Or(j.Timeout, t.Timeout, DefaultTimeout)
	if t.entries[j.ID] != nil {
		return Job{}, dataplane.RefuseTaken(int(j.ID), t.Node)
	}
	if used := t.buffers(); used+j.buffers() > MaxBuffers {
		return Job{}, dataplane.Refuse(dataplane.RefusedNoRoom, "lower block_cnt_max or block_grad_max, or remove a job",
			"job %d may need %v for its blocks on %s, where %v of %v are left", j.ID, j.buffers(), t.Node, MaxBuffers-used, MaxBuffers)
	}
	if r := t.checkTimeout(&j); r != nil {
		return Job{}, r
	}
	return j, nil
}

// buffers returns the memory that the blocks of all jobs may take.
func (t *Table) buffers() (n units.Bytes) {
	for e := range t.All() {
		n += e.buffers()
	}
	return n
}

// Add puts in a job that was admitted.
func (t *Table) Add(j Job) *Entry {
	e := &Entry{Job: j, Mask: j.SourceMask()}
	t.entries[j.ID] = e
	t.n++
	return e
}

// Remove takes a job out and returns its counters. An error is a [*dataplane.Refusal].
func (t *Table) Remove(id uint8) (dataplane.Removed, error) {
	e := t.entries[id]
	if e == nil {
		return dataplane.Removed{}, dataplane.RefuseUnknown(int(id), t.Node)
	}
	t.entries[id] = nil
	t.n--
	return dataplane.Removed{Counters: e.Count.List()}, nil
}

// All returns the jobs by id.
func (t *Table) All() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for _, e := range t.entries {
			if e != nil && !yield(e) {
				return
			}
		}
	}
}

// Len returns how many jobs there are.
func (t *Table) Len() int { return t.n }

// Has reports whether a job is there.
func (t *Table) Has(id uint8) bool { return t.entries[id] != nil }

// Count returns the counters of a job; those of jobs that are not there are one.
func (t *Table) Count(id uint8) *JobCounts {
	if e := t.entries[id]; e != nil {
		return &e.Count
	}
	return &t.foreign
}
