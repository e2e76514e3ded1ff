package pipeline

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Views lists what can be seen: of the program what the reference program shows, of the chip its
// ports and what the program takes of it.
func (e *Engine) Views() []dataplane.View { return append(e.Table.Views(), e.chip.Views()...) }

// View returns one of them.
func (e *Engine) View(now units.Time, v dataplane.View, limit int) dataplane.Table {
	if slices.Contains(e.Table.Views(), v) {
		t := e.Table.View(now, v, limit)
		if n := e.differing(); v == dataplane.ViewSlots && n > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("of %d the halves are not the same packets'", n))
		}
		return t
	}
	t := e.chip.View(now, v, limit)
	if v == dataplane.ViewResources {
		t.Notes = append(t.Notes, fmt.Sprintf("passes of this program: %d, 1 of a packet that is not for it", passes))
	}
	return t
}

// passes is how many a packet takes that is added, collides, or frees.
const passes = 2

// differing returns how many aggregators have halves that are not of the same workers: between
// two passes, or since a packet was lost there.
func (e *Engine) differing() (n int) {
	s := &e.state
	for i := 0; i < s.aggregators && e.watch.halves > 0; i++ {
		k := s.aggregators + i
		if s.id(i) != s.id(k) || s.id(i) != 0 && s.read(s.bitmap, i) != s.read(s.bitmap, k) {
			n++
		}
	}
	return n
}
