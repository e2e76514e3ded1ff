package switchml

import (
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/plan"
)

// Limits of a job.
const (
	MaxID      = 255  // dataplane.Managed returns it in 8 bits
	MaxWorkers = 32   // width of a slot's bitmap of workers in the public switch program
	MaxSlots   = 8192 // slots of each set in the public switch program
)

// Protocol is what these jobs speak.
const Protocol = "SwitchML"

// Job is one job of a switch.
type Job struct {
	ID         int      `json:"id"`          // on this switch, 0 to MaxID
	Session    uint64   `json:"session"`     // what its clients call it; zero where none of them asked for it
	Elements   int      `json:"elements"`    // values a packet, 64 or 256
	Slots      int      `json:"slots"`       // its part of the pool, of each set; slots count from 0
	NumWorkers int      `json:"num_workers"` // 1 to MaxWorkers
	Workers    []Worker `json:"workers"`     // ascending by rank; fewer than NumWorkers hold its place alone
	RDMA       *RDMA    `json:"rdma,omitempty"`
}

// Worker is a member of a job.
type Worker struct {
	Rank int         `json:"rank"` // 0 to NumWorkers-1
	MAC  inet.MAC    `json:"mac"`
	Addr netip.Addr  `json:"addr"` // by which its packets are known; IPv4
	Port sansio.Port `json:"port"` // of the chassis, that leads to it
	RDMA *Queues     `json:"rdma,omitempty"`
}

// Complete reports whether all workers are there.
func (j *Job) Complete() bool { return len(j.Workers) == j.NumWorkers }

// Protocol names what the job speaks.
func (*Job) Protocol() string { return Protocol }

// Of returns the job that a document is, or refuses one of another program or one that
// is wrong for every engine. An error is a [*dataplane.Refusal].
func Of(d dataplane.Document) (*Job, error) {
	j, ok := d.(*Job)
	if !ok {
		return nil, dataplane.RefuseOther(d, Protocol, "give --slots, and --elements if these are not 256, without the caps and addresses of Trio-ML")
	}
	if r := j.Check(); r != nil {
		return nil, r
	}
	return j, nil
}

// Check returns what is wrong with a job for every engine alike; nil: nothing.
func (j *Job) Check() *dataplane.Refusal {
	switch {
	case j.ID < 0 || j.ID > MaxID:
		return dataplane.Refuse(dataplane.RefusedID, "use 0 to 255", "job id %d does not fit its 8 bits", j.ID)
	case j.Elements != 64 && j.Elements != 256:
		return dataplane.Refuse(dataplane.RefusedDocument, "use 64 or 256", "job %d has %d values a packet", j.ID, j.Elements)
	case j.Slots < 1 || j.Slots > MaxSlots:
		return dataplane.Refuse(dataplane.RefusedNoRoom, "use 1 to 8192", "job %d wants %d slots", j.ID, j.Slots)
	case j.NumWorkers < 1 || len(j.Workers) < 1:
		return dataplane.Refuse(dataplane.RefusedNoSources, "name 1 to 32 workers", "job %d has %d of %d workers", j.ID, len(j.Workers), j.NumWorkers)
	case j.NumWorkers > MaxWorkers || len(j.Workers) > j.NumWorkers:
		return dataplane.Refuse(dataplane.RefusedManySources, "name at most 32: a slot's bitmap has 32 bits", "job %d has %d of %d workers", j.ID, len(j.Workers), j.NumWorkers)
	}
	for i := range j.Workers {
		if r := j.checkWorker(i); r != nil {
			return r
		}
	}
	return j.checkRDMA()
}

// checkWorker checks a worker against those before it.
func (j *Job) checkWorker(i int) *dataplane.Refusal {
	w := &j.Workers[i]
	switch {
	case w.Rank < 0 || w.Rank >= j.NumWorkers || i > 0 && w.Rank <= j.Workers[i-1].Rank:
		return dataplane.Refuse(dataplane.RefusedSource, "name ranks below num_workers, once, in order", "job %d has a worker of rank %d in place %d", j.ID, w.Rank, i)
	case !w.Addr.Is4() || w.Addr.IsUnspecified():
		return dataplane.Refuse(dataplane.RefusedSource, "give an IPv4 address", "job %d: rank %d has address %v", j.ID, w.Rank, w.Addr)
	case w.MAC == inet.MAC{} || w.MAC.IsMulticast():
		return dataplane.Refuse(dataplane.RefusedSource, "give the address of its interface", "job %d: rank %d has MAC %v", j.ID, w.Rank, plan.MAC(w.MAC))
	}
	for k := range j.Workers[:i] {
		if v := &j.Workers[k]; v.Addr == w.Addr || v.MAC == w.MAC {
			return dataplane.Refuse(dataplane.RefusedSource, "give each worker an interface of its own",
				"job %d: ranks %d and %d share an address, %v %v", j.ID, v.Rank, w.Rank, plan.MAC(w.MAC), w.Addr)
		}
	}
	return nil
}
