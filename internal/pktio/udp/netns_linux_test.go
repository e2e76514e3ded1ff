package udp

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"

	"github.com/inalab/inalab/internal/pktio/datagram"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

var (
	addrA = netip.MustParseAddrPort("10.77.0.1:9000")
	addrB = netip.MustParseAddrPort("10.77.0.2:9000")
)

// wire is a veth pair (MTU 9000) between two namespaces: "eth0" in each, with
// the addresses addrA and addrB.
type wire struct{ a, b ns.NetNS }

func newWire(t *testing.T) wire {
	t.Helper()
	w := wire{a: netnstest.NewSpace(t), b: netnstest.NewSpace(t)}
	netnstest.Connect(t, netnstest.Wire{
		A:   netnstest.End{Space: w.a, Iface: "eth0", Addr: netip.PrefixFrom(addrA.Addr(), 24)},
		B:   netnstest.End{Space: w.b, Iface: "eth0", Addr: netip.PrefixFrom(addrB.Addr(), 24)},
		MTU: 9000, Index: 7,
	})
	return w
}

func openIn(t *testing.T, space ns.NetNS, cfg Config) (d *Device) {
	t.Helper()
	netnstest.In(t, space, func() error { d = open(t, cfg); return nil })
	return d
}

func TestMulticastTrains(t *testing.T) {
	netnstest.CheckLeaks(t)
	w := newWire(t)
	joined, other := netip.MustParseAddr("239.1.2.3"), netip.MustParseAddr("239.1.2.4")
	from := openIn(t, w.a, Config{Bind: addrA, Iface: "eth0"})
	to := openIn(t, w.b, Config{Bind: addrB, Iface: "eth0", Groups: []netip.Addr{joined}})
	toGroup := func(g netip.Addr) sansio.Train {
		return train(flow(from, netip.AddrPortFrom(g, addrB.Port())), pattern(30_500), 1000)
	}
	send(t, from, toGroup(other), toGroup(joined), train(flow(from, addrB), pattern(500), 0))
	got := recv(t, to, 32)
	if len(got.bodies) != 32 || len(got.trains) != 2 {
		t.Fatalf("%d frames in %d trains, want 31 in one of the group and 1", len(got.bodies), len(got.trains))
	}
	if tr := got.trains[0]; !bytes.Equal(tr.Body, pattern(30_500)) || tr.Seg != 1000 {
		t.Errorf("%d bytes in segments of %d", len(tr.Body), tr.Seg)
	}
	for i, want := range []netip.Addr{joined, addrB.Addr()} {
		h := got.trains[i].Header
		if dst := inet.IPv4(h[inet.EtherLen:]).Dst(); dst != want {
			t.Errorf("train %d is for %v, want %v", i, dst, want)
		}
		if m := inet.Ether(h).Dst(); m.IsMulticast() != want.IsMulticast() {
			t.Errorf("train %d for %v has the Ethernet destination %x", i, want, m)
		}
	}
	back := train(flow(to, addrA), pattern(9), 0) // from a wildcard socket, with the right source
	send(t, to, back)
	if h := recv(t, from, 1).trains[0].Header; inet.IPv4(h[inet.EtherLen:]).Src() != addrB.Addr() {
		t.Errorf("the answer comes from %v", inet.IPv4(h[inet.EtherLen:]).Src())
	}
}

func TestOversizeAndUnreachableAreCounted(t *testing.T) {
	w := newWire(t)
	from, to := openIn(t, w.a, Config{Bind: addrA}), openIn(t, w.b, Config{Bind: addrB})
	f := flow(from, addrB)
	off := f
	off.Dst = netip.MustParseAddr("10.78.0.1")
	const fits = 9000 - inet.IPv4Len - inet.UDPLen
	send(t, from, train(f, pattern(fits+1), 0), train(f, pattern(3*(fits+1)), fits+1), train(off, nil, 0), train(f, pattern(3*fits), fits))
	recv(t, to, 3)
	if drops(from, "message-size") != 2 || drops(from, "unreachable") != 1 || from.Stats().TxFrames != 3 {
		t.Errorf("statistics %+v, want 2 too long, 1 unreachable, 3 frames sent", from.Stats())
	}
}

func TestWildcardSocketDropsWhatIsForOtherAddresses(t *testing.T) {
	w := newWire(t)
	second := netip.MustParseAddr("10.77.0.3")
	netnstest.AddAddr(t, w.b, "eth0", netip.PrefixFrom(second, 24))
	from := openIn(t, w.a, Config{Bind: addrA})
	to := openIn(t, w.b, Config{Bind: addrB, Iface: "eth0", Groups: []netip.Addr{netip.MustParseAddr("239.1.2.3")}})
	stray := flow(from, netip.AddrPortFrom(second, addrB.Port()))
	send(t, from, train(stray, pattern(8), 0), train(flow(from, addrB), pattern(9), 0))
	if got := recv(t, to, 1); len(got.bodies[0]) != 9 || drops(to, "wrong-destination") != 1 {
		t.Errorf("got %d bytes, statistics %+v", len(got.bodies[0]), to.Stats())
	}
}

// A link of 1 Mbit/s keeps the send buffer full: Send gives up in bounded time.
func TestFullSendBufferDrops(t *testing.T) {
	w := newWire(t)
	netnstest.OnLink(t, w.a, "eth0", func(link netlink.Link) error {
		return netlink.QdiscReplace(&netlink.Tbf{
			QdiscAttrs: netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT},
			Rate:       125_000, Limit: 64 << 20, Buffer: 20_000_000,
		})
	})
	from := openIn(t, w.a, Config{Bind: addrA, SndBuf: 100_000})
	openIn(t, w.b, Config{Bind: addrB})
	body := pattern(8000)
	trains := make([]sansio.Train, 200)
	for i := range trains {
		trains[i] = train(flow(from, addrB), body, 0)
	}
	start := time.Now()
	send(t, from, trains...)
	took := time.Since(start)
	s := from.Stats()
	if full := drops(from, "tx-full"); full == 0 || s.TxTrains == 0 || full+s.TxTrains != 200 {
		t.Errorf("statistics %+v, want some of 200 sent and the rest dropped", s)
	}
	if took < datagram.TxPatience || took > 100*datagram.TxPatience {
		t.Errorf("Send took %v, want the patience of %v and little more", took, datagram.TxPatience)
	}
}
