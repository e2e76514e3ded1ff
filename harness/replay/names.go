package replay

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// names says what places and numbers are called in a program.
type names struct {
	registers [isa.Registers][]leaf // by register, in the order of the source
	leaves    []leaf                // of LMEM
	lmem      []isa.Symbol
	shared    []isa.Symbol
	program   *isa.Program
}

func newNames(p *isa.Program) *names {
	n := &names{program: p}
	for _, s := range p.Symbols {
		switch {
		case s.Kind == isa.SymbolRegister:
			for _, l := range leavesOf(p, &s) {
				num := l.bit / isa.RegisterBits
				n.registers[num] = append(n.registers[num], l)
			}
		case s.Kind == isa.SymbolLMEM:
			n.lmem = append(n.lmem, s)
			n.leaves = append(n.leaves, leavesOf(p, &s)...)
		case s.Kind.Shared():
			n.shared = append(n.shared, s)
		}
	}
	return n
}

// number writes a value: lengths and counts in decimal, what is longer, as addresses are, in
// hexadecimal digits.
func number(v uint64) string {
	if v < 1<<16 {
		return strconv.FormatUint(v, 10)
	}
	return fmt.Sprintf("%#x", v)
}

// address names a word of shared memory: DROPS[1], TABLE+3, hash[5]+1.
func (n *names) address(word uint64) string {
	for _, s := range n.shared {
		words := (s.Size + isa.WordBytes - 1) / isa.WordBytes
		if word < s.Value || word-s.Value >= words {
			continue
		}
		at := word - s.Value
		each := max(1, words/max(1, s.Len))
		name := s.Name
		if s.Len > 1 {
			name = fmt.Sprintf("%s[%d]", s.Name, at/each)
		}
		return plus(name, at%each)
	}
	if word >= isa.HashRecords && word < isa.DRAMStart {
		const each = mem.RecordBytes / mem.WordBytes
		at := word - isa.HashRecords
		return plus(fmt.Sprintf("hash[%d]", at/each), at%each)
	}
	return number(word)
}

func plus(name string, n uint64) string {
	if n == 0 {
		return name
	}
	return fmt.Sprintf("%s+%d", name, n)
}

// local names a byte of LMEM.
func (n *names) local(at uint64) string {
	for _, s := range n.lmem {
		if first, end := s.Value/8, (s.Value+s.Size+7)/8; at >= first && at < end {
			return plus(s.Name, at-first)
		}
	}
	switch {
	case at >= isa.HeadStart && at < isa.HeadStart+isa.HeadBytes:
		return plus("head", at-isa.HeadStart)
	case at >= isa.HeadStart-isa.HeadRoom && at < isa.HeadStart: // where headers are pushed
		return fmt.Sprintf("head-%d", isa.HeadStart-at)
	}
	return fmt.Sprintf("lmem[%d]", at)
}

// call writes an XTXN with the values of its arguments.
func (n *names) call(r *vm.Request) string {
	spec, ok := r.XTXN.Spec()
	if !ok {
		return r.XTXN.String()
	}
	var args []string
	for i, a := range spec.Args {
		v := r.Args[i]
		switch a.Kind {
		case isa.ArgPaddr:
			args = append(args, n.address(v))
		case isa.ArgLMEM:
			args = append(args, n.local(v))
		case isa.ArgFields, isa.ArgRoutes, isa.ArgFilter:
			args = append(args, n.table(a.Kind, v))
		default:
			args = append(args, number(v))
		}
	}
	text := spec.Name + "(" + strings.Join(args, ", ") + ")"
	if r.Async {
		return "async " + text
	}
	return text
}

// table names a table or a list of fields.
func (n *names) table(kind isa.ArgKind, i uint64) string {
	switch p := n.program; {
	case kind == isa.ArgFields && i < uint64(len(p.Fields)):
		return p.Fields[i].Name
	case kind != isa.ArgFields && i < uint64(len(p.Tables)):
		return p.Tables[i].Name
	}
	return number(i)
}

// reply writes the reply of an XTXN; empty: it has none.
func (n *names) reply(x isa.XTXN, v uint64) string {
	spec, ok := x.Spec()
	if !ok || spec.Reply == "" {
		return ""
	}
	record := n.address(v & (1<<32 - 1))
	switch {
	case x == isa.HashLookup && v&isa.HashHit == 0:
		return "not found"
	case x == isa.HashLookup:
		return "found " + record
	case x == isa.HashInsert && v&isa.HashFull != 0:
		return "table full"
	case x == isa.HashInsert && v&isa.HashCreated != 0:
		return "created " + record
	case x == isa.HashInsert:
		return "found " + record
	case x == isa.HashScan:
		return scanned(v, record)
	case x == isa.RouteLookup && v&isa.RouteFound == 0, x == isa.Filter && v&isa.FilterMatched == 0:
		return "not found"
	case x == isa.RouteLookup:
		return fmt.Sprintf("next hop %s of /%d", number(v&(1<<32-1)), v>>isa.RouteBits&(1<<6-1))
	case x == isa.Filter:
		return fmt.Sprintf("term %d, %s", v>>isa.FilterTerm&(1<<31-1), number(v&(1<<32-1)))
	}
	return number(v)
}

func scanned(v uint64, record string) string {
	text := "none"
	if v&isa.ScanFound != 0 {
		text = "found " + record
	}
	if v&isa.ScanRef != 0 {
		text += " with REF"
	}
	if v&isa.ScanEnd != 0 {
		text += ", end"
	}
	return text
}
