package vm

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// Code is a compiled program. It does not change and has no state, so that all
// pipes share it.
type Code struct {
	prog    *fit.Program
	fields  []Ref
	slots   int   // words of metadata and intrinsics
	lengths []int // of headers, in bytes
	scratch []int // where each has its place when it is added
	bytes   int   // of scratch for headers that are added
	longest int   // action, in operations
	at      intrinsics
	resub   int // slot of meta.resubmit; -1: there is none
	bridged []int
	tables  []tableCode
	sides   [2]side

	resubmits, mirrors bool
}

// side is one half of a pipe.
type side struct {
	parser    []state
	control   []Instr
	deparse   []int
	checksums []checksum
	depth     int
}

// Compile returns the code of a program that fits.
func Compile(p *fit.Program) (*Code, error) {
	c := &Code{prog: p}
	c.fields, c.slots = refs(p)
	if err := c.at.find(c); err != nil {
		return nil, fmt.Errorf("compiling program %s: %w", p.Name, err)
	}
	c.resub = c.slot("meta.resubmit")
	for _, f := range p.Bridged {
		c.bridged = append(c.bridged, int(c.fields[f].Off))
	}
	for i := range p.Headers {
		c.scratch, c.lengths = append(c.scratch, c.bytes), append(c.lengths, p.Headers[i].Bytes)
		c.bytes += p.Headers[i].Bytes
	}
	c.tables = make([]tableCode, len(p.Tables))
	for i := range p.Tables {
		c.compileTable(&c.tables[i], i)
	}
	for i := range p.Gress {
		c.sides[i] = c.compileSide(&p.Gress[i])
	}
	for i, g := range []*ir.Gress{&p.Source.Ingress, &p.Source.Egress} {
		var err error
		if c.sides[i].checksums, err = c.compileChecksums(g.Checksums); err != nil {
			return nil, fmt.Errorf("compiling program %s: %w", p.Name, err)
		}
	}
	c.resubmits, c.mirrors = c.writes(c.at.resubmit), c.writes(c.at.mirror)
	return c, nil
}

func (c *Code) compileSide(g *fit.Gress) side {
	s := side{parser: c.compileParser(g.Parser), control: c.compileSteps(nil, g.Control), depth: g.Depth}
	for _, h := range g.Deparse {
		s.deparse = append(s.deparse, int(h))
	}
	return s
}

// compileChecksums resolves the fields that a deparser fills in.
func (c *Code) compileChecksums(names []string) (out []checksum, err error) {
	for _, name := range names {
		f, err := c.Field(name)
		if err != nil {
			return nil, fmt.Errorf("checksum: %w", err)
		}
		if at := &c.prog.Fields[f]; at.Kind != fit.HeaderField || at.Bits != 16 {
			return nil, fmt.Errorf("checksum %s: it has 16 bits of a header (RFC 1071)", name)
		}
		out = append(out, checksum{int(c.prog.Fields[f].Header), f, &c.fields[f]})
	}
	return out, nil
}

// writes reports whether any action writes a slot.
func (c *Code) writes(slot int) bool {
	for i := range c.prog.Tables {
		for _, a := range c.prog.Tables[i].Actions {
			for _, o := range a.Do {
				if o.Dst.ID != fit.NoField && c.fields[o.Dst.ID].InSlot() && int(c.fields[o.Dst.ID].Off) == slot {
					return true
				}
			}
		}
	}
	return false
}

// Program returns what the code was compiled from.
func (c *Code) Program() *fit.Program { return c.prog }

// Resubmits reports whether the program may resubmit packets.
func (c *Code) Resubmits() bool { return c.resubmits }

// Mirrors reports whether the program may mirror packets.
func (c *Code) Mirrors() bool { return c.mirrors }

// Depth returns how many bytes the parser of a side looks at, at most.
func (c *Code) Depth(s fit.Side) int { return c.sides[s].depth }

