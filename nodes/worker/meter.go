package worker

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/meter"
)

// meter counts what comes to the machine by interval, unless that is zero. It stands inside the
// transport of byte streams: with the kernel's TCP, too, the machine is given bytes in order.
func (w *Worker) meter(interval units.Duration) {
	if w.Meter = meter.New(interval); w.Meter != nil {
		w.Machine = &meter.Machine{Machine: w.Machine, Meter: w.Meter}
	}
}
