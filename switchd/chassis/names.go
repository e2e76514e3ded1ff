package chassis

import (
	"cmp"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Programs returns what runs on a PFE, the system's program first.
func (c *Chassis) Programs(pfe int) (out []dataplane.Running) {
	for _, e := range c.engines {
		if e.pfe == pfe {
			out = append(out, dataplane.Running{Program: cmp.Or(e.title, e.system), System: !e.isProgram(), Engine: e.Engine})
		}
	}
	return out
}

// SetValue writes a name of a program of a PFE, as [dataplane.Named] says. It must not be called
// within Handle or Expire.
func (c *Chassis) SetValue(now units.Time, pfe int, program string, w dataplane.Write) (dataplane.Written, error) {
	for _, e := range c.engines {
		n, ok := e.Engine.(dataplane.Named)
		if !ok || e.pfe != pfe || cmp.Or(e.title, e.system) != program {
			continue
		}
		written, err := n.SetValue(now, w)
		e.part.next = e.NextDeadline() // a record may give a timer something to do
		return written, err
	}
	return dataplane.Written{}, dataplane.Refuse(dataplane.RefusedFixed, "name a program in Microcode", "%s of %s has no names that can be written", program, c.engineName(pfe))
}

// RaiseEvent raises an external event of a program of a PFE ([dataplane.Eventful]). Its thread
// starts with the next Expire or Handle, which is due at once. An error is a
// [*dataplane.Refusal]. It must not be called within Handle or Expire.
func (c *Chassis) RaiseEvent(now units.Time, pfe int, program, event string, value uint32) error {
	for _, e := range c.engines {
		f, ok := e.Engine.(dataplane.Eventful)
		if !ok || e.pfe != pfe || cmp.Or(e.title, e.system) != program {
			continue
		}
		if err := f.RaiseEvent(now, event, value); err != nil {
			return err
		}
		e.part.next = e.NextDeadline()
		return nil
	}
	return dataplane.Refuse(dataplane.RefusedEvent, "run a program in Microcode that declares it", "%s runs no program %q with events", c.engineName(pfe), program)
}
