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
	if t.LMEM != v.lmem {
		out = append(out, n.inMemory(v, t)...)
		v.lmem = t.LMEM
	}
	return out
}

// inMemory lists what differs in local memory: numbers of the source by their names, and the
// bytes of no such number.
func (n *names) inMemory(v *view, t *vm.Thread) (out []Change) {
	old, now := v.lmem[:], t.LMEM[:]
	var told [isa.LMEMBytes]bool
	for i := range n.leaves {
		l := &n.leaves[i]
		first, end := l.bit/8, (l.bit+l.width+7)/8
		if bytes.Equal(old[first:end], now[first:end]) {
			continue
		}
		if c, ok := l.changed(field(old, l.bit, l.width), field(now, l.bit, l.width)); ok {
			out = append(out, c)
			for b := first; b < end; b++ {
				told[b] = true
			}
		}
	}
	differs := func(at int) bool { return at < len(now) && old[at] != now[at] && !told[at] }
	for at := range now {
		if !differs(at) {
			continue
		}
		end := at
		for differs(end) {
			told[end] = true
			end++
		}
		out = append(out, Change{n.bytes(at, end), short(old[at:end]), short(now[at:end])})
	}
	return out
}

// register names what has changed in a register: the numbers there, or the register itself
// where there is none.
func (n *names) register(num int, old, now uint64) (out []Change) {
	for i := range n.registers[num] {
		l := &n.registers[num][i]
		shift := isa.RegisterBits - l.bit%isa.RegisterBits - l.width
		if shift < 0 {
			continue
		}
		mask := ^uint64(0) >> (isa.RegisterBits - l.width)
		if c, ok := l.changed(old>>shift&mask, now>>shift&mask); ok {
			out = append(out, c)
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
