package pipeline

import "fmt"

// refuse has the jobs that the batch at hand has shown to be misfits take no packets any more:
// the entries of their workers drop what comes. Packets that are inside go on.
func (e *Engine) refuse() {
	for _, j := range e.watch.misfits {
		e.Refuse(j)
		if err := e.turnAway(j); err != nil {
			panic(fmt.Sprintf("refusing job %d: %v", j.ID, err)) // the table has had as many entries
		}
	}
	e.watch.misfits = e.watch.misfits[:0]
}

// turnAway puts entries that drop in the place of those of a job's workers.
func (e *Engine) turnAway(j *job) error {
	kept := j.entries[:0]
	for _, p := range j.entries {
		if p.table != tablePeers && p.table != tableFirstPeers {
			kept = append(kept, p)
			continue
		}
		if err := e.chip.RemoveEntry(p.table, p.id); err != nil {
			return err
		}
	}
	j.entries = kept
	for i := range j.Workers {
		for _, m := range e.members(j, i) {
			if err := e.peer(j, m); err != nil {
				return err
			}
		}
	}
	return nil
}
