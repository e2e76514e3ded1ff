package afpacket

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ring is a TPACKET_V2 receive ring: frames that the kernel and we pass to and
// fro by the status word at the start of each.
//
//	| tpacket2_hdr | sockaddr_ll | ... | virtio-net header | frame ...
//	0                                  mac-10              mac
type ring struct {
	shape ringShape
	mem   []byte
	head  int // the frame that the kernel fills next, or has filled
	lent  int // frames before head that are arrivals now, and not the kernel's
}

func mapRing(fd int, shape ringShape) (ring, error) {
	req := unix.TpacketReq{
		Block_size: uint32(shape.blockBytes), Block_nr: uint32(shape.blocks),
		Frame_size: ringFrame, Frame_nr: uint32(shape.frames()),
	}
	if err := unix.SetsockoptTpacketReq(fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &req); err != nil {
		if err == unix.ENOMEM {
			return ring{}, fmt.Errorf("allocate a packet ring of %d MiB: lower MemoryBudget: %w", shape.bytes()>>20, err)
		}
		return ring{}, &optionError{unix.PACKET_RX_RING, err}
	}
	mem, err := unix.Mmap(fd, 0, shape.bytes(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return ring{}, fmt.Errorf("map packet ring: %w", os.NewSyscallError("mmap", err))
	}
	return ring{shape: shape, mem: mem}, nil
}

func (r *ring) unmap() error {
	if r.mem == nil {
		return nil
	}
	mem := r.mem
	r.mem = nil
	return os.NewSyscallError("munmap", unix.Munmap(mem))
}

// slot is one frame of a ring that is ours for the moment.
type slot []byte

func (r *ring) slot(i int) slot {
	off := r.shape.offset(i)
	return slot(r.mem[off : off+ringFrame : off+ringFrame])
}

// take returns the next frame that the kernel has filled, if there is one.
func (r *ring) take() (slot, bool) {
	s := r.slot(r.head)
	if r.lent == r.shape.frames() || atomic.LoadUint32(s.status())&unix.TP_STATUS_USER == 0 {
		return nil, false
	}
	r.lent++
	if r.head++; r.head == r.shape.frames() {
		r.head = 0
	}
	return s, true
}

// giveBack lets the kernel fill all frames again that were taken.
func (r *ring) giveBack() {
	n := r.shape.frames()
	for ; r.lent > 0; r.lent-- {
		atomic.StoreUint32(r.slot((r.head-r.lent+n)%n).status(), unix.TP_STATUS_KERNEL)
	}
}

func (s slot) status() *uint32 { return &s.header().Status }

func (s slot) header() *unix.Tpacket2Hdr { return (*unix.Tpacket2Hdr)(unsafe.Pointer(&s[0])) }
