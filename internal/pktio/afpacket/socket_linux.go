package afpacket

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// port is one packet socket on one interface.
type port struct {
	iface string
	fd    int
	mtu   int
	ring  ring // of the path with offload
	both  bool // it sees what the interface sends as well, and sends nothing

	tx    []unix.Mmsghdr // messages of the send under way
	meta  []load         // what each of them carries
	stuck bool           // its queue was full for as long as we wait, and nothing has left since
}

// networkOrder returns a protocol number as sockaddr_ll and socket(2) want it.
func networkOrder(v uint16) uint16 {
	probe := uint16(1)
	if *(*byte)(unsafe.Pointer(&probe)) == 1 {
		return bits.ReverseBytes16(v)
	}
	return v
}

// openPort makes a socket on an interface, and its ring where shape is not nil.
func openPort(c PortConfig, promisc bool, shape *ringShape) (*port, error) {
	return openSocket(&port{iface: c.Iface}, promisc, shape)
}

// openSocket makes the socket of a port. Nothing is received before everything is set: the
// socket has no protocol until it is bound.
func openSocket(p *port, promisc bool, shape *ringShape) (*port, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("create packet socket (needs CAP_NET_RAW): %w", os.NewSyscallError("socket", err))
	}
	p.fd = fd
	if err := p.start(promisc, shape); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *port) start(promisc bool, shape *ringShape) error {
	index, err := p.lookUp()
	if err != nil {
		return err
	}
	if err := p.setUp(shape); err != nil {
		return err
	}
	return p.bind(index, promisc)
}

// lookUp reads the interface's index and MTU in the socket's own namespace.
func (p *port) lookUp() (index int, err error) {
	for _, q := range []struct {
		request uint
		value   *int
	}{{unix.SIOCGIFINDEX, &index}, {unix.SIOCGIFMTU, &p.mtu}} {
		req, err := unix.NewIfreq(p.iface)
		if err != nil {
			return 0, fmt.Errorf("interface name %q: %w", p.iface, err)
		}
		if err := unix.IoctlIfreq(p.fd, q.request, req); err != nil {
			return 0, fmt.Errorf("look up interface %q in this network namespace: %w", p.iface, err)
		}
		*q.value = int(req.Uint32())
	}
	return index, nil
}

// setUp sets what must be set before the socket is bound.
func (p *port) setUp(shape *ringShape) error {
	if !p.both {
		if err := p.option(unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
			return fmt.Errorf("keep what we send from coming back (needs Linux 4.20): %w", err)
		}
	}
	enlarge(p.fd, unix.SO_SNDBUFFORCE, unix.SO_SNDBUF, sendBuffer)
	if shape == nil {
		enlarge(p.fd, unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, receiveBuffer)
		return p.option(unix.PACKET_AUXDATA, 1)
	}
	if err := p.option(unix.PACKET_VERSION, unix.TPACKET_V2); err != nil {
		return err
	}
	if err := p.option(unix.PACKET_VNET_HDR, 1); err != nil {
		return err
	}
	ring, err := mapRing(p.fd, *shape)
	p.ring = ring
	return err
}

// Socket buffers in bytes; the kernel doubles both. A send buffer holds what
// queueing disciplines keep of a port: 4 MiB are some 60 super-packets
// (assumed). A receive buffer takes the place of a ring on the plain path.
const (
	sendBuffer    = 4 << 20
	receiveBuffer = 1 << 20
)

// enlarge sets a buffer beyond the system's limit where that is allowed, else
// up to the limit. A smaller buffer drops earlier, and drops are counted.
func enlarge(fd, force, plain, n int) {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, force, n) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, plain, n)
	}
}

// option sets an integer option of the packet level.
func (p *port) option(name, value int) error {
	if err := unix.SetsockoptInt(p.fd, unix.SOL_PACKET, name, value); err != nil {
		return &optionError{name, err}
	}
	return nil
}

// optionError is a socket option that the kernel refused.
type optionError struct {
	option int
	err    error
}

var optionNames = map[int]string{
	unix.PACKET_IGNORE_OUTGOING: "PACKET_IGNORE_OUTGOING", unix.PACKET_AUXDATA: "PACKET_AUXDATA", unix.PACKET_VERSION: "TPACKET_V2",
	unix.PACKET_VNET_HDR: "PACKET_VNET_HDR", unix.PACKET_RX_RING: "PACKET_RX_RING",
}

func (e *optionError) Error() string {
	return fmt.Sprintf("set packet socket option %s: %v", optionNames[e.option], e.err)
}

func (e *optionError) Unwrap() error { return e.err }

// unsupported reports whether err says that the kernel lacks what the path with
// offload needs, and not that it lacks memory or a permission.
func unsupported(err error) bool {
	var opt *optionError
	return errors.As(err, &opt) && opt.option != unix.PACKET_IGNORE_OUTGOING &&
		(errors.Is(err, unix.ENOPROTOOPT) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP))
}

// bind starts reception.
func (p *port) bind(index int, promisc bool) error {
	all := networkOrder(unix.ETH_P_ALL)
	if err := unix.Bind(p.fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: index}); err != nil {
		return fmt.Errorf("bind to interface %q: %w", p.iface, err)
	}
	own, err := p.address()
	if err != nil {
		return err
	}
	if own.Hatype != unix.ARPHRD_ETHER && own.Hatype != unix.ARPHRD_LOOPBACK {
		return fmt.Errorf("interface %q is not Ethernet (hardware type %d): use a veth, tap or Ethernet device", p.iface, own.Hatype)
	}
	if !promisc {
		return nil
	}
	mreq := unix.PacketMreq{Ifindex: int32(index), Type: unix.PACKET_MR_PROMISC}
	if err := unix.SetsockoptPacketMreq(p.fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &mreq); err != nil {
		return fmt.Errorf("make interface %q promiscuous: %w", p.iface, err)
	}
	return nil
}

func (p *port) address() (*unix.SockaddrLinklayer, error) {
	sa, err := unix.Getsockname(p.fd)
	if err != nil {
		return nil, fmt.Errorf("read address of the socket on %q: %w", p.iface, err)
	}
	own, ok := sa.(*unix.SockaddrLinklayer)
	if !ok {
		return nil, fmt.Errorf("socket on %q has an address of type %T", p.iface, sa)
	}
	return own, nil
}

// check clears a pending error of the socket, as an interface that went down
// leaves it, so that poll does not report it for ever. An interface that has
// been deleted is an error: the socket has lost its binding.
func (p *port) check() error {
	_, _ = unix.GetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_ERROR) // reading it clears it
	own, err := p.address()
	if err != nil {
		return err
	}
	if int32(own.Ifindex) <= 0 {
		return fmt.Errorf("interface %q is gone", p.iface)
	}
	return nil
}

// ringDrops returns how many frames the kernel dropped since the last call.
func (p *port) ringDrops() uint64 {
	stats, err := unix.GetsockoptTpacketStats(p.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return 0
	}
	return uint64(stats.Drops)
}

func (p *port) close() error {
	return errors.Join(p.ring.unmap(), os.NewSyscallError("close", unix.Close(p.fd)))
}
