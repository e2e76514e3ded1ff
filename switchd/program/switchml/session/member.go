package session

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/topo/plan"
)

// begin opens a job for rank 0, in the place of what it had open.
func (m *Machine) begin(c *Change, w switchml.Worker) *Fault {
	s := &c.session
	for _, j := range m.jobs {
		old := &j.doc.Workers[0]
		switch {
		case j.evict:
		case j.doc.Session != s.ID:
			continue
		case (old.MAC != w.MAC || old.Addr != w.Addr) && !m.abandoned(j):
			return fault(Exists, "%s: there is a job %d on %s already, with rank 0 at %v %v: give this one another session_id, or end that one first",
				s.name(), s.ID, m.cfg.Switch, plan.MAC(old.MAC), old.Addr)
		case m.holder(j, 0) != c.client && m.attended(j):
			return fault(Exists, "%s: rank 0 of job %d is the client at %s, and all its workers are connected: end one of the two, or give this one another session_id",
				s.name(), s.ID, m.holder(j, 0).addr)
		}
		c.remove(j)
	}
	if f := m.claim(c, w); f != nil {
		return f
	}
	id := m.freeID(c)
	if id < 0 {
		m.foreign = [dataplane.MaxJobID + 1]bool{}
		return fault(NoRoom, "%s: job %d: %s has %d jobs: end one first", s.name(), s.ID, m.cfg.Switch, dataplane.MaxJobID)
	}
	c.doc = switchml.Job{ID: uint8(id), Session: s.ID, Strict: s.RDMA == nil, Elements: elementsOf(s.PacketSize), Slots: m.cfg.Slots, NumWorkers: int(s.Workers), Workers: []switchml.Worker{w}}
	if s.RDMA != nil {
		c.doc.RDMA = &switchml.RDMA{MessageBytes: int(s.RDMA.MessageBytes)}
	}
	c.target, c.Add = &job{doc: c.doc}, &c.doc
	return c.check()
}

// join enters a further rank into its job, which is set up when that was the last.
func (m *Machine) join(c *Change, w switchml.Worker) *Fault {
	s := &c.session
	i := slices.IndexFunc(m.jobs, func(j *job) bool { return j.doc.Session == s.ID })
	if i < 0 {
		return fault(OutOfOrder, "%s: rank %d: there is no job %d on %s: let rank 0 open it first, and wait for it with a Barrier", s.name(), w.ID, s.ID, m.cfg.Switch)
	}
	j := m.jobs[i]
	if f := s.fits(&j.doc); f != nil {
		return f
	}
	if j.refused != "" {
		return fault(OutOfOrder, "%s: %s; then let rank 0 open the job again", s.name(), j.refused)
	}
	c.target, c.doc = j, j.doc
	at, found := slices.BinarySearchFunc(j.doc.Workers, w.ID, func(v switchml.Worker, rank uint8) int { return cmp.Compare(v.ID, rank) })
	if found {
		if old := &j.doc.Workers[at]; old.MAC != w.MAC || old.Addr != w.Addr || !sameQueues(old.RDMA, w.RDMA) {
			return fault(Exists, "%s: rank %d of job %d is %v %v already: let rank 0 open the job again, which resets it", s.name(), w.ID, s.ID, plan.MAC(old.MAC), old.Addr)
		}
		if holder := m.holder(j, w.ID); holder != nil && holder != c.client {
			return fault(Exists, "%s: rank %d of job %d is the client at %s, which is connected: end one of the two, or give this one a rank of its own", s.name(), w.ID, s.ID, holder.addr)
		}
		return nil
	}
	c.doc.Workers = slices.Insert(slices.Clone(j.doc.Workers), at, w)
	if f := c.check(); f != nil {
		return f
	}
	if f := m.claim(c, w); f != nil {
		return f
	}
	if c.doc.Complete() {
		c.Remove, c.Add = append(c.Remove, int(j.doc.ID)), &c.doc
	}
	return nil
}

// fits returns what of a session is not as rank 0 said.
func (s *Session) fits(d *switchml.Job) *Fault {
	switch {
	case int(s.Workers) != d.NumWorkers:
		return fault(Invalid, "%s: rank %d says that job %d has %d workers, rank 0 said %d: give all one number", s.name(), s.Rank, s.ID, s.Workers, d.NumWorkers)
	case elementsOf(s.PacketSize) != d.Elements:
		return fault(Invalid, "%s: rank %d says that job %d has %d values a packet, rank 0 said %d: give all one packet_size", s.name(), s.Rank, s.ID, elementsOf(s.PacketSize), d.Elements)
	case s.RDMA != nil && d.RDMA != nil && int(s.RDMA.MessageBytes) != d.RDMA.MessageBytes:
		return fault(Invalid, "%s: rank %d says that job %d has messages of %d bytes, rank 0 said %d: give all one message_size", s.name(), s.Rank, s.ID, s.RDMA.MessageBytes, d.RDMA.MessageBytes)
	}
	return nil
}

// check returns what is wrong with the job that a change makes.
func (c *Change) check() *Fault {
	if r := c.doc.Check(); r != nil {
		return fault(Invalid, "%s: rank %d of job %d: %s: %s", c.session.name(), c.session.Rank, c.session.ID, r.What, r.Fix)
	}
	return nil
}

// claim removes the jobs that had a worker's addresses, where its client there has
// gone or is the one that asks. A packet's source address says which job it is of,
// so no worker is in two.
func (m *Machine) claim(c *Change, w switchml.Worker) *Fault {
	for _, j := range m.jobs {
		if j == c.target || slices.Contains(c.gone, j) {
			continue
		}
		for _, v := range j.doc.Workers {
			if v.MAC != w.MAC && v.Addr != w.Addr {
				continue
			}
			if holder := m.holder(j, v.ID); holder != nil && holder != c.client {
				return fault(Exists, "%s: rank %d of job %d: %v %v is rank %d of job %d, whose client at %s is connected: end that first",
					c.session.name(), w.ID, c.session.ID, plan.MAC(v.MAC), v.Addr, v.ID, j.doc.Session, holder.addr)
			}
			c.remove(j)
			break
		}
	}
	return nil
}

func (c *Change) remove(j *job) {
	c.Remove, c.gone = append(c.Remove, int(j.doc.ID)), append(c.gone, j)
}

// holder returns the client of a rank of a job; nil: it has hung up.
func (m *Machine) holder(j *job, rank uint8) *client { return m.clients[j.conns[rank]] }

// attended reports whether a job is in use: set up, and the clients of all its ranks are
// connected.
func (m *Machine) attended(j *job) bool {
	return j.doc.Complete() && j.refused == "" && !slices.ContainsFunc(j.doc.Workers, func(w switchml.Worker) bool { return m.holder(j, w.ID) == nil })
}

// abandoned reports whether no client of a job is connected.
func (m *Machine) abandoned(j *job) bool {
	return !slices.ContainsFunc(j.doc.Workers, func(w switchml.Worker) bool { return m.holder(j, w.ID) != nil })
}

// freeID returns the lowest job number that is free after a change, or -1.
func (m *Machine) freeID(c *Change) int {
	taken := m.foreign
	for _, j := range m.jobs {
		if !slices.Contains(c.gone, j) {
			taken[j.doc.ID] = true
		}
	}
	for id := 1; id <= dataplane.MaxJobID; id++ {
		if !taken[id] {
			return id
		}
	}
	return -1
}
