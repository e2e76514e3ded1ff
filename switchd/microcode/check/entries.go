package check

import (
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

var entryKinds = map[syntax.EntryKind]isa.EntryKind{
	syntax.EntryPacket: isa.EntryPacket, syntax.EntryTimer: isa.EntryTimer,
	syntax.EntryEvent: isa.EntryEvent, syntax.EntryStatistics: isa.EntryStatistics,
}

// entries resolves where threads start.
func (c *checker) entries(f *syntax.File) {
	seen := map[string]syntax.Pos{}
	for _, d := range f.Decls {
		e, ok := d.(*syntax.EntryDecl)
		if !ok {
			continue
		}
		what := string(e.Kind) + " " + e.Name
		if e.Kind == syntax.EntryPacket {
			what = "packet entry"
		}
		if at, dup := seen[what]; dup {
			c.errorf(e.Pos, "%s is declared twice (first at %v)", what, at)
		}
		seen[what] = e.Pos
		c.entry(e)
	}
	if len(seen) == 0 {
		c.errorf(syntax.Pos{File: f.Name, Line: 1, Col: 1},
			"the program has no entry; write packet entry LABEL; or timer NAME entry LABEL;")
	}
}

func (c *checker) entry(d *syntax.EntryDecl) {
	e := isa.Entry{Kind: entryKinds[d.Kind], Name: d.Name, Bytes: d.Bytes}
	if d.Kind == syntax.EntryStatistics {
		if !c.isCounter(d.Name) {
			c.errorf(d.Named, "%s is no counter of the program; declare one with counter %s;", d.Name, d.Name)
			return
		}
		var ok bool
		if e.Every, ok = c.number(d.Every, "the number of "+d.Name); !ok {
			return
		}
		if e.Every == 0 {
			c.errorf(d.Every.Position(), "every 0: a number from 1 on is wanted")
			return
		}
	}
	var ok bool
	if e.Target, ok = c.labels[d.Label]; !ok {
		c.errorf(d.At, "no label %s%s", d.Label, didYouMean(c, d.Label, c.labels))
		return
	}
	c.prog.Entries = append(c.prog.Entries, e)
}

func (c *checker) isCounter(name string) bool {
	s, ok := c.prog.Symbol(name)
	return ok && s.Kind == isa.SymbolCounter
}
