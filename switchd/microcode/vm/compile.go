package vm

import (
	"fmt"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// A Code is a program ready to run. It does not change: any number of threads
// may run it.
type Code struct {
	instrs []instr
}

// An instr is one instruction.
type instr struct {
	ahead    func(t *Thread, in *Instr, pc int32) int32 // the same, compiled ahead; nil: there is none
	shortcut Shortcut                                   // nil: none
	flat     []flatOp                                   // the same; nil: there are the closures alone
	issues   []issue                                    // up to here is what a thread most often needs: a line of a cache
	wires    []operand
	branches []branch // conditional ones; after them comes next
	next     int32
	simple   int // moves, if they are done in a simpler way: by single or pair
	moves    []move
}

// A branch leads to an instruction, or, from callFlag on, elsewhere.
type branch struct {
	when test
	next int32
}

// What an int32 next means. Calls carry the target in the low bits.
const (
	callFlag int32 = 1 << 24
	toCaller int32 = 2 << 24
	toExit   int32 = 3 << 24
	toFault  int32 = 4 << 24

	targetMask = callFlag - 1
)

// A move writes a value.
type move struct {
	when *test // nil: always
	from operand
	to   place
}

// Compile checks a program and turns it into closures. The program is not used
// afterwards.
func Compile(p *isa.Program) (*Code, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("load %s: %w", p.Name, err)
	}
	c := &Code{instrs: make([]instr, len(p.Instructions))}
	for i := range p.Instructions {
		c.instrs[i] = compileInstr(p, int32(i))
	}
	return c, nil
}

// A Shortcut does part of a program when a thread that a handler serves comes to its instruction, and
// returns the instruction at which the thread goes on: the same one, or one behind that part. It
// counts its own work in Executed and Issued.
type Shortcut func(t *Thread, h Handler) (next int)

// SetShortcut puts a shortcut at an instruction, before any thread is started.
func (c *Code) SetShortcut(at int, s Shortcut) { c.instrs[at].shortcut = s }

func compileInstr(p *isa.Program, at int32) instr {
	var out instr
	in := &p.Instructions[at]
	for _, w := range in.Wires {
		out.wires = append(out.wires, compileOperand(w))
	}
	for i := range in.Issues {
		out.issues = append(out.issues, compileIssue(p, &in.Issues[i], at))
	}
	for _, b := range in.Next {
		if b.When == nil {
			out.next = compileJump(b)
			break // later branches are never reached
		}
		out.branches = append(out.branches, branch{compileTest(b.When), compileJump(b)})
	}
	for _, m := range in.Moves {
		out.moves = append(out.moves, move{compileGuard(m.When), compileOperand(m.From), placeOf(m.To)})
	}
	out.simple = simple(out.moves)
	out.flat = flatten(in, &out)
	return out
}

// simple returns how many moves there are if that is one or two, to registers; the
// two must have no conditions. Otherwise it returns 0.
func simple(moves []move) int {
	for i := range moves {
		if m := &moves[i]; len(moves) > 2 || !m.to.register || m.when != nil && len(moves) > 1 {
			return 0
		}
	}
	return len(moves)
}

func compileJump(b isa.Branch) int32 {
	switch b.Jump {
	case isa.Call:
		return callFlag | int32(b.Target)
	case isa.Return:
		return toCaller
	case isa.Exit:
		return toExit
	}
	return int32(b.Target)
}
