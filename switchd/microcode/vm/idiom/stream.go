package idiom

import (
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// A Streamer is a [vm.Handler] that serves all XTXNs at once and can do many
// iterations of a loop in one go.
type Streamer interface {
	vm.Handler
	// Stream does up to s.Count iterations, those from the first on, and leaves
	// LMEM, memory and packets as the XTXNs of that many iterations would, done
	// one by one. It returns their number: fewer, or none, if the next one would
	// fail or is beyond what it can do at once. The thread's registers are those
	// at the beginning; Stream changes nothing of it but LMEM.
	Stream(t *vm.Thread, s Stream) (done uint64)
}

// A Stream is what iterations of a loop do. Each takes up where the last ended.
type Stream struct {
	Kind   StreamKind
	Paddr  uint32 // shared memory, in words of 8 bytes: where the first iteration is
	Offset uint32 // tail, in bytes: likewise; 0 if no tail takes part
	LMEM   int32  // buffer that all iterations use, in bytes
	Len    int32  // bytes that an iteration moves; a multiple of 8
	Count  uint64 // iterations
}

// A StreamKind is from where to where a loop moves data.
type StreamKind uint8

// Kinds of streams, with the XTXNs of one iteration.
const (
	TailToSums   StreamKind = iota + 1 // TailRead into the buffer, MemAdd32 from it
	SumsToTail                         // MemReads that fill the buffer, TailWrite from it
	LMEMToMemory                       // MemWrite from the buffer, which stays as it is
)

// run does what a handler can of the loop at whose head the thread is.
func (l *loop) run(t *vm.Thread, h vm.Handler) {
	streamer, ok := h.(Streamer)
	if !ok {
		return
	}
	s := l.shape
	s.Count = t.Granted() / l.length
	for i := range l.while {
		s.Count = min(s.Count, l.while[i].count(t))
	}
	if s.Count == 0 {
		return
	}
	s.Paddr = uint32(l.paddr.value(t))
	s.Count = min(s.Count, fits(s.Paddr, s.Len/isa.WordBytes))
	if s.Kind != LMEMToMemory {
		s.Offset = uint32(l.offset.value(t))
		s.Count = min(s.Count, fits(s.Offset, s.Len))
	}
	n := streamer.Stream(t, s)
	for i := range l.steps {
		l.steps[i].advance(t, n)
	}
	t.Executed += n * l.length
	for _, x := range l.issued {
		t.Issued[x] += n
	}
}

// fits returns how many steps from an address on stay within 32 bits.
func fits(at uint32, step int32) uint64 {
	return (1<<isa.FieldBits - uint64(at)) / uint64(step)
}

// count returns how many iterations from now on surely find that the condition
// holds. No value wraps around in them, unless only equality is asked for.
func (g *guard) count(t *vm.Thread) uint64 {
	x, y := g.x.value(t), g.y.value(t)
	if g.op != isa.NotEqual && !ordered(g.op, x, y) {
		return 0
	}
	d := (y - x) & wrap
	if g.falls {
		d = (x - y) & wrap
	}
	if g.op == isa.LessEqual || g.op == isa.GreaterEqual {
		return d/g.by + 1
	}
	return (d + g.by - 1) / g.by
}

// ordered reports whether a comparison by size holds.
func ordered(op isa.Op, x, y uint64) bool {
	switch op {
	case isa.Less:
		return x < y
	case isa.LessEqual:
		return x <= y
	case isa.Greater:
		return x > y
	}
	return x >= y // GreaterEqual
}
