package idiom

import (
	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// A loopGenerator draws loops that are streams, or nearly so: at times a constant is
// not what it should be.
type loopGenerator struct {
	*rapid.T
	paddr, offset, left, end, from isa.Reg

	halves bool // paddr counts halves of words
}

// upTo draws evenly, unlike rapid.IntRange, which prefers what is small.
func (g *loopGenerator) upTo(n int) int {
	all := make([]int, n+1)
	for i := range all {
		all[i] = i
	}
	return rapid.SampledFrom(all).Draw(g.T, "n")
}

// about returns n, or seldom something near it.
func (g *loopGenerator) about(n int) int {
	if g.upTo(40) == 0 {
		return n + 8*rapid.IntRange(-1, 1).Draw(g.T, "off by")
	}
	return n
}

func (g *loopGenerator) plus(r isa.Reg, n int) isa.Expr {
	if n < 0 {
		return isa.Binary{Op: isa.Sub, X: r, Y: isa.Const(-n)}
	}
	return isa.Binary{Op: isa.Add, X: r, Y: isa.Const(n)}
}

func (g *loopGenerator) xtxn(x isa.XTXN, at, n isa.Expr, lmem int) isa.Instruction {
	return isa.Instruction{Issues: []isa.Issue{{XTXN: x, Async: g.async(x), Args: []isa.Expr{at, isa.Const(lmem), n}}}}
}

// async draws whether an XTXN is; seldom one that the program has to wait for.
func (g *loopGenerator) async(x isa.XTXN) bool {
	return g.upTo(1) == 0 && (x != isa.TailRead || g.upTo(20) == 0)
}

// add is an add at a word and a half of it.
func (g *loopGenerator) add(at, half, lmem isa.Expr, n int) isa.Instruction {
	return isa.Instruction{Issues: []isa.Issue{{XTXN: isa.MemAdd32, Async: g.upTo(1) == 0, Args: []isa.Expr{at, half, lmem, isa.Const(n)}}}}
}

// adds draws the instructions that add a buffer to memory: at once, piece by piece, or by
// a loop of their own, which begins at an instruction. Of these the last advances paddr.
func (g *loopGenerator) adds(begin, unit, lmem int) (body []isa.Instruction) {
	size := rapid.SampledFrom([]int{4, 8, unit}).Draw(g.T, "bytes of an add")
	if unit%size != 0 || unit/size > 10 {
		size = unit
	}
	if !g.halves {
		half := g.upTo(1)
		for at := 0; at < unit; at += size {
			halves := half + g.about(at)/4
			body = append(body, g.add(g.plus(g.paddr, halves/2), isa.Const(halves%2), isa.Const(g.about(lmem)+at), size))
		}
		return body
	}
	word, half := g.paddr, g.paddr
	word.Width, half.Bit, half.Width = 31, g.paddr.Bit+31, 1
	in := g.add(word, half, g.from, size)
	in.Moves = []isa.Move{{To: g.paddr, From: g.plus(g.paddr, size/4)}, {To: g.from, From: g.plus(g.from, size)}}
	last := isa.Binary{Op: isa.NotEqual, X: g.from, Y: isa.Const(lmem + g.about(unit) - size)}
	in.Next = []isa.Branch{{When: last, Jump: isa.Goto, Target: begin}, {Jump: isa.Goto, Target: begin + 1}}
	return append(body, in)
}

// program draws a loop of one of the kinds; an instruction that exits follows.
func (g *loopGenerator) program() *isa.Program {
	unit, lmem := 8*(1+g.upTo(7)), g.upTo(1000)
	var body []isa.Instruction
	total := unit
	switch g.upTo(3) {
	case 0:
		g.halves = g.upTo(1) == 0
		body = append(body, g.xtxn(isa.TailRead, g.offset, isa.Const(unit), lmem))
		body[0].Moves = []isa.Move{{To: g.from, From: isa.Const(lmem)}}
		body = append(body, g.adds(1, unit, lmem)...)
	case 3:
		in := g.add(g.paddr, isa.Const(g.upTo(1)), g.from, unit)
		in.Moves = []isa.Move{{To: g.from, From: g.plus(g.from, g.about(unit))}}
		body = append(body, in)
	case 1:
		body = append(body, g.xtxn(isa.MemWrite, g.paddr, isa.Const(unit), lmem))
	default:
		reads := 1 + g.upTo(3)
		for i := range reads {
			body = append(body, g.xtxn(isa.MemRead, g.plus(g.paddr, g.about(i*unit/8)), isa.Const(unit), g.about(lmem+i*unit)))
		}
		total = reads * unit
		if g.upTo(1) == 0 {
			body = append(body, isa.Instruction{Issues: []isa.Issue{{XTXN: isa.XtxnWait}}})
		}
		body = append(body, g.xtxn(isa.TailWrite, g.offset, g.length(total), lmem))
	}
	if len(body) == 1 || g.upTo(3) == 0 {
		body = append(body, isa.Instruction{})
	}
	g.steps(body, total)
	g.branches(body, total)
	body = append(body, isa.Instruction{Next: always(isa.Exit, 0)})
	return &isa.Program{Name: "loop", AddBytes: isa.MaxAddBytes, Instructions: body}
}

// length is how the last iteration of a loop writes less.
func (g *loopGenerator) length(n int) isa.Expr {
	switch c := isa.Const(n); g.upTo(3) {
	case 0:
		return isa.Select{If: isa.Binary{Op: isa.Less, X: g.left, Y: c}, Then: g.left, Else: c}
	case 1:
		return isa.Select{If: isa.Binary{Op: isa.LessEqual, X: c, Y: g.left}, Then: c, Else: g.left}
	}
	return isa.Const(n)
}

// steps puts the additions to registers behind the instructions that use them.
func (g *loopGenerator) steps(body []isa.Instruction, total int) {
	last := len(body) - 1
	for _, m := range []struct {
		to isa.Reg
		by int
	}{{g.paddr, g.about(total) / 8}, {g.offset, g.about(total)}, {g.left, -total}} {
		if g.halves && m.to == g.paddr {
			continue // its own loop does that
		}
		i := last - g.upTo(min(last, 1))
		if len(body[i].Next) > 0 {
			i = 0 // a loop within this one
		}
		body[i].Moves = append(body[i].Moves, isa.Move{To: m.to, From: g.plus(m.to, m.by)})
		if g.upTo(50) == 0 { // a second step, or one of a part
			m.to.Bit, m.to.Width = m.to.Bit+uint8(g.upTo(1))*8, 24
			body[0].Moves = append(body[0].Moves, isa.Move{To: m.to, From: isa.LowReg(1)})
		}
	}
}

func (g *loopGenerator) branches(body []isa.Instruction, total int) {
	for i := range body {
		if len(body[i].Next) == 0 {
			body[i].Next = always(isa.Goto, i+1)
		}
	}
	last := len(body) - 1
	inner := body[last].Next[:len(body[last].Next)-1] // of a loop within this one
	c := isa.Binary{X: g.left, Y: isa.Const(total)}
	switch g.upTo(5) {
	case 0:
		c.Op = isa.Greater
	case 1:
		c.Op = isa.GreaterEqual
	case 2:
		c = isa.Binary{Op: isa.Less, X: isa.Const(total), Y: g.left}
	case 3:
		c = isa.Binary{Op: isa.LessEqual, X: g.plus(g.offset, total), Y: g.end}
	case 4:
		c = isa.Binary{Op: isa.NotEqual, X: g.plus(g.offset, 0), Y: g.end}
	default:
		c = isa.Binary{Op: isa.Less, X: g.plus(g.offset, g.upTo(100)), Y: g.end}
	}
	body[last].Next = append(inner[:len(inner):len(inner)], isa.Branch{When: c, Jump: isa.Goto}, isa.Branch{Jump: isa.Goto, Target: last + 1})
}

// registers draws where a loop starts and ends.
func (g *loopGenerator) registers(t *vm.Thread) {
	offset := uint64(rapid.SampledFrom([]int{0, 0, 8, 300, 1<<32 - 64}).Draw(g.T, "offset"))
	left := uint64(g.upTo(1000))
	paddr := uint64(rapid.IntRange(plantWords-1, plantWords+160).Draw(g.T, "paddr"))
	if g.halves {
		paddr = min(2*(paddr-plantWords+plantHalves)+uint64(g.upTo(1)), 1<<32-1)
	}
	t.SetRegister(1, paddr)
	t.SetRegister(4, uint64(rapid.IntRange(0, isa.LMEMBytes).Draw(g.T, "from")))
	t.SetRegister(2, left<<32|offset)
	t.SetRegister(3, offset+left)
}

func always(j isa.Jump, target int) []isa.Branch { return []isa.Branch{{Jump: j, Target: target}} }
