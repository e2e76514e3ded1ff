package trio

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/microcode/vm/idiom"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Stream does many iterations of a loop at once (idiom.Streamer): what the XTXNs of
// each would move goes straight from where it is to where it shall be. Iterations
// that would fail, or would meet the end of the tail, are left to the XTXNs.
func (x *instant) Stream(_ *vm.Thread, s idiom.Stream) uint64 {
	t, n := &x.thread, int(s.Count)*int(s.Len) // a thread's instructions bound the iterations
	if n > maxStream {
		n = maxStream / int(s.Len) * int(s.Len)
	}
	switch s.Kind {
	case idiom.TailToSums:
		n = x.pfe.sum(t, &s, n)
	case idiom.SumsToTail:
		n = x.pfe.collect(t, &s, n)
	case idiom.LMEMToSums:
		n = x.pfe.memory.AddRange(mem.Addr(s.Paddr), s.Half, t.LMEM[s.LMEM:int(s.LMEM)+n], int(s.Len))
	default:
		n = x.pfe.memory.FillRange(mem.Addr(s.Paddr), n, buffer(t, &s))
	}
	if n == int(s.Count)*int(s.Len) {
		return s.Count // as nearly always: no division
	}
	return uint64(n / int(s.Len))
}

// maxStream is the most bytes of one stream; a loop that moves more is several.
const maxStream = 1 << 20

func buffer(t *thread, s *idiom.Stream) []byte { return t.LMEM[s.LMEM : s.LMEM+s.Len] }

// sum adds up to n bytes of the tail of a thread's packet to memory, zeros behind its end, and
// returns how many it did. The buffer holds the last chunk.
func (p *PFE) sum(t *thread, s *idiom.Stream, n int) int {
	if t.work.packet == nil {
		return 0
	}
	tail, unit, last := t.work.packet.tail, int(s.Len), buffer(t, s)
	tail = tail[min(uint64(s.Offset), uint64(len(tail))):]
	whole := n
	if n > len(tail) {
		whole = len(tail) / unit * unit
	}
	done := p.memory.AddRange(mem.Addr(s.Paddr), s.Half, tail[:whole], unit)
	row := mem.RowAt(mem.Addr(s.Paddr), s.Half) + mem.Row(done/4)
	if done < whole || done == n || p.memory.Known(row, unit) < unit {
		copy(last, tail[max(done-unit, 0):done])
		return done
	}
	clear(last[copy(last, tail[done:]):])
	a, half := row.Place()
	return done + p.memory.AddRange(a, uint32(half), last, unit)
}

// collect copies up to n bytes of memory to the tail of the packet that a thread has
// created and returns how many it did. The buffer holds the last chunk.
func (p *PFE) collect(t *thread, s *idiom.Stream, n int) int {
	k, unit := t.created, int(s.Len)
	if k == nil {
		return 0
	}
	has := len(k.tail)
	limit := min(maxPacket-k.head, has+int(p.cfg.PacketMemory-p.used))
	if room := min(limit-int(s.Offset), p.memory.Within(mem.Addr(s.Paddr), n)); room < n {
		n = room / unit * unit
	}
	if n <= 0 {
		return 0
	}
	end := int(s.Offset) + n
	if more := end - has; more > 0 {
		p.charge(t, units.Bytes(more)) // there is room
	}
	to := k.extend(int(s.Offset), n)
	p.memory.ReadRange(mem.Addr(s.Paddr), to)
	copy(buffer(t, s), to[n-unit:])
	return n
}
