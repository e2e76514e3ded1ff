package pipeline

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Views lists what can be seen: of the program what the reference program shows, of
// the chip its ports and what the program takes of it.
func (e *Engine) Views() []dataplane.View {
	return append(e.Table.Views(), e.chip.Views()...)
}

// View returns one of them.
func (e *Engine) View(now units.Time, v dataplane.View, limit int) dataplane.Table {
	if slices.Contains(e.Table.Views(), v) {
		return e.Table.View(now, v, limit)
	}
	t := e.chip.View(now, v, limit)
	if v == dataplane.ViewResources {
		t.Notes = append(t.Notes, e.passNote())
	}
	return t
}

func (e *Engine) passNote() string {
	if e.opts.Half {
		return fmt.Sprintf("passes of this program: %d, %d where that is answered", HalfPasses(false), HalfPasses(true))
	}
	return fmt.Sprintf("passes of this program: %d with 64 values, %d where that is answered; %d with 256, %d where that is answered",
		Passes(64, false), Passes(64, true), Passes(256, false), Passes(256, true))
}

// HalfPasses is Passes for the variant for 16-bit floats.
func HalfPasses(answered bool) int {
	if answered {
		return passLower + groups
	}
	return 2
}

// Passes returns how many passes through an ingress a packet of 64 or 256 values
// takes that is added; or that is answered, since it completes its slot or has been
// seen in one that is complete.
func Passes(elements int, answered bool) int {
	halves := 2 * elements / (2 * lanes)
	switch writes := halves / 2; {
	case !answered:
		return writes
	default:
		return writes + halves - 1 // the first half is read with the last that is written
	}
}
