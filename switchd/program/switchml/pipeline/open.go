package pipeline

import (
	"iter"
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Sources returns the workers of a job here; none of one that it does not have.
func (e *Engine) Sources(id uint8) (m trace.Mask) {
	if at, ok := e.find(id); ok {
		m = e.jobs[at].everybody
	}
	return m
}

// Open returns at most limit phases of slots that lack workers, the oldest first:
// those whose counter is not 0. The packet id of the first packet is the generation. Of
// RoCE it returns messages: the queue pair is the block, the message's number the
// generation, and who lacks does so in the slot that is oldest.
func (e *Engine) Open(limit int) []dataplane.OpenBlock {
	out := e.allOpen()
	if e.opts.RDMA {
		out = e.messages(out)
	}
	return out[:min(limit, len(out))]
}

// messages keeps the first slot of each message.
func (e *Engine) messages(slots []dataplane.OpenBlock) (out []dataplane.OpenBlock) {
	type message struct {
		job        uint8
		gen, block uint32
	}
	seen := map[message]bool{}
	for _, o := range slots {
		if at, ok := e.find(o.Job); ok {
			o.Block /= uint32(e.jobs[at].rdma.packets)
		}
		if m := (message{o.Job, o.Gen, o.Block}); !seen[m] {
			seen[m] = true
			out = append(out, o)
		}
	}
	return out
}

func (e *Engine) allOpen() (out []dataplane.OpenBlock) {
	for _, j := range e.jobs {
		for set, slot := range e.waiting(j) {
			p := j.phases[set][slot]
			out = append(out, dataplane.OpenBlock{
				Job: j.ID, Gen: p.packet, Block: uint32(slot), Have: j.mask(e.state.seen(j.pipe, j.base+slot)[set]), Want: j.everybody, Since: p.since,
			})
		}
	}
	slices.SortFunc(out, dataplane.Older)
	return out
}

// waiting returns the slots of a job, by set, whose counter says that workers lack.
func (e *Engine) waiting(j *job) iter.Seq2[uint8, int] {
	return func(yield func(uint8, int) bool) {
		for set := range uint8(2) {
			for slot := range j.Slots {
				if e.state.left(j.pipe, set, j.base+slot) != 0 && !yield(set, slot) {
					return
				}
			}
		}
	}
}

// open counts the phases of slots that lack workers.
func (e *Engine) open(j *job) (n int) {
	for range e.waiting(j) {
		n++
	}
	return n
}
