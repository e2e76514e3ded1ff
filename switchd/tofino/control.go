package tofino

import (
	"fmt"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// What the control plane does. Its calls come between those of Handle and Expire and
// take effect for the passes that follow; no call counts as a pass.

// AddEntry adds an entry to a table, in the pipe it names (1 to 4) or in all of them, and
// returns its id. An error says what is wrong, and nothing has changed.
func (c *Chip) AddEntry(table string, e ir.Entry) (vm.EntryID, error) {
	id, err := c.code.Table(table)
	if err != nil {
		return 0, err
	}
	entry, err := c.code.Entry(id, e)
	if err != nil {
		return 0, err
	}
	if e.Pipe < 0 || e.Pipe > len(c.pipes) {
		return 0, fmt.Errorf("entry of table %s in pipe %d: there are 1 to %d, and 0 is all", table, e.Pipe, len(c.pipes))
	}
	n := c.nextID
	for i, p := range c.pipes {
		if e.Pipe != 0 && e.Pipe != i+1 {
			continue
		}
		if err := p.Insert(id, n, entry); err != nil {
			for _, done := range c.pipes[:i] {
				done.Delete(id, n)
			}
			return 0, fmt.Errorf("pipe %d: %w", i+1, err)
		}
	}
	c.nextID++
	return n, nil
}

// RemoveEntry takes an entry out of a table, in all pipes that have it.
func (c *Chip) RemoveEntry(table string, entry vm.EntryID) error {
	id, err := c.code.Table(table)
	if err != nil {
		return err
	}
	if c.cfg.Program.Tables[id].Const {
		return fmt.Errorf("table %s: its entries are constant", table)
	}
	found := false
	for _, p := range c.pipes {
		found = p.Delete(id, entry) || found
	}
	if !found {
		return fmt.Errorf("table %s has no entry %d", table, entry)
	}
	return nil
}

// Hit is what entries of a table have counted in all pipes.
type Hit struct {
	Entry   vm.EntryID // vm.Default: what matched nothing
	Action  string     // empty: nothing happens
	Packets uint64
	Bytes   uint64
}

// Hits lists what a table has counted, by entry; the default action is last.
func (c *Chip) Hits(table string) ([]Hit, error) {
	id, err := c.counted(table)
	if err != nil {
		return nil, err
	}
	var out []Hit
	at := map[vm.EntryID]int{}
	var rest Hit
	for _, p := range c.pipes {
		for _, h := range p.Hits(id) {
			to := &rest
			if h.Entry != vm.Default {
				i, ok := at[h.Entry]
				if !ok {
					i = len(out)
					at[h.Entry] = i
					out = append(out, Hit{})
				}
				to = &out[i]
			}
			to.Entry, to.Action = h.Entry, c.actionName(id, h.Action)
			to.Packets += h.Packets
			to.Bytes += h.Bytes
		}
	}
	return append(out, rest), nil
}

func (c *Chip) counted(table string) (fit.TableID, error) {
	id, err := c.code.Table(table)
	if err != nil {
		return id, err
	}
	if !c.cfg.Program.Tables[id].Counter {
		return id, fmt.Errorf("table %s does not count: give it a counter", table)
	}
	return id, nil
}

func (c *Chip) actionName(id fit.TableID, action int) string {
	if action < 0 {
		return ""
	}
	return c.cfg.Program.Tables[id].Actions[action].Name
}

// Register returns a register by its name; "values[3]" is copy 3 of a group.
func (c *Chip) Register(name string) (vm.Register, error) { return c.code.Register(name) }

// Pipe returns pipe i, from 0, whose registers can be read and written.
func (c *Chip) Pipe(i int) (*vm.Pipe, error) {
	if i < 0 || i >= len(c.pipes) {
		return nil, fmt.Errorf("pipe %d: there are 0 to %d", i, len(c.pipes)-1)
	}
	return c.pipes[i], nil
}

// Field returns the number of a field, for an observer to ask for.
func (c *Chip) Field(name string) (fit.FieldID, error) { return c.code.Field(name) }
