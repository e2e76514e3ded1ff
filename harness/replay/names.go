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
	registers []variable // of registers, in the order of the source
	lmem      []isa.Symbol
	shared    []isa.Symbol
}

// variable is a symbol that can be read in a thread.
type variable struct {
	isa.Symbol
	at vm.Variable
}

func newNames(p *isa.Program) *names {
	n := &names{}
	for _, s := range p.Symbols {
		switch {
		case s.Kind == isa.SymbolRegister:
			if at, ok := vm.VariableOf(s); ok {
				n.registers = append(n.registers, variable{s, at})
			}
		case s.Kind == isa.SymbolLMEM:
			n.lmem = append(n.lmem, s)
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
	if at >= isa.HeadStart && at < isa.HeadStart+isa.HeadBytes {
		return plus("head", at-isa.HeadStart)
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
