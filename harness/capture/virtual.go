package capture

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Virtual is a capture whose clock is virtual: its times are those of the run, which begins in
// 1970.
type Virtual struct{ Capture *Capture }

// Index returns the place of a tap; ok is false where there is none.
func (v Virtual) Index(node, iface string) (tap int, ok bool) {
	return v.Capture.cfg.Lab.Index(node, iface)
}

// Train takes what passes a tap, out of its node or in.
func (v Virtual) Train(at units.Time, tap int, out bool, t *sansio.Train) {
	v.Capture.Train(nanoseconds(at), tap, out, t)
}

// Event takes an event of a switch.
func (v Virtual) Event(e *trace.Event) { v.Capture.Event(nanoseconds(e.At), e) }

func nanoseconds(at units.Time) int64 { return int64(at) / int64(units.Nanosecond) }
