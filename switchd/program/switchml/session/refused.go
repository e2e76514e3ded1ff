package session

import (
	"slices"

	"github.com/inalab/inalab/switchd/dataplane"
)

// Refused is told which jobs the engine has refused and still has. Who waits at a barrier
// since being in one is told, and who calls one later.
func (m *Machine) Refused(list []dataplane.JobRefusal) {
	for _, r := range list {
		for _, j := range m.jobs {
			if j.doc.ID == r.Job && j.refused == "" {
				j.refused = r.Why
				m.tellRefused(j)
			}
		}
	}
	m.tidy()
}

// tellRefused ends the barriers of a job's clients.
func (m *Machine) tellRefused(j *job) {
	for _, h := range m.cohorts {
		h.waiting = slices.DeleteFunc(h.waiting, func(w waiter) bool {
			refused := w.round == atBarrier && w.client.job == j
			if refused {
				m.answer(w.call, 0, fault(OutOfOrder, "Barrier: %s; then start all workers again", j.refused))
			}
			return refused
		})
	}
}
