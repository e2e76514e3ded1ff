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
	tables    []*table
	registers []register
	random    *rng.Stream
	trees     [2]tree // by side; they hold for the entries as they are
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

// Reseed takes random numbers from another stream from now on.
func (p *Pipe) Reseed(random *rng.Stream) { p.random = random }

// EntryID names an entry of a table in a pipe. Those from the start have the
// numbers of their order in the program; others have the number that the adder chose.
type EntryID int64

// Default is the id of the default action, where counters are listed.
const Default EntryID = -1

// Insert adds an entry that [Code.Entry] has made, under an id that the table does
// not have. An error says what is in the way, and nothing has changed.
func (p *Pipe) Insert(id fit.TableID, entry EntryID, e fit.Entry) error {
	t := p.tables[id]
	if len(t.rows) >= t.def.Size {
		return fmt.Errorf("table %s is full: it has room for %d entries", t.def.Name, t.def.Size)
	}
	r := p.code.tables[id].newRow(entry, e)
	for _, o := range t.rows {
		if o.id == entry {
			return fmt.Errorf("table %s has an entry %d: choose another id", t.def.Name, entry)
		}
		if slices.Equal(o.values, r.values) && slices.Equal(o.masks, r.masks) && (o.entry.Priority == e.Priority || !t.def.Ternary) {
			return fmt.Errorf("table %s has an entry for %v: remove it first", t.def.Name, e.Values)
		}
	}
	t.insert(r)
	p.changed(t)
	return nil
}

// Delete takes an entry out; false: there is none of that id, or the table is constant.
func (p *Pipe) Delete(id fit.TableID, entry EntryID) bool {
	t := p.tables[id]
	at := slices.IndexFunc(t.rows, func(r *row) bool { return r.id == entry })
	if at < 0 || t.def.Const {
		return false
	}
	t.remove(at)
	p.changed(t)
	return true
}

// changed forgets what was found out with other entries.
func (p *Pipe) changed(t *table) {
	t.number()
	p.trees = [2]tree{}
}

// Len returns how many entries a table has.
func (p *Pipe) Len(id fit.TableID) int { return len(p.tables[id].rows) }

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
	for _, r := range t.rows {
		out = append(out, Hits{r.id, r.action, r.packets, r.bytes})
	}
	return append(out, Hits{Default, t.miss.action, t.miss.packets, t.miss.bytes})
}
