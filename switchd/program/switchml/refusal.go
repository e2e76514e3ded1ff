package switchml

import (
	"fmt"

	"github.com/inalab/inalab/switchd/dataplane"
)

// refusal is why a job takes no packets any more.
type refusal struct {
	why    string // empty: it does
	number int    // in the order of the table's refusals, from 1; 0: it will be refused after this batch
}

// Refused reports whether the job takes no packets any more, whoever sends them.
func (e *Entry) Refused() bool { return e.refusal.number > 0 }

// Misfit notes that a packet of a worker was dropped for a reason, and reports whether the
// job is to be refused for that, by [Table.Refuse] after the batch at hand: a [Job.Strict] one
// at the first packet that is beyond its slots, or of another size.
func (e *Entry) Misfit(reason string, worker uint8, slot int) bool {
	if !e.Strict || e.Parent != nil || e.refusal.why != "" {
		return false
	}
	switch reason {
	case DropSlotRange:
		e.refusal.why = fmt.Sprintf("%s %d sends to slot %d, and the job has slots 0 to %d: give it more, or the client fewer threads or packets outstanding: "+
			"T threads with M packets each need (2T-1)M slots", e.member(), worker, slot, e.Slots-1)
	case DropWrongSize:
		e.refusal.why = fmt.Sprintf("%s %d sends packets of another size than that of the job, %d values: give all clients one size", e.member(), worker, e.Elements)
	}
	return e.refusal.why != ""
}

// Refuse has a job of which [Entry.Misfit] reported that it is to be refused take no packets
// any more. It keeps its slots and the addresses of its workers until it is removed.
func (t *Table[K]) Refuse(job K) {
	t.refusals++
	job.entry().refusal.number = t.refusals
}

// Refusals returns the jobs that were refused after a number of refusals, and are still there.
func (t *Table[K]) Refusals(after int) (out []dataplane.JobRefusal) {
	if t.refusals == after {
		return nil
	}
	for _, k := range t.jobs {
		if e := k.entry(); e.refusal.number > after {
			out = append(out, dataplane.JobRefusal{Job: e.ID, Number: e.refusal.number, Why: fmt.Sprintf("%s is refused: %s", e.title(), e.refusal.why)})
		}
	}
	return out
}

// title is what people call the job.
func (e *Entry) title() string {
	if e.Session == 0 {
		return fmt.Sprintf("job %d", e.ID)
	}
	return fmt.Sprintf("job %d (session %d)", e.ID, e.Session)
}

// state says in a word or two what the job does.
func (e *Entry) state() string {
	switch {
	case e.Refused():
		return "refused"
	case !e.Complete():
		return "lacks workers"
	}
	return "runs"
}
