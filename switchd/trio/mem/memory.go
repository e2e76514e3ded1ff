package mem

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/units"
)

// An Addr is an address in shared memory, in words of 8 bytes.
type Addr uint32

// PageBytes is the size of the pages that the host gives memory in. It is of the
// emulation alone: programs may keep what they use far apart, as Trio-ML its buffers,
// and what is in between should take little.
const PageBytes = 8 * units.KiB

const (
	pageShift = 10 // of an Addr
	pageWords = 1 << pageShift
	pageBytes = pageWords * WordBytes
)

type page [pageBytes]byte

// A frame is pages in a row. Most of a memory is never written to, and then there is
// not even a list of its pages, which the garbage collector would have to read.
type frame [frameSize]*page

const frameSize = 8

// Memory is the data of a shared memory with its hash table. One goroutine owns
// it. Make it with [New].
type Memory struct {
	frames   []*frame // of pages, in order; nil: none is yet written
	resident int      // pages given
	most     int      // pages that may be given
	addBytes int      // of the longest add
	table    *Table
	layout   Layout
	delayed  *delayed // nil: adds are done when they are asked for
}

// Layout says where things stand. Ranges include Start and exclude End.
type Layout struct {
	SRAM, DRAM Range // for programs: one of them is less what the records take
	Records    Range // of the hash table, RecordBytes each, from RecordsBase on
}

// A Range is words of shared memory.
type Range struct{ Start, End Addr }

// Bytes returns the size of the range.
func (r Range) Bytes() units.Bytes { return units.Bytes(r.End-r.Start) * WordBytes }

// cut leaves the first n bytes of the range, in whole words.
func (r *Range) cut(n units.Bytes) {
	r.End = min(r.End, r.Start+Addr((n+WordBytes-1)/WordBytes))
}

// New makes a memory that is all zero, with an empty hash table. It returns an
// error that names every bad field of c.
func New(c Config) (*Memory, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	records := Addr(c.Records) * recordWords
	l := Layout{
		SRAM:    Range{0, Addr(c.SRAM / WordBytes)},
		DRAM:    Range{DRAMBase, DRAMBase + Addr(c.DRAM/WordBytes)},
		Records: Range{RecordsBase, RecordsBase + records},
	}
	if c.RecordsIn == DRAM {
		l.DRAM.End -= records
	} else {
		l.SRAM.End -= records
	}
	if b := c.Bounds; b != nil {
		l.SRAM.cut(b.SRAM)
		l.DRAM.cut(b.DRAM)
	}
	m := &Memory{layout: l, most: int(c.Resident / pageBytes), addBytes: c.AddBytes}
	m.frames = make([]*frame, (l.DRAM.End>>pageShift)/frameSize+1)
	m.table = newTable(m, RecordsBase, c.Records, c.Buckets)
	return m, nil
}

// AddBytes returns the most bytes that one add takes.
func (m *Memory) AddBytes() int { return m.addBytes }

// Layout says what stands where.
func (m *Memory) Layout() Layout { return m.layout }

// Hash returns the hash table, whose records stand in m.
func (m *Memory) Hash() *Table { return m.table }

// Resident returns what the pages that were written take in the host.
func (m *Memory) Resident() units.Bytes { return units.Bytes(m.resident) * pageBytes }

// holds reports whether n bytes from a are within one of the ranges.
func (m *Memory) holds(a Addr, n int) bool {
	end := m.end(a)
	return a < end && end-a >= Addr(n+WordBytes-1)/WordBytes
}

// end returns the end of the range that a is in, or behind.
func (m *Memory) end(a Addr) Addr {
	switch {
	case a >= DRAMBase:
		return m.layout.DRAM.End
	case a >= RecordsBase:
		return m.layout.Records.End
	}
	return m.layout.SRAM.End
}

// reach returns n bytes from a, at most a page, for writing. They are in lo
// alone, unless they cross the end of a page: then the rest is in hi.
func (m *Memory) reach(a Addr, n int) (lo, hi []byte, f Fault) {
	if !m.holds(a, n) {
		return nil, nil, OutOfRange
	}
	off := int(a&(pageWords-1)) * WordBytes
	if p := m.page(int(a >> pageShift)); p != nil && off+n <= pageBytes {
		return p[off : off+n], nil, NoFault
	}
	if off+n > pageBytes && m.delayed != nil {
		m.delayed.settle(int(a>>pageShift) + 1)
	}
	return m.reachSlow(a, off, n)
}

