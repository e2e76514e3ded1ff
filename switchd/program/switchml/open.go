package switchml

import (
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Sources returns the workers of a job here; none of one that it does not have.
func (t *Table[K]) Sources(id uint8) (m trace.Mask) {
	if k, ok := t.Find(id); ok {
		m = k.entry().Everybody
	}
	return m
}

// Open returns at most limit phases of slots that lack workers, the oldest first. The
// packet id of the first packet is the generation. Of RDMA jobs it returns messages: the
// queue pair is the block, the number of the message the generation, and the missing
// workers are those of its oldest slot.
func (t *Table[K]) Open(limit int) (out []dataplane.OpenBlock) {
	type message struct {
		job        uint8
		gen, block uint32
	}
	seen := map[message]bool{}
	for _, o := range t.openSlots() {
		k, _ := t.Find(o.Job)
		o.Block = k.entry().Block(int(o.Block))
		m := message{o.Job, o.Gen, o.Block}
		if again := k.entry().RDMA != nil && seen[m]; again || len(out) == limit {
			continue
		}
		seen[m] = true
		out = append(out, o)
	}
	return out
}

// openSlots returns all phases of slots that lack workers, the oldest first.
func (t *Table[K]) openSlots() (out []dataplane.OpenBlock) {
	for _, k := range t.jobs {
		for o := range k.Open {
			o.Job, o.Want = k.entry().ID, k.entry().Everybody
			out = append(out, o)
		}
	}
	slices.SortFunc(out, dataplane.Older)
	return out
}

// countOpen counts the phases of slots that lack workers.
func countOpen[K Kept](k K) (n int) {
	for range k.Open {
		n++
	}
	return n
}
