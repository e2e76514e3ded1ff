package reference

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	switchmljob "github.com/inalab/inalab/switchd/program/switchml"
)

// AddJob sets up a job as a [switchmljob.Job] says. Its registers are as at power
// up, whoever had them before: rank 0 resets a job by removing and adding it.
func (p *Program) AddJob(_ units.Time, d dataplane.Document) (uint8, error) {
	doc, err := switchmljob.Of(d)
	if err != nil {
		return 0, err
	}
	if doc.RDMA != nil {
		return 0, dataplane.Refuse(dataplane.RefusedUnsupported, "use UdpSession", "job %d is of RDMA clients, and the program of %s speaks UDP alone", doc.ID, p.cfg.Node)
	}
	j := Job{ID: uint8(doc.ID), Session: doc.Session, Elements: doc.Elements, Slots: doc.Slots, NumWorkers: doc.NumWorkers}
	for _, w := range doc.Workers {
		j.Workers = append(j.Workers, Worker{ID: uint8(w.Rank), MAC: w.MAC, Addr: w.Addr, Port: w.Port})
	}
	if r := p.add(j); r != nil {
		return 0, r
	}
	return j.ID, nil
}

// RemoveJob takes a job out and gives its slots back.
func (p *Program) RemoveJob(_ units.Time, id uint8) (dataplane.Removed, error) {
	at, ok := p.find(id)
	if !ok {
		return dataplane.Removed{}, dataplane.RefuseUnknown(int(id), p.cfg.Node)
	}
	j := p.jobs[at]
	out := dataplane.Removed{OpenBlocks: j.open(), Counters: j.count.List()}
	if out.OpenBlocks > 0 {
		p.count.Add(CountRemoved, uint64(out.OpenBlocks))
	}
	for i := range j.Workers {
		delete(p.members, j.Workers[i].channel())
	}
	if j.Parent != nil {
		delete(p.parents, j.Parent.channel())
	}
	p.jobs = slices.Delete(p.jobs, at, at+1)
	p.pool.Free(int(id))
	return out, nil
}

// find returns the index of a job, or where it would be.
func (p *Program) find(id uint8) (at int, ok bool) {
	return slices.BinarySearchFunc(p.jobs, id, func(j *job, id uint8) int { return cmp.Compare(j.ID, id) })
}

func (w *Worker) channel() channel { return channel{w.Addr.As4(), w.udp()} }

func (u *Parent) channel() channel { return channel{u.Addr.As4(), u.udp()} }

// add puts a job beside the others, or says what keeps it from there; then nothing
// has changed.
func (p *Program) add(j Job) *dataplane.Refusal {
	at, taken := p.find(j.ID)
	if taken {
		return dataplane.RefuseTaken(int(j.ID), p.cfg.Node)
	}
	if r := p.admit(&j); r != nil {
		return r
	}
	base, ok := p.pool.Take(int(j.ID), j.Slots)
	if !ok {
		return p.full(&j)
	}
	added := p.cfg.newJob(j, base)
	p.jobs = slices.Insert(p.jobs, at, added)
	for i := range j.Workers {
		p.members[j.Workers[i].channel()] = member{added, i}
	}
	if j.Parent != nil {
		p.parents[j.Parent.channel()] = added
	}
	return nil
}

// admit refuses a job whose packets could be taken for those of another.
func (p *Program) admit(j *Job) *dataplane.Refusal {
	for i := range j.Workers {
		w := &j.Workers[i]
		switch m, ok := p.members[w.channel()]; {
		case ok:
			return dataplane.Refuse(dataplane.RefusedSource, "remove that job first",
				"job %d: worker %d at %v is in job %d on %s", j.ID, j.idOf(i), w.Addr, m.job.ID, p.cfg.Node)
		case p.parents[w.channel()] != nil, j.Parent != nil && j.Parent.channel() == w.channel():
			return dataplane.Refuse(dataplane.RefusedSource, "give levels different switches",
				"job %d: worker %d at %v is the parent of a job on %s", j.ID, j.idOf(i), w.Addr, p.cfg.Node)
		}
	}
	if j.Parent == nil {
		return nil
	}
	m, worker := p.members[j.Parent.channel()]
	other := p.parents[j.Parent.channel()]
	switch {
	case worker:
		return dataplane.Refuse(dataplane.RefusedSource, "give levels different switches", "job %d: its parent at %v is a worker of job %d on %s", j.ID, j.Parent.Addr, m.job.ID, p.cfg.Node)
	case other != nil:
		return dataplane.Refuse(dataplane.RefusedSource, "give each job a UDP port of its own between switches",
			"job %d: results from %v, UDP port %d, are those of job %d on %s", j.ID, j.Parent.Addr, j.Parent.udp(), other.ID, p.cfg.Node)
	}
	return nil
}

func (p *Program) full(j *Job) *dataplane.Refusal {
	all, longest := p.pool.Left()
	pieces := ""
	if longest < all {
		pieces = fmt.Sprintf(", %d of them in one piece at most", longest)
	}
	return dataplane.Refuse(dataplane.RefusedNoRoom, "end a job first, or give jobs fewer slots",
		"job %d wants %d slots on %s, where %d of %d are left%s", j.ID, j.Slots, p.cfg.Node, all, p.cfg.Pool, pieces)
}
