package udp

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

func newSocket() (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	return fd, os.NewSyscallError("socket", err)
}

// option is one integer socket option.
type option struct {
	what        string
	level, name int
	value       int
}

var options = []option{
	{"ask for destination addresses (IP_PKTINFO)", unix.IPPROTO_IP, unix.IP_PKTINFO, 1},
	// A frame beyond the MTU is refused instead of fragmented, and what ICMP says of paths is ignored.
	{"set don't fragment (IP_MTU_DISCOVER)", unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE},
	{"limit multicast to joined groups (IP_MULTICAST_ALL)", unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0},
	// A station does not hear itself on a wire.
	{"turn multicast loops off (IP_MULTICAST_LOOP)", unix.IPPROTO_IP, unix.IP_MULTICAST_LOOP, 0},
	{"set the multicast hop limit (IP_MULTICAST_TTL)", unix.IPPROTO_IP, unix.IP_MULTICAST_TTL, inet.DefaultTTL},
}

var ecnOptions = []option{
	{"say ECT(0) (IP_TOS)", unix.IPPROTO_IP, unix.IP_TOS, int(inet.ECT0)},
	{"ask for codepoints of ECN (IP_RECVTOS)", unix.IPPROTO_IP, unix.IP_RECVTOS, 1},
}

func setOptions(fd int, cfg *Config) error {
	list := options
	if cfg.ECN {
		list = slices.Concat(options, ecnOptions)
	}
	for _, o := range list {
		if err := unix.SetsockoptInt(fd, o.level, o.name, o.value); err != nil {
			return fmt.Errorf("%s: %w", o.what, err)
		}
	}
	if len(cfg.Options) > 0 {
		if err := unix.SetsockoptString(fd, unix.IPPROTO_IP, unix.IP_OPTIONS, string(cfg.Options)); err != nil {
			return fmt.Errorf("set options of IP headers (IP_OPTIONS): %w", err)
		}
	}
	if cfg.Iface == "" {
		return nil
	}
	return joinGroups(fd, cfg)
}

func joinGroups(fd int, cfg *Config) error {
	iface, err := net.InterfaceByName(cfg.Iface)
	if err != nil {
		return fmt.Errorf("find interface %s: %w", cfg.Iface, err)
	}
	m := unix.IPMreqn{Ifindex: int32(iface.Index)}
	if err := unix.SetsockoptIPMreqn(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_IF, &m); err != nil {
		return fmt.Errorf("send groups by %s: %w", cfg.Iface, err)
	}
	for _, group := range cfg.Groups {
		m.Multiaddr = group.As4()
		err := unix.SetsockoptIPMreqn(fd, unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP, &m)
		if err == unix.ENOBUFS {
			return fmt.Errorf("join %d groups: raise net.ipv4.igmp_max_memberships: %w", len(cfg.Groups), err)
		}
		if err != nil {
			return fmt.Errorf("join group %v by %s: %w", group, cfg.Iface, err)
		}
	}
	return nil
}

// bind binds the socket and returns its address. A member of groups binds the
// wildcard address, since a host address hears no multicast.
func bind(fd int, cfg *Config) (netip.AddrPort, error) {
	sa := unix.SockaddrInet4{Port: int(cfg.Bind.Port()), Addr: cfg.Bind.Addr().As4()}
	if len(cfg.Groups) > 0 {
		if err := checkLocal(sa.Addr); err != nil {
			return netip.AddrPort{}, err
		}
		sa.Addr = [4]byte{}
	}
	if err := unix.Bind(fd, &sa); err != nil {
		return netip.AddrPort{}, os.NewSyscallError("bind", err)
	}
	got, err := unix.Getsockname(fd)
	if err != nil {
		return netip.AddrPort{}, os.NewSyscallError("getsockname", err)
	}
	return netip.AddrPortFrom(cfg.Bind.Addr(), uint16(got.(*unix.SockaddrInet4).Port)), nil
}

// checkLocal refuses an address that is not this host's, as binding it would.
func checkLocal(addr [4]byte) error {
	fd, err := newSocket()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return os.NewSyscallError("bind", unix.Bind(fd, &unix.SockaddrInet4{Addr: addr}))
}

// setBuffers sizes the socket's buffers as far as the process may, and reads
// back what became of them.
func setBuffers(fd int, rcv, snd units.Bytes) (b Buffers, err error) {
	if b.Rcv, err = setBuffer(fd, unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, rcv); err != nil {
		return b, fmt.Errorf("size the receive buffer: %w", err)
	}
	if b.Snd, err = setBuffer(fd, unix.SO_SNDBUFFORCE, unix.SO_SNDBUF, snd); err != nil {
		return b, fmt.Errorf("size the send buffer: %w", err)
	}
	return b, nil
}

func setBuffer(fd, force, polite int, size units.Bytes) (units.Bytes, error) {
	err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, force, int(size))
	if err == unix.EPERM {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, polite, int(size))
	}
	if err != nil {
		return 0, err
	}
	got, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, polite)
	return units.Bytes(got), err
}

// Probe tells which offloads the kernel has, without sending anything.
func Probe() Features {
	fd, err := newSocket()
	if err != nil {
		return Features{}
	}
	defer unix.Close(fd)
	return probe(fd)
}

// probe sets what a device with offloads needs: no segment size of the socket's
// own, since each message carries one, and coalesced arrivals.
func probe(fd int) Features {
	return Features{
		GSO: answer(unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_SEGMENT, 0)),
		GRO: answer(unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_GRO, 1)),
	}
}

// answer reads the result of setting an option: ENOPROTOOPT is how a kernel
// says that it does not know one.
func answer(err error) pktio.Support {
	switch err {
	case nil:
		return pktio.Yes
	case unix.ENOPROTOOPT:
		return pktio.No
	}
	return pktio.Inconclusive
}