// Field returns the number of a field, such as "ipv4.ttl" or "d0.v[3]".
func (c *Code) Field(name string) (fit.FieldID, error) {
	f, ok := c.prog.FindField(name)
	if !ok {
		return fit.NoField, fmt.Errorf("program %s has no field %q", c.prog.Name, name)
	}
	return f, nil
}

// Ref returns how a field is read and written.
func (c *Code) Ref(f fit.FieldID) *Ref { return &c.fields[f] }

// Control returns the instructions of the control of a side.
func (c *Code) Control(s fit.Side) []Instr { return c.sides[s].control }

// Actions returns what an action of a table does, by copy of the table.
func (c *Code) Actions(id fit.TableID, action int) []Action { return c.tables[id].actions[action] }

// MatchesOnce reports whether a table is looked up once for all its copies.
func (c *Code) MatchesOnce(id fit.TableID) bool { return len(c.tables[id].keys) == 1 }

// Given returns the metadata with which a pass through a side may begin; all other is 0.
func (c *Code) Given(s fit.Side) (out []fit.FieldID) {
	names := []string{"ig.port", "ig.pipe", "ig.time", "ig.bytes", "ig.resubmitted", "meta.resubmit"}
	if s == fit.Egress {
		out = slices.Clone(c.prog.Bridged)
		names = []string{"eg.port", "eg.rid", "eg.copy", "eg.mirrored", "eg.enq_depth"}
	}
	for _, name := range names {
		if f, err := c.Field(name); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// Kept returns the metadata that is read behind the control of a side, whatever the verdict of an ingress is known to be.
func (c *Code) Kept(s fit.Side) []fit.FieldID {
	if s == fit.Egress {
		return []fit.FieldID{c.mustField("eg.drop")}
	}
	return append(slices.Clone(c.prog.Bridged), c.mustField("ig.egress_port"))
}

// mustField returns a field that every program has: Compile has seen to that.
func (c *Code) mustField(name string) fit.FieldID {
	f, err := c.Field(name)
	if err != nil {
		panic(err)
	}
	return f
}

// slot returns the slot of a metadata field, or -1.
func (c *Code) slot(name string) int {
	f, err := c.Field(name)
	if err != nil || !c.fields[f].InSlot() {
		return -1
	}
	return int(c.fields[f].Off)
}

// intrinsics are the slots of the fields that chip and program share.
type intrinsics struct {
	port, pipe, time, bytes, resubmitted                        int
	egressPort, unicast, mcast, multicast, rid, xid, qid        int
	drop, resubmit, mirror, bypass                              int
	outPort, outRID, outCopy, outMirrored, outDepth, egressDrop int
}

func (a *intrinsics) find(c *Code) error {
	for _, f := range []struct {
		name string
		at   *int
	}{
		{"ig.port", &a.port}, {"ig.pipe", &a.pipe}, {"ig.time", &a.time}, {"ig.bytes", &a.bytes}, {"ig.resubmitted", &a.resubmitted},
		{"ig.egress_port", &a.egressPort}, {"ig.unicast", &a.unicast}, {"ig.mcast", &a.mcast}, {"ig.multicast", &a.multicast},
		{"ig.rid", &a.rid}, {"ig.xid", &a.xid}, {"ig.qid", &a.qid}, {"ig.drop", &a.drop}, {"ig.resubmit", &a.resubmit},
		{"ig.mirror", &a.mirror}, {"ig.bypass_egress", &a.bypass},
		{"eg.port", &a.outPort}, {"eg.rid", &a.outRID}, {"eg.copy", &a.outCopy}, {"eg.mirrored", &a.outMirrored},
		{"eg.enq_depth", &a.outDepth}, {"eg.drop", &a.egressDrop},
	} {
		if *f.at = c.slot(f.name); *f.at < 0 {
			return fmt.Errorf("it lacks the intrinsic field %s: place it with fit", f.name)
		}
	}
	return nil
}
