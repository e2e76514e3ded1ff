package datagram

import (
	"encoding/binary"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// parts is how many pieces of memory a message may come from.
const parts = 2

// Messages are preallocated message headers, all of whose parts stay in place.
type Messages struct {
	hdrs    []unix.Mmsghdr
	iovs    []unix.Iovec // parts for each
	names   []unix.RawSockaddrInet4
	control []byte // room bytes for each
	room    int
}

// NewMessages returns n messages with room for control messages each.
func NewMessages(n, room int) *Messages {
	m := &Messages{
		hdrs:    make([]unix.Mmsghdr, n),
		iovs:    make([]unix.Iovec, n*parts),
		names:   make([]unix.RawSockaddrInet4, n),
		control: make([]byte, n*room),
		room:    room,
	}
	for i := range m.hdrs {
		h := &m.hdrs[i].Hdr
		h.Name = (*byte)(unsafe.Pointer(&m.names[i]))
		h.Namelen = unix.SizeofSockaddrInet4
		h.Iov = &m.iovs[i*parts]
		h.SetIovlen(1)
		if room > 0 {
			h.Control = &m.control[i*room]
			h.SetControllen(room)
		}
	}
	return m
}

// SetBody sets the memory of message i, which is borrowed.
func (m *Messages) SetBody(i int, b []byte) {
	m.setPart(i, 0, b)
	m.hdrs[i].Hdr.SetIovlen(1)
}

// SetBodies does so with two pieces, one behind the other.
func (m *Messages) SetBodies(i int, a, b []byte) {
	m.setPart(i, 0, a)
	m.setPart(i, 1, b)
	m.hdrs[i].Hdr.SetIovlen(2)
}

func (m *Messages) setPart(i, part int, b []byte) {
	v := &m.iovs[i*parts+part]
	v.Base = unsafe.SliceData(b)
	v.SetLen(len(b))
}

// SetName sets where message i goes to.
func (m *Messages) SetName(i int, to netip.AddrPort) {
	sa := &m.names[i]
	sa.Family = unix.AF_INET
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&sa.Port))[:], to.Port())
	sa.Addr = to.Addr().As4()
}

// Name returns where message i came from.
func (m *Messages) Name(i int) netip.AddrPort {
	sa := &m.names[i]
	port := binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(&sa.Port))[:])
	return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), port)
}

// Len returns how many bytes of message i came, or went.
func (m *Messages) Len(i int) int { return int(m.hdrs[i].Len) }

// Control returns the control bytes of message i, as long as they are now.
func (m *Messages) Control(i int) []byte { return m.control[i*m.room:][:m.hdrs[i].Hdr.Controllen] }

// SetControllen says how many of message i's control bytes the kernel reads.
func (m *Messages) SetControllen(i, n int) { m.hdrs[i].Hdr.SetControllen(n) }

// Truncated reports whether message i that came found too little room.
func (m *Messages) Truncated(i int) bool {
	return m.hdrs[i].Hdr.Flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0
}

// Renew readies message i for the next [Messages.Recv].
func (m *Messages) Renew(i int) {
	h := &m.hdrs[i].Hdr
	h.Namelen = unix.SizeofSockaddrInet4
	h.SetControllen(m.room)
	h.Flags = 0
}

// Recv takes what is there and returns how many messages that is.
func (m *Messages) Recv(fd int) (int, unix.Errno) { return mmsg(unix.SYS_RECVMMSG, fd, m.hdrs) }

// PutControl writes one control message of the given payload length and returns where the
// payload goes and what follows.
func PutControl(b []byte, level, kind int32, n int) (payload, rest []byte) {
	h := (*unix.Cmsghdr)(unsafe.Pointer(&b[0]))
	h.Level, h.Type = level, kind
	h.SetLen(unix.CmsgLen(n))
	return b[unix.CmsgLen(0):unix.CmsgLen(n)], b[unix.CmsgSpace(n):]
}

// PutSource writes the control message that says by which own address a message goes, and
// returns what follows. The interface stays the routing table's choice.
func PutSource(b []byte, addr netip.Addr) (rest []byte) {
	info, rest := PutControl(b, unix.IPPROTO_IP, unix.IP_PKTINFO, unix.SizeofInet4Pktinfo)
	a := addr.As4()
	copy(info[4:8], a[:]) // ipi_spec_dst
	return rest
}

// SourceSpace is the control bytes that [PutSource] takes.
func SourceSpace() int { return unix.CmsgSpace(unix.SizeofInet4Pktinfo) }

// mmsg never blocks, so it goes past the Go scheduler: handing the processor over and
// taking it back costs more than a short call, and tens of microseconds where a thread must
// be woken. A batch bounds how long it runs.
func mmsg(call uintptr, fd int, hdrs []unix.Mmsghdr) (int, unix.Errno) {
	for {
		n, _, errno := unix.RawSyscall6(call, uintptr(fd), uintptr(unsafe.Pointer(&hdrs[0])), uintptr(len(hdrs)), unix.MSG_DONTWAIT, 0, 0)
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}
