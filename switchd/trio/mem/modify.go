package mem

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/vec"
)

// Add32 adds the big-endian 32-bit numbers in src to those from the first (half 0)
// or second (half 1) 4 bytes of a word on, each wrapping around. The length must be 4
// to [Memory.AddBytes] in steps of 4.
func (m *Memory) Add32(a Addr, half uint64, src []byte) Fault {
	if n := len(src); n < 4 || n > m.addBytes || n%4 != 0 {
		return BadLength
	}
	if half > 1 {
		return BadHalf
	}
	lo, hi, f := m.reachAdd(a, 4*int(half)+len(src))
	if f != NoFault {
		return f
	}
	if lo = lo[4*half:]; len(src) == 4 {
		binary.BigEndian.PutUint32(lo, binary.BigEndian.Uint32(lo)+binary.BigEndian.Uint32(src))
		return NoFault
	}
	vec.AddBE(lo, src[:len(lo)])
	if len(hi) != 0 {
		vec.AddBE(hi, src[len(lo):])
	}
	return NoFault
}

// FetchAdd32 adds v to the first (half 0) or second (half 1) 4 bytes of a word,
// wrapping around, and returns the sum.
func (m *Memory) FetchAdd32(a Addr, half uint64, v uint32) (sum uint32, f Fault) {
	if half > 1 {
		return 0, BadHalf
	}
	w, _, f := m.reach(a, WordBytes)
	if f != NoFault {
		return 0, f
	}
	w = w[4*half : 4*half+4]
	sum = binary.BigEndian.Uint32(w) + v
	binary.BigEndian.PutUint32(w, sum)
	return sum, NoFault
}

// FetchAnd replaces a word by word & v and returns the old one.
func (m *Memory) FetchAnd(a Addr, v uint64) (old uint64, f Fault) { return m.merge(a, 0, ^v) }

// FetchOr replaces a word by word | v and returns the old one.
func (m *Memory) FetchOr(a Addr, v uint64) (old uint64, f Fault) { return m.merge(a, v, v) }

// FetchXor replaces a word by word ^ v and returns the old one.
func (m *Memory) FetchXor(a Addr, v uint64) (old uint64, f Fault) {
	w, _, f := m.reach(a, WordBytes)
	if f != NoFault {
		return 0, f
	}
	old = binary.BigEndian.Uint64(w)
	binary.BigEndian.PutUint64(w, old^v)
	return old, NoFault
}

// FetchClear clears the bits of a word that are set in v and returns the old word.
func (m *Memory) FetchClear(a Addr, v uint64) (old uint64, f Fault) { return m.merge(a, 0, v) }

// FetchSwap replaces a word by v and returns the old one.
func (m *Memory) FetchSwap(a Addr, v uint64) (old uint64, f Fault) { return m.merge(a, v, ^uint64(0)) }

// MaskedWrite writes the bits of v that are set in mask.
func (m *Memory) MaskedWrite(a Addr, v, mask uint64) Fault {
	_, f := m.merge(a, v, mask)
	return f
}

// merge replaces the bits of a word that are set in mask by those of v.
func (m *Memory) merge(a Addr, v, mask uint64) (old uint64, f Fault) {
	w, _, f := m.reach(a, WordBytes)
	if f != NoFault {
		return 0, f
	}
	old = binary.BigEndian.Uint64(w)
	binary.BigEndian.PutUint64(w, old&^mask|v&mask)
	return old, NoFault
}

// CounterInc counts one packet of so many bytes in the counter at a: one word of
// packets, then one of bytes, both wrapping around.
func (m *Memory) CounterInc(a Addr, bytes uint32) Fault {
	if _, _, f := m.reach(a, CounterBytes); f != NoFault {
		return f
	}
	m.store(a, m.load(a)+1)
	m.store(a+1, m.load(a+1)+uint64(bytes))
	return NoFault
}

// Counter returns what the counter at a has counted.
func (m *Memory) Counter(a Addr) (packets, bytes uint64, f Fault) {
	if !m.holds(a, CounterBytes) {
		return 0, 0, OutOfRange
	}
	return m.load(a), m.load(a + 1), NoFault
}
