package switchml

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/plan"
)

// Check returns what is wrong with a job for every program; nil: nothing.
func (j *Job) Check() *dataplane.Refusal {
	whole := j.resolved(netip.Addr{})
	return whole.check(MaxWorkers)
}

// check is Check of a job that is resolved, for a program that takes so many workers.
func (j *Job) check(most int) *dataplane.Refusal {
	if j.NumWorkers != 0 {
		most = min(most, MaxRanks)
	}
	n := len(j.Workers)
	switch {
	case j.Elements != 32 && j.Elements != 64 && j.Elements != 256:
		return dataplane.Refuse(dataplane.RefusedDocument, "use 64 or 256, or 32 in the reference program", "job %d has %d values a packet", j.ID, j.Elements)
	case j.Slots < 1 || j.Slots > MaxSlots:
		return dataplane.Refuse(dataplane.RefusedNoRoom, fmt.Sprintf("use 1 to %d", MaxSlots), "job %d wants %d slots", j.ID, j.Slots)
	case n < 1 || j.NumWorkers < 0 || j.RDMA != nil && j.NumWorkers == 0:
		return dataplane.Refuse(dataplane.RefusedNoSources, fmt.Sprintf("name 1 to %d workers", min(most, MaxRanks)), "job %d has %s", j.ID, j.size())
	case max(n, j.NumWorkers) > most:
		return dataplane.Refuse(dataplane.RefusedManySources, fmt.Sprintf("name at most %d: a slot's bitmap has %d bits", most, most),
			"job %d has %s", j.ID, j.size())
	case j.NumWorkers != 0 && n > j.NumWorkers:
		return dataplane.Refuse(dataplane.RefusedManySources, "name no more than it is made for", "job %d has %s", j.ID, j.size())
	}
	for i := range j.Workers {
		if r := j.checkWorker(i); r != nil {
			return r
		}
	}
	if u := j.Parent; u != nil && (!u.Addr.Is4() || u.Self.IsValid() && !u.Self.Is4()) {
		return dataplane.Refuse(dataplane.RefusedResult, "give IPv4 addresses", "job %d: its parent at %v knows this switch as %v", j.ID, u.Addr, u.Self)
	}
	return j.checkRDMA()
}

// size says how many workers there are, and are to be.
func (j *Job) size() string {
	if j.NumWorkers == 0 && j.RDMA == nil {
		return fmt.Sprintf("%d workers", len(j.Workers))
	}
	return fmt.Sprintf("%d of %d workers", len(j.Workers), j.NumWorkers)
}

// member is what its clients call a worker.
func (j *Job) member() string {
	if j.NumWorkers != 0 {
		return "rank"
	}
	return "worker"
}

// checkWorker checks a worker against those before it.
func (j *Job) checkWorker(i int) *dataplane.Refusal {
	w := &j.Workers[i]
	refuse := func(fix, format string, args ...any) *dataplane.Refusal {
		return dataplane.Refuse(dataplane.RefusedSource, fix, "job %d"+format, append([]any{j.ID}, args...)...)
	}
	switch {
	case j.NumWorkers != 0 && (int(w.ID) >= j.NumWorkers || i > 0 && w.ID <= j.Workers[i-1].ID):
		return refuse("name ranks below num_workers, once, in order", " has a worker of rank %d in place %d", w.ID, i)
	case !w.Addr.Is4() || w.Addr.IsUnspecified():
		return refuse("give an IPv4 address", ": %s %d has address %v", j.member(), w.ID, w.Addr)
	case w.MAC == inet.MAC{} || w.MAC.IsMulticast():
		return refuse("give the address of its interface", ": %s %d has MAC %v", j.member(), w.ID, plan.MAC(w.MAC))
	}
	for k := range j.Workers[:i] {
		switch v := &j.Workers[k]; {
		case v.ID == w.ID:
			return refuse("give each worker an id of its own", ": %ss %d and %d share an id, %d", j.member(), k, i, w.ID)
		case v.channel() == w.channel(),
			v.MAC == w.MAC && v.UDP == wire.Port && w.UDP == wire.Port: // hosts, not engines of one chassis
			return refuse("give each worker an interface of its own", ": %ss %d and %d share an address, %v %v", j.member(), v.ID, w.ID, plan.MAC(w.MAC), w.Addr)
		}
	}
	return nil
}

func (j *Job) checkRDMA() *dataplane.Refusal {
	packet := 4 * j.Elements
	switch r := j.RDMA; {
	case r == nil:
	case j.Elements == 32:
		return dataplane.Refuse(dataplane.RefusedDocument, "use 64 or 256", "job %d is of RDMA clients and has %d values a packet", j.ID, j.Elements)
	case j.Parent != nil || slices.ContainsFunc(j.Workers, func(w Worker) bool { return w.UDP != wire.Port }):
		return dataplane.Refuse(dataplane.RefusedLevels, "put all its workers on one switch", "job %d is of RDMA clients, and has levels of switches", j.ID)
	case r.MessageBytes < packet || r.MessageBytes%packet != 0 || r.MessageBytes > MaxMessagePackets*packet:
		return dataplane.Refuse(dataplane.RefusedDocument, fmt.Sprintf("use 1 to %d whole packets", MaxMessagePackets),
			"job %d has messages of %d bytes in packets of %d", j.ID, r.MessageBytes, packet)
	}
	for i := range j.Workers {
		w := &j.Workers[i]
		if (w.RDMA != nil) != (j.RDMA != nil) {
			return dataplane.Refuse(dataplane.RefusedSource, "set up all workers with UdpSession, or all with RdmaSession",
				"job %d: %s %d does not speak what the job does", j.ID, j.member(), w.ID)
		}
		if w.RDMA == nil {
			continue
		}
		if r := j.checkQueues(w.ID, w.RDMA); r != nil {
			return r
		}
	}
	return nil
}

func (j *Job) checkQueues(rank uint8, q *Queues) *dataplane.Refusal {
	if n := len(q.QPNs); n < 1 || n > MaxQueues || len(q.PSNs) != n {
		return dataplane.Refuse(dataplane.RefusedSource, fmt.Sprintf("give 1 to %d of each", MaxQueues),
			"job %d: rank %d has %d QPNs and %d PSNs", j.ID, rank, n, len(q.PSNs))
	}
	for i := range q.QPNs {
		if q.QPNs[i] > max24 || q.PSNs[i] > max24 {
			return dataplane.Refuse(dataplane.RefusedSource, "give numbers of 24 bits",
				"job %d: rank %d has QPN %#x and PSN %#x", j.ID, rank, q.QPNs[i], q.PSNs[i])
		}
	}
	return nil
}
