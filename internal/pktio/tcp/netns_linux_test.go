package tcp

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"

	"github.com/inalab/inalab/internal/pktio/netnstest"
)

// wire is a veth pair between two namespaces: "eth0" in each.
type wire struct{ a, b ns.NetNS }

var (
	addrA = netip.MustParseAddrPort("10.77.0.1:9100")
	addrB = netip.MustParseAddrPort("10.77.0.2:9100")
)

func newWire(t *testing.T) wire {
	t.Helper()
	w := wire{a: netnstest.NewSpace(t), b: netnstest.NewSpace(t)}
	netnstest.Connect(t, netnstest.Wire{
		A:     netnstest.End{Space: w.a, Iface: "eth0", Addr: netip.PrefixFrom(addrA.Addr(), 24)},
		B:     netnstest.End{Space: w.b, Iface: "eth0", Addr: netip.PrefixFrom(addrB.Addr(), 24)},
		Index: 7,
	})
	return w
}

// openIn opens a device in a namespace, on any goroutine.
func openIn(space ns.NetNS, cfg Config) (d *Device, err error) {
	err = space.Do(func(ns.NetNS) (err error) {
		d, err = Open(context.Background(), cfg)
		return err
	})
	return d, err
}

// A neighbour that loses its address for a while costs retransmissions and no bytes.
func TestRetransmitsAreCounted(t *testing.T) {
	checkLeaks(t)
	w := newWire(t)
	var a, b *Device
	var errA, errB error
	var wg sync.WaitGroup
	wg.Go(func() { a, errA = openIn(w.a, between(addrA, addrB)) })
	wg.Go(func() { b, errB = openIn(w.b, between(addrB, addrA)) })
	wg.Wait()
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	if n := a.Retransmits(); n != 0 {
		t.Errorf("%d retransmits on a healthy wire", n)
	}
	netnstest.DelAddr(t, w.b, "eth0", netip.PrefixFrom(addrB.Addr(), 24))
	if err := a.Send(toNext(pattern(10_000))); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(5 * time.Second); a.Retransmits() == 0 && time.Now().Before(until); {
		if _, err := a.Recv(20 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	netnstest.AddAddr(t, w.b, "eth0", netip.PrefixFrom(addrB.Addr(), 24))
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
