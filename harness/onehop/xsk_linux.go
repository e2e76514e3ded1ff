//go:build 386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64

package onehop

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Sizes of an AF_XDP socket.
const (
	xskFrame  = 2048 // holds the largest packet of 1328 bytes; a power of 2
	xskFrames = 1024 // in its memory; each is on one of the rings, or in hand
	xskRing   = xskFrames
	xskBatch  = 64 // packets between two calls to the kernel
)

// ring is one of the four rings that a socket shares with the kernel.
type ring struct {
	mem                []byte
	producer, consumer *atomic.Uint32
	desc               unsafe.Pointer
}

// addr returns an entry of a ring of addresses, and packet one of a ring of packets.
func (r *ring) addr(n uint32) *uint64 { return (*uint64)(r.entry(n, 8)) }
func (r *ring) packet(n uint32) *unix.XDPDesc {
	return (*unix.XDPDesc)(r.entry(n, unsafe.Sizeof(unix.XDPDesc{})))
}

func (r *ring) entry(n uint32, size uintptr) unsafe.Pointer {
	return unsafe.Add(r.desc, uintptr(n&(xskRing-1))*size)
}

// xsk is an AF_XDP socket in copy mode, which is all that a veth has.
type xsk struct {
	fd                      int
	mem                     []byte
	fill, completed, rx, tx ring
}

// newXSK opens a socket on the first queue of an interface of the calling thread's namespace.
func newXSK(ifindex int) (_ *xsk, err error) {
	x := &xsk{}
	if x.fd, err = unix.Socket(unix.AF_XDP, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
		return nil, fmt.Errorf("open an AF_XDP socket: %w", err)
	}
	if err = x.setUp(ifindex); err != nil {
		return nil, errors.Join(fmt.Errorf("set an AF_XDP socket up: %w", err), x.close())
	}
	return x, nil
}

func (x *xsk) setUp(ifindex int) (err error) {
	if x.mem, err = unix.Mmap(-1, 0, xskFrames*xskFrame, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE); err != nil {
		return err
	}
	reg := unix.XDPUmemReg{Addr: uint64(uintptr(unsafe.Pointer(&x.mem[0]))), Len: uint64(len(x.mem)), Size: xskFrame}
	if err := x.set(unix.XDP_UMEM_REG, unsafe.Pointer(&reg), unsafe.Sizeof(reg)); err != nil {
		return err
	}
	size := uint32(xskRing)
	for _, option := range []int{unix.XDP_UMEM_FILL_RING, unix.XDP_UMEM_COMPLETION_RING, unix.XDP_RX_RING, unix.XDP_TX_RING} {
		if err := x.set(option, unsafe.Pointer(&size), unsafe.Sizeof(size)); err != nil {
			return err
		}
	}
	if err := x.mapRings(); err != nil {
		return err
	}
	for n := range uint32(xskFrames) {
		*x.fill.addr(n) = uint64(n) * xskFrame
	}
	x.fill.producer.Store(xskFrames)
	return unix.Bind(x.fd, &unix.SockaddrXDP{Flags: unix.XDP_COPY, Ifindex: uint32(ifindex)})
}

func (x *xsk) set(option int, at unsafe.Pointer, size uintptr) error {
	_, _, no := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(x.fd), unix.SOL_XDP, uintptr(option), uintptr(at), size, 0)
	if no != 0 {
		return fmt.Errorf("option %d: %w", option, no)
	}
	return nil
}

func (x *xsk) mapRings() error {
	var o unix.XDPMmapOffsets
	size := uint32(unsafe.Sizeof(o))
	if _, _, no := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(x.fd), unix.SOL_XDP, unix.XDP_MMAP_OFFSETS, uintptr(unsafe.Pointer(&o)), uintptr(unsafe.Pointer(&size)), 0); no != 0 {
		return no
	}
	packet := unsafe.Sizeof(unix.XDPDesc{})
	for _, r := range []struct {
		ring *ring
		at   unix.XDPRingOffset
		page int64
		size uintptr
	}{
		{&x.fill, o.Fr, unix.XDP_UMEM_PGOFF_FILL_RING, 8}, {&x.completed, o.Cr, unix.XDP_UMEM_PGOFF_COMPLETION_RING, 8},
		{&x.rx, o.Rx, unix.XDP_PGOFF_RX_RING, packet}, {&x.tx, o.Tx, unix.XDP_PGOFF_TX_RING, packet},
	} {
		mem, err := unix.Mmap(x.fd, r.page, int(r.at.Desc)+xskRing*int(r.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
		if err != nil {
			return err
		}
		*r.ring = ring{
			mem: mem, producer: (*atomic.Uint32)(unsafe.Pointer(&mem[r.at.Producer])), consumer: (*atomic.Uint32)(unsafe.Pointer(&mem[r.at.Consumer])),
			desc: unsafe.Pointer(&mem[r.at.Desc]),
		}
	}
	return nil
}

// kick has the kernel send what is on the ring of packets to send.
func (x *xsk) kick() error {
	_, _, no := unix.Syscall6(unix.SYS_SENDTO, uintptr(x.fd), 0, 0, unix.MSG_DONTWAIT, 0, 0)
	return harmless(no)
}

// harmless takes the errors that say to call again.
func harmless(no unix.Errno) error {
	switch no {
	case 0, unix.EAGAIN, unix.EBUSY, unix.ENOBUFS, unix.EINTR, unix.ENETDOWN:
		return nil
	}
	return no
}

// recycle gives the kernel the frames that it has sent, to receive into.
func (x *xsk) recycle() {
	from, to := x.completed.consumer.Load(), x.completed.producer.Load()
	for ; from != to; from++ {
		x.release(*x.completed.addr(from))
	}
	x.completed.consumer.Store(to)
}

// release gives the kernel a frame to receive into. The ring has room for all there are.
func (x *xsk) release(addr uint64) {
	n := x.fill.producer.Load()
	*x.fill.addr(n) = addr &^ (xskFrame - 1)
	x.fill.producer.Store(n + 1)
}

// put gives the kernel a packet to send.
func (x *xsk) put(p unix.XDPDesc) {
	n := x.tx.producer.Load()
	*x.tx.packet(n) = unix.XDPDesc{Addr: p.Addr, Len: p.Len}
	x.tx.producer.Store(n + 1)
}

// frame returns the bytes of a packet.
func (x *xsk) frame(p *unix.XDPDesc) []byte { return x.mem[p.Addr : p.Addr+uint64(p.Len)] }

func (x *xsk) close() error {
	err := unix.Close(x.fd)
	for _, mem := range [][]byte{x.fill.mem, x.completed.mem, x.rx.mem, x.tx.mem, x.mem} {
		if mem != nil {
			err = errors.Join(err, unix.Munmap(mem))
		}
	}
	return err
}
