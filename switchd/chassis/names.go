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
