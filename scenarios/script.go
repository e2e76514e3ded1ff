package scenarios

import (
	"errors"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/topo/linktext"
)

// checkScripts says where packets stand that links are to lose by name, and that there cannot be: in the
// scenario, or in the topology file of the run, which may be nil.
func (s *Scenario) checkScripts(f *TopologyFile, set *job.Set) error {
	err := set.CheckScripts()
	var wrong *job.ScriptError
	if !errors.As(err, &wrong) {
		return err
	}
	key := ".job"
	if wrong.NoSlot {
		key = ".slot"
	}
	raw := s.doc.raw()
	if at, ok := linktext.WhereDropped(&raw, wrong.Job, wrong.Slot); ok {
		return s.doc.Wrong(at+key, err)
	}
	if f == nil {
		return err
	}
	if at, ok := f.WhereDropped(wrong.Job, wrong.Slot); ok {
		return f.Wrong(at+key, err)
	}
	return err
}
