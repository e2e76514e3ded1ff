package isa

import (
	"cmp"
	"fmt"
)

// A Machine is what programs are compiled for, where readings of the paper differ. The
// zero value is the default machine.
type Machine struct {
	// AddBytes is the most bytes that one MemAdd32 takes: a power of two from 4 to
	// MaxAddBytes; zero: the constant of that name. Programs know it as ADD_BYTES.
	AddBytes int
}

// Resolved returns the machine with its defaults, or says what cannot be.
func (m Machine) Resolved() (Machine, error) {
	m.AddBytes = cmp.Or(m.AddBytes, AddBytes)
	if n := m.AddBytes; n < 4 || n > MaxAddBytes || n&(n-1) != 0 {
		return m, fmt.Errorf("an add of %d bytes: 4, 8, 16, 32 and %d are possible", n, MaxAddBytes)
	}
	return m, nil
}

// Adds returns the most bytes that one MemAdd32 of the program takes.
func (p *Program) Adds() int { return cmp.Or(p.AddBytes, AddBytes) }

// LengthOf returns the bounds of the LMEM buffer of an XTXN on the machine that the program
// is compiled for; zero for an XTXN without one.
func (p *Program) LengthOf(x XTXN) Length {
	s, ok := x.Spec()
	if !ok {
		return Length{}
	}
	l := s.Length
	if x == MemAdd32 {
		l.Max = p.Adds()
	}
	return l
}
