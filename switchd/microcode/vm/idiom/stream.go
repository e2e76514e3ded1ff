package idiom

import (
	"math/bits"

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
	Half   uint32 // of that word: 0 first, 1 second 4 bytes
	Offset uint32 // tail, in bytes: likewise; 0 if no tail takes part
	LMEM   int32  // buffer, in bytes: of all iterations, or of the first one, where each has its own behind the last
	Len    int32  // bytes that an iteration moves; a multiple of 4
	Count  uint64 // iterations
}

// A StreamKind is from where to where a loop moves data.
type StreamKind uint8

// Kinds of streams, with the XTXNs of one iteration.
const (
	TailToSums   StreamKind = iota + 1 // TailRead into the buffer, MemAdd32s of all of it
	SumsToTail                         // MemReads that fill the buffer, TailWrite from it
	LMEMToMemory                       // MemWrite from the buffer, which stays as it is
	LMEMToSums                         // MemAdd32 from a buffer behind that of the last iteration
)

// run does what a handler can of the loop at whose head the thread is. A thread that has
// reads to wait for is left to package vm.
func (l *loop) run(t *vm.Thread, h vm.Handler) (next int) {
	streamer, ok := h.(Streamer)
	if !ok || t.Awaits(0, isa.LMEMBytes) {
		return l.head
	}
	count, ends := l.iterations(t)
	if ends {
		count++
	}
	s, ok := l.stream(t, count)
	if !ok {
		return l.head
	}
	n := streamer.Stream(t, s)
	if n == 0 {
		return l.head
	}
	l.advance(t, n)
	if ends && n == count {
		return l.exit
	}
	return l.head
}

// iterations returns how many iterations of a thread that is at the head of the loop are sure to be
// followed by another, and whether the one behind them is like them, and leads to the exit.
func (l *loop) iterations(t *vm.Thread) (count uint64, ends bool) {
	last := &l.while[0]
	count = last.count(t)
	for i := 1; i < len(l.while); i++ {
		if n := l.while[i].count(t); n < count {
			count, last = n, &l.while[i]
		}
	}
	return count, l.exit != none && !last.holds(t, count)
}

// stream returns so many iterations of a thread that is at the head of the loop, or as many as its
// addresses and instructions are enough for; false if there are none.
func (l *loop) stream(t *vm.Thread, count uint64) (s Stream, ok bool) {
	s = l.shape
	s.Count = within(count, l.length, t.Granted())
	return s, s.Count > 0 && l.locate(t, &s)
}

// advance leaves registers and counters as n iterations do, which is at least one.
func (l *loop) advance(t *vm.Thread, n uint64) {
	for i := range l.steps {
		l.steps[i].do(t, n)
	}
	t.Executed += n * l.length
	for _, x := range l.issued {
		t.Issued[x.xtxn] += x.n * n
	}
}

// locate says where a stream starts, and bounds it to what its addresses can count; false
// if not even one iteration is within those.
func (l *loop) locate(t *vm.Thread, s *Stream) bool {
	at := l.sums.bytes(t)
	s.Paddr, s.Half = uint32(at/isa.WordBytes), uint32(at/4&1)
	s.Count = within(s.Count, l.step, 1<<isa.FieldBits-l.sums.value(t))
	switch s.Kind {
	case TailToSums, SumsToTail:
		s.Offset = uint32(l.offset.value(t))
		s.Count = within(s.Count, uint64(s.Len), 1<<isa.FieldBits-uint64(s.Offset))
	case LMEMToSums:
		from := l.lmem.value(t)
		s.LMEM = int32(min(from, isa.LMEMBytes))
		s.Count = within(s.Count, uint64(s.Len), uint64(isa.LMEMBytes-s.LMEM))
	}
	return s.Count > 0
}

// within returns how many of some steps have room. All of them have, nearly always: then nothing is divided.
func within(count, step, room uint64) uint64 {
	if over, n := bits.Mul64(count, step); over == 0 && n <= room {
		return count
	}
	return room / step
}
