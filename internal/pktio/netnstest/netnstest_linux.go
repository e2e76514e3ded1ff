package netnstest

import (
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"
)

// upTimeout is how long a link may take until it carries packets.
const upTimeout = 5 * time.Second

// NewSpace returns a namespace with nothing in it but lo, which is down. It
// requires root.
func NewSpace(tb testing.TB) ns.NetNS {
	tb.Helper()
	RequireRoot(tb)
	space, err := ns.TempNetNS()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := space.Close(); err != nil {
			tb.Error(err)
		}
	})
	In(tb, space, func() error {
		err := os.WriteFile("/proc/sys/net/ipv6/conf/all/disable_ipv6", []byte("1"), 0)
		if errors.Is(err, fs.ErrNotExist) { // a kernel without IPv6
			return nil
		}
		return err
	})
	return space
}

// In runs f on a thread that is in the namespace; package ns throws the thread
// away where it cannot bring it back. Call it from the test's own goroutine: an
// error of f ends the test.
func In(tb testing.TB, space ns.NetNS, f func() error) {
	tb.Helper()
	if err := space.Do(func(ns.NetNS) error { return f() }); err != nil {
		tb.Fatal(err)
	}
}

// End is one end of a wire.
type End struct {
	Space ns.NetNS
	Iface string
	Addr  netip.Prefix // zero: none
}

// Wire is a veth pair.
type Wire struct {
	A, B End
	MTU  int // zero: the kernel's 1500
	// Index is the interface index of A in its namespace, and must be another one
	// than B gets in its own, which counts from 2. With equal ones the kernel takes
	// the pair for no pair and switches its queues on up to a second late
	// (linkwatch_urgent_event).
	Index int
}

// Connect makes the wire and returns when it carries packets both ways.
func Connect(tb testing.TB, w Wire) {
	tb.Helper()
	In(tb, w.A.Space, func() error {
		return netlink.LinkAdd(&netlink.Veth{
			LinkAttrs:     netlink.LinkAttrs{Name: w.A.Iface, MTU: w.MTU, Index: w.Index},
			PeerName:      w.B.Iface,
			PeerMTU:       uint32(w.MTU),
			PeerNamespace: netlink.NsFd(int(w.B.Space.Fd())),
		})
	})
	ends := [...]End{w.A, w.B}
	for _, e := range ends {
		OnLink(tb, e.Space, e.Iface, netlink.LinkSetUp)
		if e.Addr.IsValid() {
			AddAddr(tb, e.Space, e.Iface, e.Addr)
		}
	}
	for _, e := range ends {
		AwaitUp(tb, e.Space, e.Iface)
	}
}

// OnLink runs f in the namespace with one of its interfaces.
func OnLink(tb testing.TB, space ns.NetNS, iface string, f func(netlink.Link) error) {
	tb.Helper()
	In(tb, space, func() error {
		link, err := netlink.LinkByName(iface)
		if err != nil {
			return err
		}
		return f(link)
	})
}

// AddAddr gives an interface an address.
func AddAddr(tb testing.TB, space ns.NetNS, iface string, addr netip.Prefix) {
	tb.Helper()
	OnLink(tb, space, iface, func(link netlink.Link) error { return netlink.AddrAdd(link, netlinkAddr(addr)) })
}

// DelAddr takes an address from an interface.
func DelAddr(tb testing.TB, space ns.NetNS, iface string, addr netip.Prefix) {
	tb.Helper()
	OnLink(tb, space, iface, func(link netlink.Link) error { return netlink.AddrDel(link, netlinkAddr(addr)) })
}

func netlinkAddr(p netip.Prefix) *netlink.Addr {
	return &netlink.Addr{IPNet: &net.IPNet{
		IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen()),
	}}
}

// AwaitUp returns when an interface carries packets: the kernel reports a
// carrier at once, but switches the queue on later and until then drops what is
// sent.
func AwaitUp(tb testing.TB, space ns.NetNS, iface string) {
	tb.Helper()
	updates, done := make(chan netlink.LinkUpdate), make(chan struct{})
	In(tb, space, func() error {
		return netlink.LinkSubscribeWithOptions(updates, done, netlink.LinkSubscribeOptions{ListExisting: true})
	})
	for limit, up := time.After(upTimeout), false; !up; {
		select {
		case u := <-updates:
			up = u.Link != nil && u.Attrs().Name == iface && u.Attrs().OperState == netlink.OperUp
		case <-limit:
			tb.Errorf("%s did not come up within %v", iface, upTimeout)
			up = true
		}
	}
	close(done)
	for range updates { // until the subscription has ended
	}
}
