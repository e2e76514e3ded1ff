package switchml

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/switchd/dataplane"
)

// AddAll adds the jobs of a configuration, up to the first that is refused.
func (t *Table[K]) AddAll(jobs []Job, setUp func(Entry) (K, error)) error {
	for i := range jobs {
		if _, err := t.Add(&jobs[i], setUp); err != nil {
			return err
		}
	}
	return nil
}

// Add adds the job that a document is, once the program has set it up. An error is a
// [*dataplane.Refusal], and nothing has changed.
func (t *Table[K]) Add(d dataplane.Document, setUp func(Entry) (K, error)) (id uint8, err error) {
	said, ok := d.(*Job)
	if !ok {
		return 0, dataplane.RefuseOther(d, Protocol, "give --slots, and --elements if these are not 256, without the caps and addresses of Trio-ML")
	}
	j := said.resolved(t.router)
	if r := t.admit(&j); r != nil {
		return 0, r
	}
	base, ok := t.pool.Take(int(j.ID), j.Slots)
	if !ok {
		return 0, t.full(&j)
	}
	e := Entry{Job: j, Base: base}
	for i := range j.Workers {
		e.Everybody.Set(j.Workers[i].ID)
	}
	kept, err := setUp(e)
	if err != nil {
		t.pool.Free(int(j.ID))
		return 0, dataplane.Refuse(dataplane.RefusedNoRoom, "remove a job", "job %d: %s: %v", j.ID, t.node, err)
	}
	at, _ := t.search(j.ID)
	t.jobs = slices.Insert(t.jobs, at, kept)
	for i := range j.Workers {
		t.members[j.Workers[i].channel()] = member[K]{kept, i}
	}
	if j.Parent != nil {
		t.parents[j.Parent.channel()] = kept
	}
	return j.ID, nil
}

// Remove takes a job out and gives its slots back. It returns what the program has kept
// of it. An error is a [*dataplane.Refusal], and nothing has changed.
func (t *Table[K]) Remove(id uint8) (job K, out dataplane.Removed, err error) {
	at, ok := t.search(id)
	if !ok {
		return job, out, dataplane.RefuseUnknown(int(id), t.node)
	}
	job = t.jobs[at]
	e := job.entry()
	for i := range e.Workers {
		delete(t.members, e.Workers[i].channel())
	}
	if e.Parent != nil {
		delete(t.parents, e.Parent.channel())
	}
	t.jobs = slices.Delete(t.jobs, at, at+1)
	t.pool.Free(int(id))
	return job, dataplane.Removed{OpenBlocks: countOpen(job), Counters: e.Counts.List()}, nil
}

// admit refuses a job that no program, this one or this switch cannot have.
func (t *Table[K]) admit(j *Job) *dataplane.Refusal {
	if r := j.check(t.limits.Workers); r != nil {
		return r
	}
	switch rdma := j.RDMA != nil; {
	case rdma && !t.limits.RoCE:
		return dataplane.Refuse(dataplane.RefusedUnsupported, "use UdpSession",
			"job %d is of RDMA clients, and the program of %s speaks UDP alone", j.ID, t.node)
	case !rdma && !t.limits.UDP:
		return dataplane.Refuse(dataplane.RefusedUnsupported, "use RdmaSession",
			"job %d is of UDP clients, and the program of %s speaks RoCE alone", j.ID, t.node)
	}
	if t.limits.Check != nil {
		if r := t.limits.Check(j); r != nil {
			return r
		}
	}
	if _, taken := t.search(j.ID); taken {
		return dataplane.RefuseTaken(int(j.ID), t.node)
	}
	return t.apart(j)
}

// apart refuses a job whose packets could be taken for those of another.
func (t *Table[K]) apart(j *Job) *dataplane.Refusal {
	refuse := func(fix, format string, args ...any) *dataplane.Refusal {
		return dataplane.Refuse(dataplane.RefusedSource, fix, "job %d: "+format+" on %s", append(append([]any{j.ID}, args...), t.node)...)
	}
	const levels = "give levels different switches"
	for i := range j.Workers {
		w := &j.Workers[i]
		c := w.channel()
		other, member := t.members[c]
		_, parent := t.parents[c]
		switch {
		case member:
			return refuse("remove that job first", "worker %d at %v is in job %d", w.ID, w.Addr, other.job.entry().ID)
		case parent, j.Parent != nil && j.Parent.channel() == c:
			return refuse(levels, "worker %d at %v is the parent of a job", w.ID, w.Addr)
		}
	}
	u := j.Parent
	if u == nil {
		return nil
	}
	if m, ok := t.members[u.channel()]; ok {
		return refuse(levels, "its parent at %v is a worker of job %d", u.Addr, m.job.entry().ID)
	}
	if other, ok := t.parents[u.channel()]; ok {
		return refuse("give each job a UDP port of its own between switches",
			"results from %v, UDP port %d, are those of job %d", u.Addr, u.UDP, other.entry().ID)
	}
	return nil
}

func (t *Table[K]) full(j *Job) *dataplane.Refusal {
	all, longest := t.pool.Left()
	pieces := ""
	if longest < all {
		pieces = fmt.Sprintf(", %d of them in one piece at most", longest)
	}
	return dataplane.Refuse(dataplane.RefusedNoRoom, "end a job first, or give jobs fewer slots",
		"job %d wants %d slots on %s, where %d of %d are left%s", j.ID, j.Slots, t.node, all, t.pool.Slots, pieces)
}
