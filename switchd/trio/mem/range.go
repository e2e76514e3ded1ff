package mem

import "github.com/inalab/inalab/internal/vec"

// Operations on ranges, for a machine without time: each stands for XTXNs that a program
// issues one after another, each at the end of the one before. A unit is the bytes of one
// XTXN. An operation does as many whole units as the XTXNs would have done without a
// fault, and allocates the same pages.

// AddRange adds the big-endian 32-bit numbers in src, a number of units, to those
// from the first (half 0) or second (half 1) 4 bytes of a on. It returns the bytes done.
func (m *Memory) AddRange(a Addr, half uint32, src []byte, unit int) int {
	before := 4 * int(half)
	n := m.prepare(a, before, len(src), unit)
	for at := 0; at < n; {
		b := m.piece(a, before+at, before+n)
		vec.AddBE(b, src[at:at+len(b)])
		at += len(b)
	}
	return n
}

// FillRange writes a pattern over n bytes from a on, again and again; the pattern
// is the unit. It returns the bytes done.
func (m *Memory) FillRange(a Addr, n int, pattern []byte) int {
	n = m.prepare(a, 0, n, len(pattern))
	for at := 0; at < n; {
		b := m.piece(a, at, n)
		repeat(b, pattern, at%len(pattern))
		at += len(b)
	}
	return n
}

// repeat fills b with a pattern, from its byte number phase on.
func repeat(b, pattern []byte, phase int) {
	n := copy(b, pattern[phase:])
	n += copy(b[n:], pattern[:phase])
	for n < len(b) {
		n += copy(b[n:], b[:n]) // b begins with whole patterns
	}
}

// ReadRange copies len(dst) bytes from a on; they must be [Memory.Within].
func (m *Memory) ReadRange(a Addr, dst []byte) {
	off := int(a&(pageWords-1)) * WordBytes
	for page := int(a >> pageShift); len(dst) > 0; page++ {
		dst = dst[m.copyOut(page, off, dst):]
		off = 0
	}
}

// prepare returns how many of n bytes, which are whole units, can be written, in whole units: those behind the
// first few, before, of a. All of their pages are there.
func (m *Memory) prepare(a Addr, before, n, unit int) int {
	if in := max(m.Within(a, before+n)-before, 0); in < n {
		n = in / unit * unit
	}
	first := int(a >> pageShift)
	room := pageBytes - int(a&(pageWords-1))*WordBytes - before
	for page := first; n > 0; page++ {
		if !m.allocate(page) {
			return max(room-pageBytes, 0) / unit * unit
		}
		if room >= n {
			break
		}
		room += pageBytes
	}
	return n
}

// Within returns how many of n bytes from a on are in the range that a is in.
func (m *Memory) Within(a Addr, n int) int {
	end := m.end(a)
	if a >= end {
		return 0
	}
	return min(n, int(end-a)*WordBytes)
}

// piece returns the bytes from the at-th to the n-th behind a, as far as they are in
// one page, which is there.
func (m *Memory) piece(a Addr, at, n int) []byte {
	first := int(a)*WordBytes + at
	off := first % pageBytes
	return m.page(first / pageBytes)[off:min(off+n-at, pageBytes)]
}
