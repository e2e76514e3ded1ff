package replay

import (
	"bytes"
	"fmt"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// view is what a thread holds.
type view struct {
	registers [isa.Registers]uint64
	lmem      [isa.LMEMBytes]byte
}

func viewOf(t *vm.Thread) *view {
	v := &view{lmem: t.LMEM}
	for i := range v.registers {
		v.registers[i] = t.Register(i)
	}
	return v
}

// changes lists what differs from a view, and brings the view up to date.
func (n *names) changes(v *view, t *vm.Thread) (out []Change) {
	for i, old := range v.registers {
		if now := t.Register(i); now != old {
			out = append(out, n.register(i, old, now)...)
			v.registers[i] = now
		}
	}
	if t.LMEM == v.lmem {
		return out
	}
	for at := 0; at < len(v.lmem); at++ {
		if t.LMEM[at] == v.lmem[at] {
			continue
		}
		end := at + 1
		for end < len(v.lmem) && t.LMEM[end] != v.lmem[end] {
			end++
		}
		out = append(out, Change{n.bytes(at, end), short(v.lmem[at:end]), short(t.LMEM[at:end])})
		at = end
	}
	v.lmem = t.LMEM
	return out
}

// register names what has changed in a register: the variables there, or the register
// itself where there is none.
func (n *names) register(num int, old, now uint64) (out []Change) {
	for _, s := range n.registers {
		if s.Value/isa.RegisterBits != uint64(num) || s.Value%isa.RegisterBits+s.Size > isa.RegisterBits {
			continue
		}
		shift := isa.RegisterBits - s.Value%isa.RegisterBits - s.Size
		mask := uint64(1)<<s.Size - 1
		if a, b := old>>shift&mask, now>>shift&mask; a != b {
			out = append(out, Change{s.Name, number(a), number(b)})
		}
	}
	if len(out) == 0 {
		out = []Change{{fmt.Sprintf("r%d", num), number(old), number(now)}}
	}
	return out
}

// bytes names bytes of LMEM.
func (n *names) bytes(from, end int) string {
	name := n.local(uint64(from))
	if end == from+1 {
		return name
	}
	return fmt.Sprintf("%s, %d bytes", name, end-from)
}

// maxShown is how many bytes of a change are written out (assumed: a line holds two of them).
const maxShown = 16

// short writes bytes in hexadecimal digits; of many, the first.
func short(b []byte) string {
	switch {
	case len(b) > 1 && len(bytes.Trim(b, "\x00")) == 0:
		return "zeros"
	case len(b) > maxShown:
		return fmt.Sprintf("%x...", b[:maxShown])
	}
	return fmt.Sprintf("%x", b)
}
