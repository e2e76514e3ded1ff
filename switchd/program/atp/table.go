package atp

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Table is the jobs of a switch. Programs embed it for those methods of dataplane.Engine, Managed and
// Watched that are about jobs, and about aggregators as all programs have them.
type Table struct {
	cfg  Config
	held iter.Seq[Aggregator]

	jobs   [dataplane.MaxJobID + 1]*Entry // by id; nil: no job
	gone   map[uint8]*Counts              // of jobs that are removed
	others sansio.Tally                   // packets of no job
}

// Entry is a job in a table.
type Entry struct {
	ID      uint8
	Counts  Counts
	Last    units.Time // when its latest packet came
	deep    uint8      // levels of its headers; 0: base headers, of two
	servers []server
	sources trace.Mask
}

// server is a parameter server of a job.
type server struct {
	addr  [4]byte
	ports []sansio.Port
	parts [wire.MaxLevels]*Part
}

// Part is a switch's part in the aggregation for a server.
type Part struct {
	Level int // 0: first edge switch, 1: second; of more than two levels the last is that of the server
	FanIn int // sources
	bits  [wire.MaxFanIn]source
	whole trace.Mask
}

// source is who has a bit.
type source struct {
	ports   []sansio.Port // nil: nobody
	workers trace.Mask
	first   uint8 // of the workers
}

// Mask returns the workers behind the bits of a bitmap.
func (p *Part) Mask(bitmap uint32) (m trace.Mask) {
	for b := bitmap; b != 0; b &= b - 1 {
		m = m.Or(p.bits[bits.TrailingZeros32(b)].workers)
	}
	return m
}

// Aggregator is one that is not free, as all programs have it.
type Aggregator struct {
	Index    int
	Job      uint8
	Sequence uint32
	Bitmap   uint32
	Count    int // packets that are in it
	Part     *Part
	ECN      bool
	Since    units.Time // when its latest packet came
}

// complete reports whether its sum has left.
func (a *Aggregator) complete() bool { return a.Part != nil && a.Count == a.Part.FanIn }

// NewTable returns the table of a switch, without the jobs of its configuration. A program
// yields its aggregators that are not free, by index.
func NewTable(c *Config, held iter.Seq[Aggregator]) (*Table, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	out := &Table{cfg: *c, held: held, gone: map[uint8]*Counts{}}
	out.cfg.Age = cmp.Or(c.Age, DefaultAge)
	out.cfg.Jobs = nil // they are in the table
	return out, nil
}

// Find returns the job of an id; nil: there is none.
func (t *Table) Find(id uint8) *Entry { return t.jobs[id] }

// Aggregators returns how many there are.
func (t *Table) Aggregators() int { return t.cfg.Aggregators }

// Age returns how old an aggregator is at least that is taken for abandoned.
func (t *Table) Age() units.Duration { return t.cfg.Age }

// Node returns the name of the switch.
func (t *Table) Node() string { return t.cfg.Node }

// all yields the jobs by id.
func (t *Table) all(yield func(*Entry) bool) {
	for _, e := range t.jobs {
		if e != nil && !yield(e) {
			return
		}
	}
}

// Wants asks for frames in transit.
func (*Table) Wants() dataplane.Wants { return dataplane.Wants{Transit: true} }

// Claims claims what goes to the port of ATP, of whatever job: what is not for the program goes on.
func (*Table) Claims(f dataplane.Frame) dataplane.Claim {
	if f.IsTo(wire.Port) {
		return dataplane.InTransit
	}
	return dataplane.NotMine
}

// Ports returns none: packets go on by the port that they came by.
func (*Table) Ports() []sansio.Port { return nil }

// PhaseMattered is false: there are no timers.
func (*Table) PhaseMattered() bool { return false }

// Remembers reports whether some aggregator is not free.
func (t *Table) Remembers() bool {
	for range t.held {
		return true
	}
	return false
}

// Counters returns those of all jobs together, those of each, and packets of none.
func (t *Table) Counters() []sansio.Count {
	var total Counts
	var list sansio.Tally
	list.Merge(t.others.List())
	for id := range t.jobs {
		c := Counts{}
		if gone := t.gone[uint8(id)]; gone != nil {
			c.add(gone)
		}
		if e := t.jobs[id]; e != nil {
			c.add(&e.Counts)
		}
		total.add(&c)
		list.Merge(c.List(PrefixOf(uint8(id))))
	}
	list.Merge(total.List(""))
	return list.List()
}

// Sources returns everybody who contributes to a job here; none of one that it does not have.
func (t *Table) Sources(id uint8) (m trace.Mask) {
	if e := t.jobs[id]; e != nil {
		m = e.sources
	}
	return m
}

// Open returns at most limit aggregators that lack packets, those first whose latest packet is the
// oldest. The block is the sequence number.
func (t *Table) Open(limit int) (out []dataplane.OpenBlock) {
	for a := range t.held {
		if e := t.jobs[a.Job]; e == nil || a.complete() {
			continue
		}
		out = append(out, t.open(&a))
	}
	slices.SortFunc(out, dataplane.Older)
	return out[:min(limit, len(out))]
}

// open describes an aggregator of a job of the table.
func (t *Table) open(a *Aggregator) dataplane.OpenBlock {
	out := dataplane.OpenBlock{Job: a.Job, Block: a.Sequence, Want: t.jobs[a.Job].sources, Since: a.Since}
	if a.Part != nil {
		out.Have, out.Want = a.Part.Mask(a.Bitmap), a.Part.whole
	}
	return out
}

// CountsOf returns the counters of a job, or of those of its id that were there before.
func (t *Table) CountsOf(id uint8) *Counts {
	if e := t.jobs[id]; e != nil {
		return &e.Counts
	}
	if t.gone[id] == nil {
		t.gone[id] = &Counts{}
	}
	return t.gone[id]
}

// Pass counts the frames of a train that go on as they are, for what they are not.
func (t *Table) Pass(why string, frames int) { t.others.Add(why, uint64(frames)) }
