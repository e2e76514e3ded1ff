package udp

import (
	"encoding/binary"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// messages are preallocated message headers, all of whose parts stay in place.
type messages struct {
	hdrs    []unix.Mmsghdr
	iovs    []unix.Iovec
	names   []unix.RawSockaddrInet4
	control []byte // room bytes for each
	room    int
}

func newMessages(n, room int) *messages {
	m := &messages{
		hdrs:    make([]unix.Mmsghdr, n),
		iovs:    make([]unix.Iovec, n),
		names:   make([]unix.RawSockaddrInet4, n),
		control: make([]byte, n*room),
		room:    room,
	}
	for i := range m.hdrs {
		h := &m.hdrs[i].Hdr
		h.Name = (*byte)(unsafe.Pointer(&m.names[i]))
		h.Namelen = unix.SizeofSockaddrInet4
		h.Iov = &m.iovs[i]
		h.SetIovlen(1)
		h.Control = &m.control[i*room]
		h.SetControllen(room)
	}
	return m
}

func (m *messages) setBody(i int, b []byte) {
	m.iovs[i].Base = unsafe.SliceData(b)
	m.iovs[i].SetLen(len(b))
}

func (m *messages) setName(i int, to netip.AddrPort) {
	sa := &m.names[i]
	sa.Family = unix.AF_INET
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&sa.Port))[:], to.Port())
	sa.Addr = to.Addr().As4()
}

func (m *messages) name(i int) netip.AddrPort {
	sa := &m.names[i]
	port := binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(&sa.Port))[:])
	return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), port)
}

// controlOf returns the control bytes of message i, as long as they are now.
func (m *messages) controlOf(i int) []byte {
	return m.control[i*m.room:][:m.hdrs[i].Hdr.Controllen]
}

// The calls never block, so they go past the Go scheduler: handing the
// processor over and taking it back costs more than a short call, and tens of
// microseconds where a thread must be woken. A batch bounds how long they run.

func sendmmsg(fd int, hdrs []unix.Mmsghdr) (int, unix.Errno) {
	return mmsg(unix.SYS_SENDMMSG, fd, hdrs)
}

func recvmmsg(fd int, hdrs []unix.Mmsghdr) (int, unix.Errno) {
	return mmsg(unix.SYS_RECVMMSG, fd, hdrs)
}

func mmsg(call uintptr, fd int, hdrs []unix.Mmsghdr) (int, unix.Errno) {
	for {
		n, _, errno := unix.RawSyscall6(call, uintptr(fd), uintptr(unsafe.Pointer(&hdrs[0])), uintptr(len(hdrs)), unix.MSG_DONTWAIT, 0, 0)
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}

// putControl writes one control message of the given payload length and
// returns where the payload goes and what follows.
func putControl(b []byte, level, kind int32, n int) (payload, rest []byte) {
	h := (*unix.Cmsghdr)(unsafe.Pointer(&b[0]))
	h.Level, h.Type = level, kind
	h.SetLen(unix.CmsgLen(n))
	return b[unix.CmsgLen(0):unix.CmsgLen(n)], b[unix.CmsgSpace(n):]
}
