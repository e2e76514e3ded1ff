package idiom

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// A plant is memory and a packet, byte by byte. Beyond memory, and beyond the most
// that the tail of the result may have, threads are killed.
type plant struct {
	base   uint64     // word; memory ends 256 bytes before what registers can count
	memory [1024]byte // from there on
	tail   []byte
	result []byte
	most   uint64
}

// Bases of plants whose addresses are counted in words, and in halves of them.
const (
	plantWords  = 1<<32 - 160
	plantHalves = 1<<31 - 160
)

// reach returns n bytes of memory; nil if they are not all there.
func (p *plant) reach(word uint64, n int) []byte {
	at := (word - p.base) * 8
	if word < p.base || at+uint64(n) > uint64(len(p.memory)) {
		return nil
	}
	return p.memory[at : at+uint64(n)]
}

func (p *plant) XTXN(t *vm.Thread) (uint64, vm.Outcome) {
	if !p.pending(t) {
		return 0, vm.Kill
	}
	return 0, vm.Done
}

// pending does the pending XTXN of a thread; false if it fails.
func (p *plant) pending(t *vm.Thread) bool {
	half := uint64(0)
	if t.Pending.XTXN == isa.MemAdd32 {
		half = t.Pending.Args[1]
	}
	return p.do(t.Pending.XTXN, t.Pending.Args[0], half, t.Buffer())
}

// do does one XTXN; false if it fails. An add begins in a half of a word.
func (p *plant) do(x isa.XTXN, at, half uint64, buffer []byte) bool {
	m := p.reach(at, len(buffer)+4*int(half))
	if m != nil {
		m = m[4*half:]
	}
	switch x {
	case isa.XtxnWait:
		return true
	case isa.TailRead:
		clear(buffer)
		copy(buffer, p.tail[min(at, uint64(len(p.tail))):])
		return true
	case isa.TailWrite:
		end := at + uint64(len(buffer))
		if end > p.most {
			return false
		}
		p.result = append(p.result, make([]byte, max(int(end)-len(p.result), 0))...)
		copy(p.result[at:], buffer)
		return true
	case isa.MemRead:
		copy(buffer, m)
	case isa.MemWrite:
		copy(m, buffer)
	case isa.MemAdd32:
		for i := 0; i < len(m); i += 4 {
			binary.BigEndian.PutUint32(m[i:], binary.BigEndian.Uint32(m[i:])+binary.BigEndian.Uint32(buffer[i:]))
		}
	}
	return m != nil
}

// A hasty plant streams, but never more iterations than it has patience for.
type hasty struct {
	plant
	patience uint64
	streamed uint64
}

func (h *hasty) Stream(t *vm.Thread, s Stream) (n uint64) {
	b := t.LMEM[s.LMEM : s.LMEM+s.Len]
	for ; n < min(s.Count, h.patience); n++ {
		halves := 2*uint64(s.Paddr) + uint64(s.Half) + n*uint64(s.Len)/4
		paddr, half, offset := halves/2, halves%2, uint64(s.Offset)+n*uint64(s.Len)
		if h.reach(paddr, int(s.Len)+4*int(half)) == nil || s.Kind == SumsToTail && offset+uint64(s.Len) > h.most {
			break
		}
		switch s.Kind {
		case TailToSums:
			h.do(isa.TailRead, offset, 0, b)
			h.do(isa.MemAdd32, paddr, half, b)
		case SumsToTail:
			h.do(isa.MemRead, paddr, 0, b)
			h.do(isa.TailWrite, offset, 0, b)
		case LMEMToMemory:
			h.do(isa.MemWrite, paddr, 0, b)
		case LMEMToSums:
			at := uint64(s.LMEM) + n*uint64(s.Len)
			h.do(isa.MemAdd32, paddr, half, t.LMEM[at:at+uint64(s.Len)])
		}
	}
	h.streamed += n
	return n
}

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

// waits is a plant to which a thread comes only when its owner says so, as in
// virtual time.
type waits struct{ plant }

func (*waits) XTXN(*vm.Thread) (uint64, vm.Outcome) { return 0, vm.Suspend }

// run serves a thread to its end.
func (w *waits) run(t *vm.Thread) vm.Stop {
	for {
		if stop := t.Run(w); stop != vm.Waits {
			return stop
		}
		if !w.pending(t) {
			return vm.Killed
		}
		t.Resume(0)
	}
}

