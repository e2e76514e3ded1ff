package udp

import (
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/datagram"
)

func newSocket() (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	return fd, os.NewSyscallError("socket", err)
}

var (
	destinations = datagram.Option{What: "ask for destination addresses (IP_PKTINFO)", Level: unix.IPPROTO_IP, Name: unix.IP_PKTINFO, Value: 1}
	codepoints   = datagram.Option{What: "ask for codepoints of ECN (IP_RECVTOS)", Level: unix.IPPROTO_IP, Name: unix.IP_RECVTOS, Value: 1}
)

func setOptions(fd int, cfg *Config) error {
	list := append([]datagram.Option{destinations}, datagram.SendOptions...)
	if cfg.ECN {
		list = append(list, datagram.ECT, codepoints)
	}
	if err := datagram.SetOptions(fd, list...); err != nil {
		return err
	}
	if len(cfg.Options) > 0 {
		if err := unix.SetsockoptString(fd, unix.IPPROTO_IP, unix.IP_OPTIONS, string(cfg.Options)); err != nil {
			return fmt.Errorf("set options of IP headers (IP_OPTIONS): %w", err)
		}
	}
	return datagram.JoinGroups(fd, cfg.Iface, cfg.Groups)
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
