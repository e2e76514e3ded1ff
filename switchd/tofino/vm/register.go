package vm

import (
	"encoding/binary"
	"fmt"

	"github.com/inalab/inalab/switchd/tofino/fit"
)

// register is the state of a register, with all its copies, in one pipe: entry by
// entry, in it lane by lane, in that copy by copy, big-endian.
type register struct {
	data         []byte
	size, lanes  int
	copies       int
	width        int  // bytes of a lane
	entry, lane2 int  // bytes of an entry; from the lower lane of a copy to its upper
	words        bool // an entry is two words of 32 bits, and nothing else
}

func newRegister(from *fit.Register) register {
	r := register{size: from.Size, lanes: from.Lanes, copies: from.Copies, width: from.Bits / 8}
	r.lane2 = r.copies * r.width
	r.entry = r.lanes * r.lane2
	r.words = r.lanes == 2 && r.copies == 1 && r.width == 4
	r.data = make([]byte, r.size*r.entry)
	return r
}

// load returns both lanes of an entry that is there; the upper of one lane is 0.
func (r *register) load(index, copy int) (lo, hi uint32) {
	if r.words {
		v := binary.BigEndian.Uint64(r.data[8*index:])
		return uint32(v >> 32), uint32(v)
	}
	at := index*r.entry + copy*r.width
	lo = getLane(r.data[at : at+r.width])
	if r.lanes == 2 {
		at += r.lane2
		hi = getLane(r.data[at : at+r.width])
	}
	return lo, hi
}

func (r *register) store(index, copy int, lo, hi uint32) {
	if r.words {
		binary.BigEndian.PutUint64(r.data[8*index:], uint64(lo)<<32|uint64(hi))
		return
	}
	at := index*r.entry + copy*r.width
	putLane(r.data[at:at+r.width], lo)
	if r.lanes == 2 {
		at += r.lane2
		putLane(r.data[at:at+r.width], hi)
	}
}

func getLane(b []byte) uint32 {
	switch len(b) {
	case 1:
		return uint32(b[0])
	case 2:
		return uint32(binary.BigEndian.Uint16(b))
	}
	return binary.BigEndian.Uint32(b)
}

func putLane(b []byte, v uint32) {
	switch len(b) {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.BigEndian.PutUint16(b, uint16(v))
	default:
		binary.BigEndian.PutUint32(b, v)
	}
}

// Register names one register: of a group of copies, one of them.
type Register struct {
	id   fit.RegisterID
	copy int
	Name string
	Size int  // entries
	Bits int  // of a lane
	Wide bool // entries are numbers of 64 bits, of which lo and hi are the words
}

// Register returns a register by its name; "values[3]" is copy 3 of a group.
func (c *Code) Register(name string) (Register, error) {
	for id := range c.prog.Registers {
		r := &c.prog.Registers[id]
		for i := range r.Copies {
			if name == copyName(r, i) {
				return Register{fit.RegisterID(id), i, name, r.Size, r.Bits, r.Wide}, nil
			}
		}
	}
	return Register{}, fmt.Errorf("program %s has no register %q; one of a group has its number behind the name, as in %q",
		c.prog.Name, name, "values[3]")
}

func copyName(r *fit.Register, i int) string {
	if r.Vector {
		return fmt.Sprintf("%s[%d]", r.Name, i)
	}
	return r.Name
}

// Read returns both lanes of an entry; the upper of a register with one lane is 0.
func (p *Pipe) Read(r Register, index int) (lo, hi uint32, err error) {
	if err := r.check(index); err != nil {
		return 0, 0, err
	}
	lo, hi = p.registers[r.id].load(index, r.copy)
	return lo, hi, nil
}

// Write sets both lanes of an entry, cut to their width.
func (p *Pipe) Write(r Register, index int, lo, hi uint32) error {
	if err := r.check(index); err != nil {
		return err
	}
	p.registers[r.id].store(index, r.copy, lo, hi)
	return nil
}

// Fill sets n entries from an index on.
func (p *Pipe) Fill(r Register, index, n int, lo, hi uint32) error {
	if n == 0 {
		return nil
	}
	if err := r.check(index); err != nil {
		return err
	}
	if n < 0 || n > r.Size-index {
		return fmt.Errorf("register %s: %d entries from %d on: it has %d", r.Name, n, index, r.Size)
	}
	for i := index; i < index+n; i++ {
		p.registers[r.id].store(i, r.copy, lo, hi)
	}
	return nil
}

func (r Register) check(index int) error {
	if index < 0 || index >= r.Size {
		return fmt.Errorf("register %s: entry %d: it has 0 to %d", r.Name, index, r.Size-1)
	}
	return nil
}
