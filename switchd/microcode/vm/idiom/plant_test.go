package idiom

import (
	"encoding/binary"

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