// A thread whose handler streams ends as one whose handler does not, and as one
// that waits at every XTXN: in the same state at the same instruction, with the
// same memory and packet.
func TestStreamedIsStepped(t *testing.T) {
	var streams, plain int
	ends := map[vm.Stop]int{}
	rapid.Check(t, func(rt *rapid.T) {
		g := &loopGenerator{
			T: rt, paddr: isa.LowReg(1), offset: isa.LowReg(2), left: isa.Reg{Num: 2, Width: 32}, end: isa.LowReg(3),
			from: isa.LowReg(4),
		}
		p := g.program()
		code, err := vm.Compile(p)
		if err != nil {
			rt.Skip(err)
		}
		Attach(code, p)
		limit := uint64(rapid.SampledFrom([]int{1, 10, 50, 400}).Draw(rt, "limit"))
		var stepped, streamed, timed vm.Thread
		code.Start(&stepped, 0, limit+uint64(g.upTo(9)))
		drawState(rt, &stepped)
		g.registers(&stepped)
		streamed, timed = stepped, stepped
		base := uint64(plantWords)
		if g.halves {
			base = plantHalves
		}
		plant := plant{base: base, tail: rapid.SliceOfN(rapid.Byte(), 0, 900).Draw(rt, "tail"), most: uint64(g.upTo(900))}
		h := &hasty{plant: plant, patience: uint64(rapid.SampledFrom([]int{0, 1, 3, 1 << 20}).Draw(rt, "patience"))}
		w := &waits{plant: plant}
		if got, want := w.run(&timed), stepped.Run(&plant); got != want {
			rt.Fatalf("stop %d in time, want %d", got, want)
		}
		stop := stepped.Run(nil) // it stays as it is
		equalThreads(rt, &stepped, &timed)
		if got := streamed.Run(h); got != stop {
			rt.Fatalf("stop %d, want %d", got, stop)
		}
		equalThreads(rt, &stepped, &streamed)
		if w.memory != plant.memory || !bytes.Equal(w.result, plant.result) {
			rt.Fatalf("memory or the result differ in time\n%s", p.Dump())
		}
		if h.memory != plant.memory || !bytes.Equal(h.result, plant.result) {
			rt.Fatalf("memory or the result differ\n%s", p.Dump())
		}
		ends[stop]++
		if h.streamed > 0 {
			streams++
		} else {
			plain++
		}
	})
	t.Logf("%d streamed, %d did not; ends %v", streams, plain, ends)
	if streams == 0 {
		t.Error("no loop was a stream")
	}
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

// drawState fills registers and LMEM.
func drawState(rt *rapid.T, t *vm.Thread) {
	for n := range 3 {
		t.SetRegister(n, rapid.Uint64().Draw(rt, "register"))
	}
	seed := rapid.Uint64().Draw(rt, "lmem")
	for i := range t.LMEM {
		seed = seed*6364136223846793005 + 1442695040888963407
		t.LMEM[i] = byte(seed >> 56)
	}
}

// equalThreads fails unless two threads differ at most in what no one sees.
func equalThreads(rt *rapid.T, want, got *vm.Thread) {
	rt.Helper()
	if got.Executed != want.Executed || got.Issued != want.Issued || got.PC() != want.PC() || got.Fault() != want.Fault() {
		rt.Fatalf("executed %d, issued %v, at %d, fault %q; want %d, %v, %d, %q", got.Executed, got.Issued, got.PC(), got.Fault(),
			want.Executed, want.Issued, want.PC(), want.Fault())
	}
	for n := range isa.Registers {
		if got.Register(n) != want.Register(n) {
			rt.Fatalf("r%d is %#x, want %#x", n, got.Register(n), want.Register(n))
		}
	}
	if diff := cmp.Diff(want.LMEM, got.LMEM); diff != "" {
		rt.Fatalf("LMEM (-want +got):\n%s", diff)
	}
}

func always(j isa.Jump, target int) []isa.Branch { return []isa.Branch{{Jump: j, Target: target}} }

// tailLoop adds a tail to memory: r1 is the offset in the tail, r2 the address in memory.
func tailLoop() *isa.Program {
	offset, paddr, buffer, bytes := isa.LowReg(1), isa.LowReg(2), isa.Const(512), isa.Const(64)
	plus := func(r isa.Reg, n isa.Const) isa.Move {
		return isa.Move{To: r, From: isa.Binary{Op: isa.Add, X: r, Y: n}}
	}
	again := isa.Branch{When: isa.Binary{Op: isa.Less, X: offset, Y: isa.Const(4096)}, Jump: isa.Goto}
	return &isa.Program{Name: "tail", AddBytes: isa.MaxAddBytes, Instructions: []isa.Instruction{
		{Moves: []isa.Move{plus(offset, 64)}, Next: always(isa.Goto, 1),
			Issues: []isa.Issue{{XTXN: isa.TailRead, Args: []isa.Expr{offset, buffer, bytes}}}},
		{Moves: []isa.Move{plus(paddr, 8)}, Next: always(isa.Goto, 2),
			Issues: []isa.Issue{{XTXN: isa.MemAdd32, Args: []isa.Expr{paddr, isa.Const(0), buffer, bytes}, Async: true}}},
		{Next: []isa.Branch{again, {Jump: isa.Exit}}},
	}}
}

// A loop is a stream only if all of it is understood.
func TestStreams(t *testing.T) {
	loop := func(change func(*isa.Program)) []int {
		p := tailLoop()
		change(p)
		code, err := vm.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		return Attach(code, p)
	}
	if got := loop(func(*isa.Program) {}); len(got) != 1 || got[0] != 0 {
		t.Errorf("streams at %v, want 0", got)
	}
	for name, change := range map[string]func(in []isa.Instruction){
		"wire":             func(in []isa.Instruction) { in[1].Wires = []isa.Expr{isa.Const(1)} },
		"condition":        func(in []isa.Instruction) { in[0].Issues[0].When = isa.LowReg(9) },
		"conditional step": func(in []isa.Instruction) { in[0].Moves[0].When = isa.LowReg(9) },
		"other move":       func(in []isa.Instruction) { in[0].Moves[0].From = isa.LowReg(9) },
		"other XTXN": func(in []isa.Instruction) {
			in[1].Issues[0] = isa.Issue{XTXN: isa.MemRead, Args: []isa.Expr{isa.LowReg(2), isa.Const(512), isa.Const(64)}}
		},
		"other buffer": func(in []isa.Instruction) { in[1].Issues[0].Args[2] = isa.Const(520) },
		"no wait":      func(in []isa.Instruction) { in[0].Issues[0].Async = true },
		"stride of memory": func(in []isa.Instruction) {
			in[1].Moves[0].From = isa.Binary{Op: isa.Add, X: isa.LowReg(2), Y: isa.Const(16)}
		},
		"stride of tail": func(in []isa.Instruction) {
			in[0].Moves[0].From = isa.Binary{Op: isa.Add, X: isa.LowReg(1), Y: isa.Const(32)}
		},
		"equality": func(in []isa.Instruction) {
			in[2].Next[0].When = isa.Binary{Op: isa.Equal, X: isa.LowReg(1), Y: isa.LowReg(9)}
		},
		"away from its end": func(in []isa.Instruction) {
			in[2].Next[0].When = isa.Binary{Op: isa.Greater, X: isa.LowReg(1), Y: isa.LowReg(9)}
		},
		"part of a step": func(in []isa.Instruction) {
			in[2].Next[0].When = isa.Binary{Op: isa.Less, X: isa.Reg{Num: 1, Bit: 48, Width: 16}, Y: isa.LowReg(9)}
		},
		"end that moves": func(in []isa.Instruction) {
			in[2].Next[0].When = isa.Binary{Op: isa.Less, X: isa.LowReg(1), Y: isa.LowReg(2)}
		},
		"truth of a value": func(in []isa.Instruction) { in[2].Next[0].When = isa.LowReg(9) },
		"way out": func(in []isa.Instruction) {
			in[1].Next = []isa.Branch{{When: isa.LowReg(9), Jump: isa.Exit}, in[1].Next[0]}
		},
	} {
		if got := loop(func(p *isa.Program) { change(p.Instructions) }); len(got) != 0 {
			t.Errorf("%s: streams at %v", name, got)
		}
	}
}

// A loop that ends at equality goes on where it passes its end; one that meets it goes on behind
// the loop, without an instruction of the loop being executed one by one.
func TestEndOfALoop(t *testing.T) {
	for end, want := range map[isa.Const]vm.Stop{128: vm.Exits, 100: vm.Faults} {
		p := tailLoop()
		p.Instructions[2].Next = []isa.Branch{
			{When: isa.Binary{Op: isa.NotEqual, X: isa.LowReg(1), Y: end}, Jump: isa.Goto}, {Jump: isa.Goto, Target: 3},
		}
		p.Instructions = append(p.Instructions, isa.Instruction{Next: always(isa.Exit, 0)})
		code, err := vm.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		Attach(code, p)
		var thread vm.Thread
		code.Start(&thread, 0, 30)
		thread.SetRegister(2, plantWords)
		h := &hasty{plant: plant{base: plantWords, tail: make([]byte, 2000)}, patience: 1 << 20}
		if got := thread.Run(h); got != want {
			t.Errorf("a loop up to %d ends with %d, want %d", end, got, want)
		}
		if want == vm.Exits && (h.streamed != 2 || thread.Executed != 7) {
			t.Errorf("%d iterations were a stream and %d instructions executed, want 2 and 7", h.streamed, thread.Executed)
		}
	}
}
