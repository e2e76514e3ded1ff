package switchml

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
)

// Limits of a job.
const (
	MaxWorkers = 256  // bits of a trace.Mask
	MaxRanks   = 32   // width of a slot's bitmap of workers in the public switch program
	MaxSlots   = 8192 // slots of each set in the public switch program
)

// Protocol is what these jobs speak.
const Protocol = "SwitchML"

// Job is one job of a switch, which may be a part of a larger one: then its workers
// are those of this switch, or further switches.
type Job struct {
	ID       uint8
	Session  uint64 `json:",omitempty"` // what its clients call it, for tables
	Elements int    // values a packet: 64 or 256 (§5), or in the reference program 32, as ATP has them
	Slots    int    // its part of the pool, in each set; packets count them from 0
	Workers  []Worker

	// NumWorkers, up to MaxRanks, is how many workers there will be, of whom some may
	// come later. The ids of workers are then ranks below it, in order. Zero means those
	// in Workers.
	NumWorkers int `json:",omitempty"`

	// Strict refuses the job at the first packet of a worker that is beyond its slots, or of
	// another size: for clients of a user's own, who would wait for ever and not know why.
	// Jobs with a parent go on.
	Strict bool `json:",omitempty"`

	// FirstByte is the job byte of its first packets; zero is that of the public
	// client. Packet ids count up from there.
	FirstByte uint8 `json:",omitempty"`

	Parent *Parent `json:",omitempty"`     // nil: sums are results
	RDMA   *RDMA   `json:"rdma,omitempty"` // nil: its clients speak UDP
}

// Worker is a member of a job: a host, or a switch with a part of the job.
type Worker struct {
	ID   uint8 `json:",omitempty"` // in masks of events; all zero: their places
	MAC  inet.MAC
	Addr netip.Addr  // by which its packets are known; IPv4
	Port sansio.Port // port of the chassis that leads to it

	// UDP is the port that its packets come to; zero is that of hosts, wire.Port. By
	// address and UDP port a worker is known, so that a switch can be one for
	// several jobs.
	UDP uint16 `json:",omitempty"`

	RDMA *Queues `json:"rdma,omitempty"` // of RDMA jobs
}

// Parent is the switch that a job's sums go up to (§7), where this one is a worker.
type Parent struct {
	MAC  inet.MAC
	Addr netip.Addr  // its router address
	Port sansio.Port // port of the chassis that leads to it
	UDP  uint16      `json:",omitempty"` // port that packets go to; zero: wire.Port
	Self netip.Addr  // address by which it knows this switch; zero: Config.Router
}

// Protocol names what the job speaks.
func (*Job) Protocol() string { return Protocol }

// Complete reports whether all workers are there.
func (j *Job) Complete() bool { return j.NumWorkers <= len(j.Workers) }

// resolved returns a copy that shares nothing with the job, in which everything is said
// that zero stands for.
func (j *Job) resolved(router netip.Addr) Job {
	out := *j
	numbered := j.NumWorkers != 0 || slices.ContainsFunc(j.Workers, func(w Worker) bool { return w.ID != 0 })
	out.Workers = slices.Clone(j.Workers)
	for i := range out.Workers {
		w := &out.Workers[i]
		w.UDP = cmp.Or(w.UDP, wire.Port)
		if !numbered {
			w.ID = uint8(i)
		}
		if q := w.RDMA; q != nil {
			w.RDMA = &Queues{RKey: q.RKey, QPNs: slices.Clone(q.QPNs), PSNs: slices.Clone(q.PSNs)}
		}
	}
	if j.Parent != nil {
		u := *j.Parent
		u.UDP, u.Self = cmp.Or(u.UDP, wire.Port), cmp.Or(u.Self, router)
		out.Parent = &u
	}
	return out
}
