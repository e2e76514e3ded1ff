package xdp

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/switchd/program/xagg"
)

// readBatch is the elements of one system call (assumed: 256 KiB of values stay in a cache).
const readBatch = 256

// shelf is the elements of one kind, and their marks as they are in memory. Without such elements it has
// no map.
type shelf struct {
	values *ebpf.Map
	marks  []byte // mapped: a word for each element
	size   int    // of an element
	buf    []byte // of elements that were read
	keys   *keys
}

// keys are what system calls write apart from elements, in memory that stays where it is.
type keys struct {
	index uint32
	batch [readBatch]uint32
}

// open maps the marks.
func (s *shelf) open(t xagg.Table, values, marks *ebpf.Map) error {
	if t.Required == 0 {
		return nil
	}
	length := int(marks.MaxEntries()) * markSize
	b, err := unix.Mmap(marks.FD(), 0, length, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map the marks of %d elements into memory: %w", values.MaxEntries(), err)
	}
	s.values, s.marks, s.size, s.keys = values, b, int(values.ValueSize()), new(keys)
	return nil
}

func (s *shelf) close() error {
	if s.values == nil {
		return nil
	}
	err := os.NewSyscallError("munmap", unix.Munmap(s.marks))
	*s = shelf{}
	return err
}

// mark returns what an element is apart from its values. Its word is read whole, as the program writes it.
func (s *shelf) mark(index uint32) xagg.Element {
	w := atomic.LoadUint64((*uint64)(unsafe.Pointer(&s.marks[int(index)*markSize])))
	return xagg.Element{Bitmap: uint32(w), Counter: uint16(w >> 32), Iteration: uint16(w >> 48)}
}

// at returns the i-th element that was read. Its values are in the buffer.
func (s *shelf) at(i int) xagg.Element {
	b := s.buf[i*s.size:][:s.size]
	e := xagg.Element{
		Bitmap:    *(*uint32)(unsafe.Pointer(&b[4])),
		Counter:   *(*uint16)(unsafe.Pointer(&b[8])),
		Iteration: *(*uint16)(unsafe.Pointer(&b[10])),
	}
	e.Values = unsafe.Slice((*int32)(unsafe.Pointer(&b[elementHead])), (s.size-elementHead)/4)
	return e
}

// room makes the buffer large enough for n elements.
func (s *shelf) room(n int) {
	if need := n * s.size; cap(s.buf) < need {
		s.buf = make([]byte, need)
	} else {
		s.buf = s.buf[:need]
	}
}

// lookup is the part of union bpf_attr for BPF_MAP_LOOKUP_ELEM (linux/bpf.h).
type lookup struct {
	fd    uint32
	_     uint32
	key   uint64
	value uint64
	flags uint64
}

// lookupBatch is that for BPF_MAP_LOOKUP_BATCH, since Linux 5.6.
type lookupBatch struct {
	in, out      uint64
	keys, values uint64
	count        uint32
	fd           uint32
	elemFlags    uint64
	flags        uint64
}

// read reads one element, under its lock.
func (s *shelf) read(index uint32) error {
	s.room(1)
	s.keys.index = index
	attr := lookup{fd: uint32(s.values.FD()), key: address(unsafe.Pointer(&s.keys.index)), value: address(unsafe.Pointer(&s.buf[0])), flags: unix.BPF_F_LOCK}
	return bpf(unix.BPF_MAP_LOOKUP_ELEM, unsafe.Pointer(&attr), unsafe.Sizeof(attr))
}

// readAll reads n elements from an index on, each under its lock.
func (s *shelf) readAll(index uint32, n int) error {
	s.room(n)
	for done := 0; done < n; {
		last := &s.keys.index
		*last = index + uint32(done) - 1 // the kernel goes on behind it
		attr := lookupBatch{
			in: address(unsafe.Pointer(last)), out: address(unsafe.Pointer(last)),
			keys: address(unsafe.Pointer(&s.keys.batch)), values: address(unsafe.Pointer(&s.buf[done*s.size])),
			count: uint32(min(readBatch, n-done)), fd: uint32(s.values.FD()), elemFlags: unix.BPF_F_LOCK,
		}
		if *last == ^uint32(0) {
			attr.in = 0 // it begins with the first
		}
		err := bpf(unix.BPF_MAP_LOOKUP_BATCH, unsafe.Pointer(&attr), unsafe.Sizeof(attr))
		if err != nil && (!errors.Is(err, unix.ENOENT) || attr.count == 0) { // ENOENT: the last element is among them
			return err
		}
		done += int(attr.count)
	}
	return nil
}

// address is for the kernel. What it points to must not be on a stack, which may move.
func address(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }
