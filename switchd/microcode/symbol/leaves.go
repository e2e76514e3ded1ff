package symbol

import (
	"fmt"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// MaxLeaves bounds the numbers of one record that are listed (assumed).
const MaxLeaves = 256

// A Leaf is a number within a type.
type Leaf struct {
	Name string // its fields and indexes, such as "ip.src_addr" or "mask[2]"; empty: the type is one
	Type isa.Type
	Bit  uint64 // from the start of the type
}

// Leaves lists the numbers that a type is made of, in the order of their bits. Of the members
// of a union that share bits it has the first. cut reports whether there are more than
// MaxLeaves, which are left out.
func Leaves(p *isa.Program, id isa.TypeID) (out []Leaf, cut bool) {
	l := lister{program: p}
	l.add("", id, 0)
	return l.out, l.cut
}

type lister struct {
	program *isa.Program
	out     []Leaf
	end     uint64 // of the last one
	cut     bool
}

func (l *lister) add(name string, id isa.TypeID, bit uint64) {
	t, ok := l.program.Type(id)
	if !ok || l.cut {
		return
	}
	switch t.Form {
	case isa.FormRecord:
		dot := ""
		if name != "" {
			dot = "."
		}
		for _, f := range t.Fields {
			l.add(name+dot+f.Name, f.Type, bit+f.Bit)
		}
	case isa.FormArray:
		e, _ := l.program.Type(t.Elem)
		for i := uint64(0); i < t.Len && !l.cut; i++ {
			l.add(fmt.Sprintf("%s[%d]", name, i), t.Elem, bit+i*e.Bits)
		}
	default:
		l.number(Leaf{name, t, bit})
	}
}

func (l *lister) number(n Leaf) {
	switch {
	case n.Bit < l.end: // another name for the same bits
	case len(l.out) == MaxLeaves:
		l.cut = true
	default:
		l.out, l.end = append(l.out, n), n.Bit+n.Type.Bits
	}
}
