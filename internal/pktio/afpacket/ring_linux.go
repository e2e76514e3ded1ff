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

// take returns the next frame that the kernel has filled, if there is one.
func (r *ring) take() (slot, bool) {
	off := r.shape.offset(r.head)
	s := slot(r.mem[off : off+ringFrame : off+ringFrame])
	if atomic.LoadUint32(s.status())&unix.TP_STATUS_USER == 0 {
		return nil, false
	}
	if r.head++; r.head == r.shape.frames() {
		r.head = 0
	}
	return s, true
}

func (s slot) status() *uint32 { return &s.header().Status }

func (s slot) header() *unix.Tpacket2Hdr { return (*unix.Tpacket2Hdr)(unsafe.Pointer(&s[0])) }

// giveBack lets the kernel fill the frame again.
func (s slot) giveBack() { atomic.StoreUint32(s.status(), unix.TP_STATUS_KERNEL) }
