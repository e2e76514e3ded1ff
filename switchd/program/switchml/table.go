package switchml

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Limits is what a program asks of jobs beside what all programs ask.
type Limits struct {
	Workers   int                           // that a job may have
	UDP, RoCE bool                          // what clients may speak
	Check     func(*Job) *dataplane.Refusal // what else is wrong with a job; nil: nothing
}

// Entry is a job in a table. A program embeds it in what it keeps of the job.
type Entry struct {
	Job                  // with everything that zero stands for
	Base      int        // first slot of its part of the pool
	Everybody trace.Mask // its workers
	Counts    Counts
	refusal   refusal
}

func (e *Entry) entry() *Entry { return e }

// Kept is what a program keeps of a job: a pointer to what embeds the job's [Entry].
type Kept interface {
	entry() *Entry
	// Open yields the phases of its slots that lack workers, without Job and Want.
	Open(yield func(dataplane.OpenBlock) bool)
	// Seen returns who is in the bitmap of a slot, by set.
	Seen(slot int) [2]trace.Mask
}

// Table is the jobs of a switch. Programs embed it for those methods of
// dataplane.Engine, Managed and Watched that are about jobs alone.
type Table[K Kept] struct {
	dataplane.OwnFrames
	dataplane.Memoryless // no timers (§4.5); a finished slot keeps only which set is next, which moves no event

	node    string
	router  netip.Addr
	limits  Limits
	jobs    []K // by id
	pool    Pool
	members map[channel]member[K] // looked up, never ranged
	parents map[channel]K         // likewise

	refusals int // of jobs, so far
}

// channel tells who sent a packet: its source address, and the UDP port of the two
// that is the switches' own.
type channel struct {
	addr [4]byte
	udp  uint16
}

func (w *Worker) channel() channel { return channel{w.Addr.As4(), w.UDP} }

func (u *Parent) channel() channel { return channel{u.Addr.As4(), u.UDP} }

// member is a worker of a job.
type member[K Kept] struct {
	job   K
	place int
}

// NewTable returns the table of a switch, without the jobs of its configuration.
func NewTable[K Kept](c *Config, l Limits) (Table[K], error) {
	if err := c.validate(); err != nil {
		return Table[K]{}, err
	}
	return Table[K]{
		node: c.Node, router: c.Router, limits: l, pool: Pool{Slots: cmp.Or(c.Pool, MaxSlots)},
		members: map[channel]member[K]{}, parents: map[channel]K{},
	}, nil
}

// Jobs returns all jobs by id. The slice is the table's.
func (t *Table[K]) Jobs() []K { return t.jobs }

// Find returns the job of an id.
func (t *Table[K]) Find(id uint8) (job K, ok bool) {
	at, ok := t.search(id)
	if ok {
		job = t.jobs[at]
	}
	return job, ok
}

// search returns the index of a job, or where it would be.
func (t *Table[K]) search(id uint8) (at int, ok bool) {
	return slices.BinarySearchFunc(t.jobs, id, func(k K, id uint8) int { return cmp.Compare(k.entry().ID, id) })
}

// Member returns the job of the worker with that address, which sends to that port, and
// its place there.
func (t *Table[K]) Member(addr [4]byte, udp uint16) (job K, place int, ok bool) {
	m, ok := t.members[channel{addr, udp}]
	return m.job, m.place, ok
}

// OfParent returns the job whose parent has that address and sends from that port.
func (t *Table[K]) OfParent(addr [4]byte, udp uint16) (job K, ok bool) {
	job, ok = t.parents[channel{addr, udp}]
	return job, ok
}

// Claims claims packets of SwitchML: those to the port of hosts, or to one that a switch
// has as a worker, or from a parent.
func (t *Table[K]) Claims(f dataplane.Frame) dataplane.Claim {
	udp := f.UDP()
	if udp == nil {
		return dataplane.NotMine
	}
	if to := udp.DstPort(); to == wire.Port || t.limits.RoCE && to == roce.Port {
		return dataplane.Mine
	}
	if len(t.jobs) == 0 {
		return dataplane.NotMine
	}
	src := inet.IPv4(f.Header[inet.EtherLen:]).SrcBytes()
	_, _, member := t.Member(src, udp.DstPort())
	_, parent := t.OfParent(src, udp.SrcPort())
	return dataplane.MineIf(member || parent)
}

// Ports returns the ports that lead to workers and parents.
func (t *Table[K]) Ports() (out []sansio.Port) {
	for _, k := range t.jobs {
		e := k.entry()
		for i := range e.Workers {
			out = append(out, e.Workers[i].Port)
		}
		if e.Parent != nil {
			out = append(out, e.Parent.Port)
		}
	}
	return out
}
