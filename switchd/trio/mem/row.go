package mem

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/vec"
)

// A Row is a place in shared memory at which 32-bit adds follow each other: that of the next one, in
// units of 4 bytes.
type Row uint64

// RowAt returns the row that begins at the first (half 0) or second (half 1) 4 bytes of a.
func RowAt(a Addr, half uint32) Row { return Row(a)<<1 | Row(half) }

// Place returns where the next add is: a word and a half of it.
func (r Row) Place() (a Addr, half int) { return Addr(r >> 1), int(r & 1) }

// Page returns the page of memory that the next add begins in.
func (r Row) Page() int { return int(r >> (pageShift + 1)) }

// Rest returns how many bytes of that page are from the next add on.
func (r Row) Rest() int { return pageBytes - int(r*4)&(pageBytes-1) }

// Known returns how many of so many bytes of a row can be added to without a fault and without a
// page that is new.
func (m *Memory) Known(r Row, bytes int) int {
	a, half := r.Place()
	before := int(a&(pageWords-1))*WordBytes + 4*half
	known := -before
	for at := int(a >> pageShift); known < bytes && at/frameSize < len(m.frames) && m.given(at) != nil; at++ {
		known += pageBytes
	}
	return max(0, min(known, m.Within(a, 4*half+bytes)-4*half))
}

// AddRow is [Memory.Add32] at a row, which is known, and returns the row behind it.
func (m *Memory) AddRow(r Row, src []byte) Row {
	page, off := m.given(r.Page()), int(r*4)&(pageBytes-1)
	behind := r + Row(len(src)/4)
	switch n := pageBytes - off; {
	case n < len(src):
		vec.AddBE(page[off:], src[:n])
		vec.AddBE(m.given(behind.Page())[:len(src)-n], src[n:])
	case len(src) == 4:
		dst := page[off : off+4]
		binary.BigEndian.PutUint32(dst, binary.BigEndian.Uint32(dst)+binary.BigEndian.Uint32(src))
	default:
		vec.AddBE(page[off:off+len(src)], src)
	}
	return behind
}
