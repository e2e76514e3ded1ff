package vm

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// Pipe is the state of one pipe: the entries of its tables, its registers, its
// random numbers. Ingress and egress share it. It belongs to one goroutine.
type Pipe struct {
	code      *Code
	number    int
	tables    []*Table
	registers []register
	random    *rng.Stream
	runner    Runner // nil: the instructions of the control are run
	beyond    uint64 // accesses behind the last entry of a register
}

// Runner runs the controls of one pipe as [Pass.RunFrom] does from their first instruction,
// but faster.
type Runner interface {
	// Run takes the packet of a pass through the control of a side.
	Run(s *Pass, side fit.Side)
	// EntriesChanged is called when an entry has been added to a table or taken out.
	EntriesChanged()
}

// NewPipe returns pipe number (from 0) as the program leaves it: entries from the
// start, registers zero.
func (c *Code) NewPipe(number int, random *rng.Stream) *Pipe {
	p := &Pipe{code: c, number: number, random: random}
	for i := range c.prog.Tables {
		p.tables = append(p.tables, newTable(&c.prog.Tables[i], &c.tables[i], number))
	}
	for i := range c.prog.Registers {
		p.registers = append(p.registers, newRegister(&c.prog.Registers[i]))
	}
	return p
}

// Code returns the program of the pipe.
func (p *Pipe) Code() *Code { return p.code }

// Number returns the number of the pipe, from 0.
func (p *Pipe) Number() int { return p.number }

// SetRunner leaves the controls to another from now on.
func (p *Pipe) SetRunner(r Runner) { p.runner = r }

// Table returns a table.
func (p *Pipe) Table(id fit.TableID) *Table { return p.tables[id] }

// Beyond returns how many accesses have named an entry behind the last of their register.
func (p *Pipe) Beyond() uint64 { return p.beyond }

// CountBeyond counts such accesses that a runner has met.
func (p *Pipe) CountBeyond(n int) { p.beyond += uint64(n) }

// Memory returns the entries of a register and its copies: entry by entry, in it lane by lane,
// in that copy by copy, big-endian.
func (p *Pipe) Memory(id fit.RegisterID) []byte { return p.registers[id].data }

// Reseed takes random numbers from another stream from now on.
func (p *Pipe) Reseed(random *rng.Stream) { p.random = random }

// EntryID names an entry of a table in a pipe. Those from the start have the
// numbers of their order in the program; others have the number that the adder chose.
type EntryID int64

// Default is the id of the default action, where counters are listed.
const Default EntryID = -1

// Insert adds an entry that [Code.Entry] has made, under an id that the table does
// not have. After an error nothing has changed.
func (p *Pipe) Insert(id fit.TableID, entry EntryID, e fit.Entry) error {
	t := p.tables[id]
	if len(t.Rows) >= t.Size {
		return fmt.Errorf("table %s is full: it has room for %d entries", t.Name, t.Size)
	}
	for _, o := range t.Rows {
		if o.ID == entry {
			return fmt.Errorf("table %s has an entry %d: choose another id", t.Name, entry)
		}
		if slices.Equal(o.Values, e.Values) && slices.Equal(o.Masks, e.Masks) && (o.Priority == e.Priority || !t.Ternary) {
			return fmt.Errorf("table %s has an entry for %v: remove it first", t.Name, e.Values)
		}
	}
	t.insert(t.key.newRow(entry, e))
	p.changed(t)
	return nil
}

// Delete takes an entry out; false: there is none of that id, or the table is constant.
func (p *Pipe) Delete(id fit.TableID, entry EntryID) bool {
	t := p.tables[id]
	at := slices.IndexFunc(t.Rows, func(r *Row) bool { return r.ID == entry })
	if at < 0 || t.Const {
		return false
	}
	t.remove(at)
	p.changed(t)
	return true
}

// changed numbers the rows of a table whose entries are others now.
func (p *Pipe) changed(t *Table) {
	t.number()
	if p.runner != nil {
		p.runner.EntriesChanged()
	}
}

// Len returns how many entries a table has.
func (p *Pipe) Len(id fit.TableID) int { return len(p.tables[id].Rows) }

// Hits is what an entry has counted.
type Hits struct {
	Entry   EntryID
	Action  int // number in the actions of the table; -1: nothing happens
	Packets uint64
	Bytes   uint64
}

// Hits lists what a table with counters has counted, by entry, the default action
// last. The order is that of matching.
func (p *Pipe) Hits(id fit.TableID) (out []Hits) {
	t := p.tables[id]
	for _, r := range t.Rows {
		out = append(out, Hits{r.ID, r.Action, r.packets, r.bytes})
	}
	return append(out, Hits{Default, t.Miss.Action, t.Miss.packets, t.Miss.bytes})
}
