package vm

import (
	"fmt"
	"hash/fnv"
)

// An Ahead is an instruction of a program that was compiled ahead of time: a Go function that does what its flat form
// does. It belongs to any program that has the same instruction at the same place.
type Ahead struct {
	At  int
	Sum uint64 // of the flat form
	Do  func(t *Thread, in *Instr, pc int32) (next int32)
}

// Instr is an instruction, to functions that were compiled ahead.
type Instr = instr

// File is the registers of a thread, and the wires behind them.
type File = [fileSize]uint64

// Where a function that was compiled ahead may lead but to an instruction.
const (
	ToExit  = toExit
	ToFault = toFault
)

// SetAhead takes functions for instructions that are those they were compiled from, before any thread is started, and
// returns how many there are.
func (c *Code) SetAhead(list []Ahead) (n int) {
	for i := range list {
		a := &list[i]
		if a.At >= len(c.instrs) || c.instrs[a.At].flat == nil || c.instrs[a.At].sum() != a.Sum {
			continue
		}
		c.instrs[a.At].ahead = a.Do
		n++
	}
	return n
}

// sum tells flat instructions apart.
func (in *instr) sum() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, in.flat)
	for i := range in.issues {
		fmt.Fprint(h, in.issues[i].request)
	}
	return h.Sum64()
}

// Registers returns the registers of a thread.
func (t *Thread) Registers() *File { return &t.file }

// Request begins an issue of the instruction; [Instr.Issue] ends it, when Pending has its arguments.
func (in *instr) Request(t *Thread, i int) { t.Pending = in.issues[i].request }

// Issue is the end of an issue.
func (in *instr) Issue(t *Thread, i int) { in.issues[i].finish(t) }

// Follow returns where a call or return leads, or ToFault.
func (t *Thread) Follow(next, pc int32) int32 { return t.jump(next, pc) }

// Failed reports whether the instruction has ended in a fault.
func (t *Thread) Failed() bool { return t.fault != NoFault }

// LoadAt returns a field of LMEM, from a byte and some bits on.
func (t *Thread) LoadAt(base uint64, bit, width int32) uint64 {
	return t.loadBits(t.address(base, bit, width), width)
}

// Load returns a field of LMEM.
func (t *Thread) Load(bit, width int32) uint64 { return t.loadBits(bit, width) }

// Store writes a field of LMEM.
func (t *Thread) Store(bit, width int32, v uint64) { t.storeBits(bit, width, v) }

// Truth returns 1 for what holds, else 0.
func Truth(b bool) uint64 { return truth(b) }
