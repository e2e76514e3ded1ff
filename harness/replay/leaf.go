package replay

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/symbol"
)

// leaf is a number of the source in registers or local memory: a variable, or a field of one.
type leaf struct {
	name string
	symbol.Leaf
	bit   int // in all registers, or in LMEM
	width int
}

// maxLeaves is how many numbers of one variable are named one by one (assumed); of more,
// bytes are shown.
const maxLeaves = 32

// leavesOf lists the numbers of a variable. An array of numbers is none: bytes are shown.
func leavesOf(p *isa.Program, s *isa.Symbol) (out []leaf) {
	each, cut := symbol.Leaves(p, s.Type)
	if t, _ := p.Type(s.Type); cut || s.Len == 0 || uint64(len(each))*s.Len > maxLeaves || s.Len > 1 && t.Form != isa.FormRecord {
		return nil
	}
	for i := range s.Len {
		name := s.Name
		if s.Len > 1 {
			name = fmt.Sprintf("%s[%d]", s.Name, i)
		}
		for _, l := range each {
			full := name + l.Name
			if l.Name != "" && l.Name[0] != '[' {
				full = name + "." + l.Name
			}
			out = append(out, leaf{full, l, int(s.Value + i*(s.Size/s.Len) + l.Bit), int(l.Type.Bits)})
		}
	}
	return out
}

// text writes a value of the number.
func (l *leaf) text(v uint64) string {
	text := symbol.Format(l.Type, l.Name, v)
	if strings.Trim(text, "0123456789") == "" {
		return number(v)
	}
	return text
}

// changed compares two values of the number.
func (l *leaf) changed(old, now uint64) (Change, bool) {
	return Change{l.name, l.text(old), l.text(now)}, old != now
}

// field returns bits of big-endian bytes, at most 64.
func field(b []byte, bit, width int) (v uint64) {
	for i := bit; i < bit+width; i++ {
		v = v<<1 | uint64(b[i/8]>>(7-i%8)&1)
	}
	return v
}
