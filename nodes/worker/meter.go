package worker

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/meter"
)

// meter counts what comes to the machine by interval, unless that is zero. It stands inside the
// transport of byte streams: with the kernel's TCP, too, the machine is given bytes in order.
func (w *Worker) meter(interval units.Duration) {
	if w.Meter = meter.New(interval); w.Meter != nil {
		w.Machine = &meter.Machine{Machine: w.Machine, Meter: w.Meter}
	}
	core, ok := w.Job.Core().(contributions)
	if !ok {
		return
	}
	if w.Adding = meter.NewAdding(&adder{w.Machine, core}, interval); w.Adding != nil {
		w.Machine = w.Adding
	}
}

// contributions is a core with a server beside the worker, as [meter.Adder] has it.
type contributions interface {
	Contributions() (inSwitches, atServer uint64)
}

// adder is the job around such a core.
type adder struct {
	sansio.Machine
	contributions
}
