package vtime

import "github.com/inalab/inalab/internal/units"

// heap is the reference: a binary heap ordered by time and order of pushing.
type heap struct {
	entries []entry
	seq     uint64
}

type entry struct {
	Event
	seq uint64
}

func (e entry) before(o entry) bool {
	return e.At < o.At || e.At == o.At && e.seq < o.seq
}

func (h *heap) Len() int { return len(h.entries) }

func (h *heap) Push(at units.Time, target int32) {
	h.seq++
	h.entries = append(h.entries, entry{Event{at, target}, h.seq})
	i := len(h.entries) - 1
	e := h.entries[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(h.entries[parent]) {
			break
		}
		h.entries[i] = h.entries[parent]
		i = parent
	}
	h.entries[i] = e
}

func (h *heap) Pop() Event {
	first := h.entries[0]
	last := len(h.entries) - 1
	e := h.entries[last]
	h.entries = h.entries[:last]
	if last > 0 {
		h.down(e)
	}
	return first.Event
}

// down puts e where the root was.
func (h *heap) down(e entry) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h.entries) {
			break
		}
		if r := child + 1; r < len(h.entries) && h.entries[r].before(h.entries[child]) {
			child = r
		}
		if !h.entries[child].before(e) {
			break
		}
		h.entries[i] = h.entries[child]
		i = child
	}
	h.entries[i] = e
}
