package datagram

import (
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Option is one integer socket option.
type Option struct {
	What        string // as in "ask for destination addresses (IP_PKTINFO)"
	Level, Name int
	Value       int
}

// SendOptions are those of a socket that sends whole packets, unicast and to groups.
var SendOptions = []Option{
	// A frame beyond the MTU is refused instead of fragmented, and what ICMP says of paths is ignored.
	{"set don't fragment (IP_MTU_DISCOVER)", unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE},
	{"limit multicast to joined groups (IP_MULTICAST_ALL)", unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0},
	// A station does not hear itself on a wire.
	{"turn multicast loops off (IP_MULTICAST_LOOP)", unix.IPPROTO_IP, unix.IP_MULTICAST_LOOP, 0},
	{"set the multicast hop limit (IP_MULTICAST_TTL)", unix.IPPROTO_IP, unix.IP_MULTICAST_TTL, inet.DefaultTTL},
}

// ECT has what a socket sends say ECT(0) (RFC 3168 §5).
var ECT = Option{"say ECT(0) (IP_TOS)", unix.IPPROTO_IP, unix.IP_TOS, int(inet.ECT0)}

// SetOptions sets options of a socket.
func SetOptions(fd int, list ...Option) error {
	for _, o := range list {
		if err := unix.SetsockoptInt(fd, o.Level, o.Name, o.Value); err != nil {
			return fmt.Errorf("%s: %w", o.What, err)
		}
	}
	return nil
}

// JoinGroups joins groups by an interface, which is also the one that groups are sent to by.
// Without an interface it does nothing.
func JoinGroups(fd int, by string, groups []netip.Addr) error {
	if by == "" {
		return nil
	}
	iface, err := net.InterfaceByName(by)
	if err != nil {
		return fmt.Errorf("find interface %s: %w", by, err)
	}
	m := unix.IPMreqn{Ifindex: int32(iface.Index)}
	if err := unix.SetsockoptIPMreqn(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_IF, &m); err != nil {
		return fmt.Errorf("send groups by %s: %w", by, err)
	}
	for _, group := range groups {
		m.Multiaddr = group.As4()
		err := unix.SetsockoptIPMreqn(fd, unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP, &m)
		if err == unix.ENOBUFS {
			return fmt.Errorf("join %d groups: raise net.ipv4.igmp_max_memberships: %w", len(groups), err)
		}
		if err != nil {
			return fmt.Errorf("join group %v by %s: %w", group, by, err)
		}
	}
	return nil
}

// SetBuffers sizes the socket's buffers as far as the process may, and reads
// back what became of them.
func SetBuffers(fd int, rcv, snd units.Bytes) (gotRcv, gotSnd units.Bytes, err error) {
	if gotRcv, err = setBuffer(fd, unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, rcv); err != nil {
		return 0, 0, fmt.Errorf("size the receive buffer: %w", err)
	}
	if gotSnd, err = setBuffer(fd, unix.SO_SNDBUFFORCE, unix.SO_SNDBUF, snd); err != nil {
		return 0, 0, fmt.Errorf("size the send buffer: %w", err)
	}
	return gotRcv, gotSnd, nil
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
