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
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
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

// A neighbour that loses its address for a while costs retransmissions and no bytes: the one
// segment of a message is sent again and again.
func TestResentIsCounted(t *testing.T) {
	netnstest.CheckLeaks(t)
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
	if r := a.Resent(); r != (result.Resent{}) {
		t.Errorf("%+v sent again on a healthy wire", r)
	}
	const size = 1000 // of a message, which fits a segment
	netnstest.DelAddr(t, w.b, "eth0", netip.PrefixFrom(addrB.Addr(), 24))
	if err := a.Send(toNext(pattern(size))); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(5 * time.Second); a.Resent().Packets == 0 && time.Now().Before(until); {
		if _, err := a.Recv(20 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	netnstest.AddAddr(t, w.b, "eth0", netip.PrefixFrom(addrB.Addr(), 24))
	if got, err := recv(b, size); !bytes.Equal(got, pattern(size)) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	before := a.Resent()
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
	if after := a.Resent(); before.Packets == 0 || after.Packets < before.Packets || after.Bytes != units.Bytes(after.Packets)*size {
		t.Errorf("%+v sent again before Close, %+v after; want some, no fewer, and %d bytes each", before, after, size)
	}
}
