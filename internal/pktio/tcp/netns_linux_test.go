package tcp

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"
)

// wire is a veth pair between two namespaces: "eth0" in each.
type wire struct{ a, b ns.NetNS }

// firstIndex is an interface index that the other end does not get. With equal
// ones, in their two namespaces, the kernel takes the pair for no pair and
// switches its queues on up to a second late (linkwatch_urgent_event).
const firstIndex = 7

var (
	addrA = netip.MustParseAddrPort("10.77.0.1:9100")
	addrB = netip.MustParseAddrPort("10.77.0.2:9100")
)

func newWire(t *testing.T) wire {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("INALAB_REQUIRE_ROOT") == "1" {
			t.Fatal("needs root to make namespaces, and INALAB_REQUIRE_ROOT=1 forbids to skip")
		}
		t.Skip("needs root to make namespaces")
	}
	w := wire{a: newNS(t), b: newNS(t)}
	in(t, w.a, func() error {
		return netlink.LinkAdd(&netlink.Veth{
			LinkAttrs: netlink.LinkAttrs{Name: "eth0", Index: firstIndex},
			PeerName:  "eth0", PeerNamespace: netlink.NsFd(int(w.b.Fd())),
		})
	})
	configure(t, w.a, addrA.Addr())
	configure(t, w.b, addrB.Addr())
	awaitUp(t, w.a)
	awaitUp(t, w.b)
	return w
}

func newNS(t *testing.T) ns.NetNS {
	t.Helper()
	space, err := ns.TempNetNS()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := space.Close(); err != nil {
			t.Error(err)
		}
	})
	return space
}

// in runs f on a thread that is in the namespace.
func in(t *testing.T, space ns.NetNS, f func() error) {
	t.Helper()
	if err := space.Do(func(ns.NetNS) error { return f() }); err != nil {
		t.Error(err)
	}
}

func configure(t *testing.T, space ns.NetNS, addr netip.Addr) {
	t.Helper()
	onLink(t, space, addr, func(link netlink.Link, ip *netlink.Addr) error {
		return errors.Join(netlink.LinkSetUp(link), netlink.AddrAdd(link, ip))
	})
}

// awaitUp returns once the link carries packets: the kernel reports a carrier at
// once but switches the queue on later, and until then drops what is sent.
func awaitUp(t *testing.T, space ns.NetNS) {
	t.Helper()
	updates, done := make(chan netlink.LinkUpdate), make(chan struct{})
	in(t, space, func() error {
		return netlink.LinkSubscribeWithOptions(updates, done, netlink.LinkSubscribeOptions{ListExisting: true})
	})
	for limit, up := time.After(5*time.Second), false; !up; {
		select {
		case u := <-updates:
			up = u.Attrs().Name == "eth0" && u.Attrs().OperState == netlink.OperUp
		case <-limit:
			t.Error("the link did not come up")
			up = true
		}
	}
	close(done)
	for range updates { // until the subscription has ended
	}
}

// onLink runs f in the namespace with its link and an address for it.
func onLink(t *testing.T, space ns.NetNS, addr netip.Addr, f func(netlink.Link, *netlink.Addr) error) {
	t.Helper()
	in(t, space, func() error {
		link, err := netlink.LinkByName("eth0")
		if err != nil {
			return err
		}
		return f(link, &netlink.Addr{IPNet: &net.IPNet{IP: addr.AsSlice(), Mask: net.CIDRMask(24, 32)}})
	})
}

// A neighbour that loses its address for a while costs retransmissions and no bytes.
func TestRetransmitsAreCounted(t *testing.T) {
	checkLeaks(t)
	w := newWire(t)
	var a, b *Device
	var errA, errB error
	var wg sync.WaitGroup
	wg.Go(func() {
		in(t, w.a, func() error { a, errA = Open(context.Background(), Config{Listen: addrA, Dial: addrB}); return errA })
	})
	wg.Go(func() {
		in(t, w.b, func() error { b, errB = Open(context.Background(), Config{Listen: addrB, Dial: addrA}); return errB })
	})
	wg.Wait()
	if a == nil || b == nil {
		t.FailNow()
	}
	if n := a.Retransmits(); n != 0 {
		t.Errorf("%d retransmits on a healthy wire", n)
	}
	onLink(t, w.b, addrB.Addr(), netlink.AddrDel)
	if err := a.Send(toNext(pattern(10_000))); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(5 * time.Second); a.Retransmits() == 0 && time.Now().Before(until); {
		if _, err := a.Recv(20 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	onLink(t, w.b, addrB.Addr(), netlink.AddrAdd)
	if got, err := recv(b, 10_000); !bytes.Equal(got, pattern(10_000)) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	before := a.Retransmits()
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
	if after := a.Retransmits(); before == 0 || after < before {
		t.Errorf("%d retransmits before Close, %d after; want some, and no fewer", before, after)
	}
}
