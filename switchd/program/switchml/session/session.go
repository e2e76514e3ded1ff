package session

import (
	"errors"
	"slices"

	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// Session is a UdpSession or, with RDMA, an RdmaSession.
type Session struct {
	ID         uint64
	Rank       uint32
	Workers    uint32
	MAC        uint64 // first octet most significant
	Addr       uint32 // host order
	PacketSize int32  // 0 to 3: 128, 256, 512, 1024 bytes of values
	RDMA       *RDMA
}

// RDMA is what an RdmaSession says beside that.
type RDMA struct {
	switchml.Queues
	MessageBytes uint32
}

// Opened is the answer to a session.
type Opened struct {
	MAC  uint64 // of the switch, as in the request
	Addr uint32
	RDMA switchml.Queues // its ends of the client's queue pairs; none without RDMA
}

// Change is what a session comes to on the engine: jobs to remove, known to it or
// not, then a job to add, in one step. Nothing of it is to be changed.
type Change struct {
	Remove []int
	Add    *switchml.Job // nil: none

	client  *client
	session Session
	target  *job         // that is opened or joined
	doc     switchml.Job // what it will be
	gone    []*job       // of Remove, that are not target
}

// Empty reports whether there is nothing to do on the engine.
func (c *Change) Empty() bool { return len(c.Remove) == 0 && c.Add == nil }

// job is one job and the connections of its workers.
type job struct {
	doc   switchml.Job
	conns [switchml.MaxRanks]Conn // by rank, of those in doc
	evict bool                    // its clients are gone, and its room is needed

	refused string // why the engine takes its packets no more; empty: it does
}

// Prepare returns what a session comes to, and changes nothing but the notes on
// its client. A fault ends the call.
func (m *Machine) Prepare(conn Conn, s Session) (Change, *Fault) {
	c := m.clients[conn]
	if c == nil {
		return Change{}, fault(Aborted, "%s: the connection has ended: connect again", s.name())
	}
	w, f := m.resolve(&s)
	if f != nil {
		return Change{}, c.refused(f)
	}
	if !slices.Contains(c.ranks, int(w.ID)) {
		c.ranks = append(c.ranks, int(w.ID))
	}
	change := Change{client: c, session: s}
	if s.Rank == 0 {
		f = m.begin(&change, w)
	} else {
		f = m.join(&change, w)
	}
	return change, c.refused(f)
}

// refused notes why a session fails, for who asks who is missing.
func (c *client) refused(f *Fault) *Fault {
	c.fault = ""
	if f != nil {
		c.fault = f.Text
	}
	return f
}

// Settle is told how a change went. A [*dataplane.Refusal] means that jobs were
// removed and the new one was not added; any other error that nothing was done.
// Where again is true, the session is to be prepared again.
func (m *Machine) Settle(c Change, err error) (again bool, f *Fault) {
	var refusal *dataplane.Refusal
	if err != nil && !errors.As(err, &refusal) {
		return false, c.client.refused(fault(Unavailable, "%s: %v", c.session.name(), err))
	}
	for _, j := range c.gone {
		m.drop(j, &c)
	}
	if refusal == nil {
		m.commit(&c)
		return false, c.client.refused(nil)
	}
	if slices.Contains(c.Remove, int(c.target.doc.ID)) { // it was to be replaced
		m.drop(c.target, &c)
	}
	if m.makeRoom(refusal, c.Add.ID) {
		return true, nil
	}
	return false, c.client.refused(m.refusal(&c, refusal))
}

func (m *Machine) refusal(c *Change, r *dataplane.Refusal) *Fault {
	kind := OutOfOrder
	switch r.Reason {
	case dataplane.RefusedNoRoom:
		kind = NoRoom
	case dataplane.RefusedIDTaken:
		kind = Exists
	}
	return fault(kind, "%s: job %d: %s: %s", c.session.name(), c.session.ID, r.What, r.Fix)
}

// makeRoom reports whether a job that was refused may be added after all: in the
// place of one without clients, or by a number that nobody else gave out.
func (m *Machine) makeRoom(r *dataplane.Refusal, id uint8) bool {
	switch r.Reason {
	case dataplane.RefusedIDTaken:
		m.foreign[id] = true
		return true
	case dataplane.RefusedNoRoom:
		for _, j := range m.jobs {
			if !j.evict && m.abandoned(j) {
				j.evict = true
				return true
			}
		}
	}
	return false
}

// commit enters the worker into its job.
func (m *Machine) commit(c *Change) {
	if !slices.Contains(m.jobs, c.target) {
		m.jobs = append(m.jobs, c.target)
	}
	c.target.doc = c.doc
	c.target.conns[c.session.Rank] = c.client.conn
	c.client.job = c.target
}

// drop forgets a job. Who waits at a barrier since being in it waits in vain.
func (m *Machine) drop(j *job, by *Change) {
	m.jobs = slices.DeleteFunc(m.jobs, func(other *job) bool { return other == j })
	for _, h := range m.cohorts {
		h.waiting = slices.DeleteFunc(h.waiting, func(w waiter) bool {
			stale := w.round == atBarrier && w.client.job == j
			if stale {
				m.answer(w.call, 0, fault(Aborted, "Barrier: job %d ended when rank %d at %s opened job %d: start all workers again",
					j.doc.Session, by.session.Rank, by.client.addr, by.session.ID))
			}
			return stale
		})
	}
	for _, conn := range j.conns {
		if c := m.clients[conn]; c != nil && c.job == j {
			c.job = nil
		}
	}
	m.tidy()
}

// Opened returns the answer to a session that was settled.
func (m *Machine) Opened(s Session) Opened {
	a := m.cfg.Addr.As4()
	out := Opened{MAC: macNumber(m.cfg.MAC), Addr: uint32(a[0])<<24 | uint32(a[1])<<16 | uint32(a[2])<<8 | uint32(a[3])}
	if s.RDMA == nil {
		return out
	}
	out.RDMA.RKey = switchml.PoolRKey
	for i := range s.RDMA.QPNs {
		out.RDMA.QPNs = append(out.RDMA.QPNs, switchml.QPN(int(s.Rank), i))
		out.RDMA.PSNs = append(out.RDMA.PSNs, switchml.FirstPSN)
	}
	return out
}

func (s *Session) name() string {
	if s.RDMA != nil {
		return "RdmaSession"
	}
	return "UdpSession"
}