// reachAdd is reach for an add, which need not wait for others.
func (m *Memory) reachAdd(a Addr, n int) (lo, hi []byte, f Fault) {
	if !m.holds(a, n) {
		return nil, nil, OutOfRange
	}
	return m.reachSlow(a, int(a&(pageWords-1))*WordBytes, n)
}

// reachSlow is reach where a page is new or two are needed.
func (m *Memory) reachSlow(a Addr, off, n int) (lo, hi []byte, f Fault) {
	at := int(a >> pageShift)
	crosses := off+n > pageBytes
	if !m.allocate(at) || crosses && !m.allocate(at+1) {
		return nil, nil, Exhausted
	}
	if !crosses {
		return m.given(at)[off : off+n], nil, NoFault
	}
	return m.given(at)[off:], m.given(at + 1)[:off+n-pageBytes], NoFault
}

// allocate makes sure that a page has room in the host; false if there is none left.
func (m *Memory) allocate(at int) bool {
	if m.given(at) != nil {
		return true
	}
	if m.resident == m.most {
		return false
	}
	f := &m.frames[at/frameSize]
	if *f == nil {
		*f = new(frame)
	}
	(*f)[at%frameSize] = new(page)
	m.resident++
	return true
}

// page returns a page by Addr>>pageShift, with all adds to it done; nil: not yet written, all zero.
func (m *Memory) page(at int) *page {
	if m.delayed != nil {
		m.delayed.settle(at)
	}
	return m.given(at)
}

// given is page without the adds that are delayed.
func (m *Memory) given(at int) *page {
	if f := m.frames[uint(at)/frameSize]; f != nil {
		return f[uint(at)%frameSize]
	}
	return nil
}

// Read copies len(dst) bytes from a on. The length must be 8 to 64 in steps of 8.
func (m *Memory) Read(a Addr, dst []byte) Fault {
	if !plain(len(dst)) {
		return BadLength
	}
	if !m.holds(a, len(dst)) {
		return OutOfRange
	}
	off := int(a&(pageWords-1)) * WordBytes
	n := m.copyOut(int(a>>pageShift), off, dst)
	if n < len(dst) {
		m.copyOut(int(a>>pageShift)+1, 0, dst[n:])
	}
	return NoFault
}

// copyOut copies from one page and returns how many bytes that were.
func (m *Memory) copyOut(at, off int, dst []byte) int {
	if p := m.page(at); p != nil {
		return copy(dst, p[off:])
	}
	n := min(len(dst), pageBytes-off)
	clear(dst[:n])
	return n
}

// Write copies src to a on. The length must be 8 to 64 in steps of 8.
func (m *Memory) Write(a Addr, src []byte) Fault {
	if !plain(len(src)) {
		return BadLength
	}
	lo, hi, f := m.reach(a, len(src))
	if f != NoFault {
		return f
	}
	copy(hi, src[copy(lo, src):])
	return NoFault
}

func plain(n int) bool { return n >= WordBytes && n <= MaxAccess && n%WordBytes == 0 }

// Load returns one word.
func (m *Memory) Load(a Addr) (uint64, Fault) {
	if !m.holds(a, WordBytes) {
		return 0, OutOfRange
	}
	return m.load(a), NoFault
}

// load is Load of a word that is known to be there.
func (m *Memory) load(a Addr) uint64 {
	p := m.page(int(a >> pageShift))
	if p == nil {
		return 0
	}
	off := int(a&(pageWords-1)) * WordBytes
	return binary.BigEndian.Uint64(p[off : off+WordBytes])
}

// Store writes one word.
func (m *Memory) Store(a Addr, v uint64) Fault {
	w, _, f := m.reach(a, WordBytes)
	if f == NoFault {
		binary.BigEndian.PutUint64(w, v)
	}
	return f
}

// store is Store of a word whose page is known to be there.
func (m *Memory) store(a Addr, v uint64) {
	off := int(a&(pageWords-1)) * WordBytes
	binary.BigEndian.PutUint64(m.page(int(a >> pageShift))[off:off+WordBytes], v)
}

// zero zeroes a record. One that was never written is zero without a page.
func (m *Memory) zero(a Addr) {
	if p := m.page(int(a >> pageShift)); p != nil {
		off := int(a&(pageWords-1)) * WordBytes
		clear(p[off : off+RecordBytes])
	}
}
