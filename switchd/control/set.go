package control

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// set writes a name in every program that has it, of those that the request concerns. A
// record of the hash table is written where it is.
func set(now units.Time, sw Switch, pfe int, r Request, out *Response) error {
	all, err := programs(sw, pfe, r.Program)
	if err != nil {
		return err
	}
	var refused error
	named := false
	for _, p := range all {
		if _, ok := p.Engine.(dataplane.Named); !ok {
			continue
		}
		named = true
		w, err := sw.SetValue(now, p.pfe, p.Program, *r.Set)
		switch {
		case err == nil:
			out.Written = append(out.Written, Written{sw.PFEs()[p.pfe], p.Program, w})
		case !isAbsent(err):
			return errors.Join(err, alreadyWritten(out.Written))
		default:
			refused = firstOf(refused, err)
		}
	}
	switch {
	case len(out.Written) > 0:
		return nil
	case !named:
		return dataplane.Refuse(dataplane.RefusedFixed, "run a program in Microcode", "no program of %s has names that can be written", sw.Plan().Name)
	}
	return refused
}

// isAbsent reports whether a program refused because what is to be written is not there.
func isAbsent(err error) bool {
	r := (*dataplane.Refusal)(nil)
	return isUnknown(err) || errors.As(err, &r) && r.Reason == dataplane.RefusedRecord
}

// alreadyWritten tells of what was written before a program refused.
func alreadyWritten(list []Written) error {
	if len(list) == 0 {
		return nil
	}
	return fmt.Errorf("it was written in %d programs before, as on %s", len(list), list[0].PFE)
}
