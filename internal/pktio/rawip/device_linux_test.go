package rawip

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/datagram"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

var groups = []netip.Addr{netip.MustParseAddr("239.1.2.3"), netip.MustParseAddr("239.1.2.4")}

// Frames of both sockets arrive whole and in order, wherever the machine cut them into header and body.
func TestFramesOfBothSocketsArrive(t *testing.T) {
	netnstest.CheckLeaks(t)
	w := newWire(t)
	from, to := openIn(t, w.a, ofA()), openIn(t, w.b, ofB())
	whole := raw(addrB.Addr(), pattern(1480))
	whole.Header, whole.Body = append(whole.Header, whole.Body...), nil
	split := raw(addrB.Addr(), pattern(100))
	split.Header, split.Body = append(split.Header, split.Body[:14]...), split.Body[14:]
	send(t, from, raw(addrB.Addr(), "first"), datagrams(addrB, pattern(2500), 1000), whole, split, datagrams(addrB, "x", 0), raw(addrB.Addr(), ""))
	got := recv(t, to, 8)
	if b := bodies(got, protocol); !slices.Equal(b, []string{"first", pattern(1480), pattern(100), ""}) {
		t.Errorf("of the protocol: %q", b)
	}
	if b := strings.Join(bodies(got, inet.ProtoUDP), ""); b != pattern(2500)+"x" {
		t.Errorf("of UDP: %q", b)
	}
	tx, rx := from.Stats(), to.Stats()
	if tx.TxFrames != 8 || rx.RxFrames != 8 || rx.RxBytes != tx.TxBytes || len(tx.Drops)+len(rx.Drops) != 0 {
		t.Errorf("sent %+v, received %+v", tx, rx)
	}
	if tx.Offload != "rawip+udp-gso+gro" {
		t.Errorf("offload %q", tx.Offload)
	}
}

func TestArrivalIsAFrame(t *testing.T) {
	w := newWire(t)
	from, to := openIn(t, w.a, ofA()), openIn(t, w.b, ofB())
	send(t, from, raw(addrB.Addr(), pattern(33)))
	tr := recv(t, to, 1)[0]
	frame := append(tr.Header, tr.Body...)
	l, problem := inet.Parse(frame)
	if problem != inet.OK || l.Proto != protocol || l.End != len(frame) || !inet.IPv4(frame[inet.EtherLen:]).ChecksumOK() {
		t.Fatalf("frame %x: %q", frame, problem)
	}
	if e := inet.Ether(frame); e.Src() != macA || e.Dst() != macB {
		t.Errorf("Ethernet addresses %x", frame[:inet.EtherLen])
	}
}

func TestSeveralGroups(t *testing.T) {
	w := newWire(t)
	other := netip.MustParseAddr("239.1.2.5")
	from, to := openIn(t, w.a, ofA()), openIn(t, w.b, ofB(groups...))
	at := func(g netip.Addr) netip.AddrPort { return netip.AddrPortFrom(g, addrB.Port()) }
	send(t, from, raw(other, "no"), raw(groups[0], "1"), raw(groups[1], "2"), raw(addrB.Addr(), "3"),
		datagrams(at(other), "no", 0), datagrams(at(groups[0]), "4", 0), datagrams(at(groups[1]), "5", 0), datagrams(addrB, "6", 0))
	got := recv(t, to, 6)
	if b := append(bodies(got, protocol), bodies(got, inet.ProtoUDP)...); !slices.Equal(b, []string{"1", "2", "3", "4", "5", "6"}) {
		t.Errorf("got %q", b)
	}
	for _, tr := range got {
		dst := inet.IPv4(tr.Header[inet.EtherLen:]).Dst()
		want := macB
		if dst.IsMulticast() {
			want = inet.MulticastMAC(dst)
		}
		if e := inet.Ether(tr.Header); e.Dst() != want || e.Src() != macA {
			t.Errorf("a frame to %v has Ethernet addresses %x", dst, tr.Header[:inet.EtherLen])
		}
	}
}

// While a device is open its kernel answers nothing of the protocol or to the port, not even what
// comes to another address of the host.
func TestNothingIsUnreachable(t *testing.T) {
	w := newWire(t)
	second := netip.MustParseAddr("10.77.0.3")
	netnstest.AddAddr(t, w.b, "eth0", netip.PrefixFrom(second, 24))
	from, to := openIn(t, w.a, ofA()), openIn(t, w.b, ofB(groups...))
	send(t, from, raw(second, "x"), datagrams(netip.AddrPortFrom(second, addrB.Port()), "x", 0), raw(addrB.Addr(), "y"), datagrams(addrB, "y", 0))
	recv(t, to, 2)
	if n := unreachables(t, w.b); n != "0" || drops(to, "wrong-destination") != 2 {
		t.Errorf("%s ICMP errors, statistics %+v", n, to.Stats())
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	send(t, from, raw(addrB.Addr(), "z")) // a veth delivers before the call returns, or soon after
	for until := time.Now().Add(5 * time.Second); unreachables(t, w.b) == "0"; {
		if time.Now().After(until) {
			t.Fatal("a host without the device sends no ICMP error: the test cannot fail")
		}
	}
}

func TestSendDropsAreCountedByReason(t *testing.T) {
	w := newWire(t)
	from, to := openIn(t, w.a, ofA()), openIn(t, w.b, ofB())
	changed := func(change func(inet.IPv4)) sansio.Train {
		tr := raw(addrB.Addr(), "bad")
		change(inet.IPv4(tr.Header[inet.EtherLen:]))
		return tr
	}
	several := raw(addrB.Addr(), pattern(100))
	several.Seg = 50
	tests := []struct {
		reason string
		train  sansio.Train
	}{
		{"bad-header", changed(func(ip inet.IPv4) { ip[0] = 0x46 })},
		{"bad-header", changed(func(ip inet.IPv4) { ip[6] = 0x20 })}, // more fragments
		{"bad-header", changed(func(ip inet.IPv4) { ip.SetTotalLen(ip.TotalLen() - 1) })},
		{"bad-header", changed(func(ip inet.IPv4) { ip[9] = protocol + 1 })},
		{"bad-header", changed(func(ip inet.IPv4) { ip[9] = inet.ProtoTCP })},
		{"bad-header", several},
		{"bad-header", sansio.Train{Header: []byte("short")}},
		{"bad-header", sansio.Train{}},
		{"wrong-source-address", changed(func(ip inet.IPv4) { ip.SetSrc(addrB.Addr()) })},
		{"message-size", raw(addrB.Addr(), pattern(1481))},
		{"message-size", raw(addrB.Addr(), pattern(65515))},
		{"message-size", datagrams(addrB, pattern(1473), 0)},
		{"unreachable", raw(netip.MustParseAddr("10.78.0.1"), "x")},
	}
	want := map[string]uint64{}
	for _, c := range tests {
		want[c.reason]++
		send(t, from, c.train, raw(addrB.Addr(), "good"))
		if got := drops(from, c.reason); got != want[c.reason] {
			t.Errorf("%d drops for %s, want %d: %+v", got, c.reason, want[c.reason], from.Stats())
		}
	}
	if err := from.Send([]sansio.Send{{To: []sansio.Port{1, 0}, Train: raw(addrB.Addr(), "good")}}); err != nil || drops(from, "wrong-port") != 1 {
		t.Errorf("port 1: error %v, statistics %+v", err, from.Stats())
	}
	if b := bodies(recv(t, to, len(tests)+1), protocol); strings.Join(b, "") != strings.Repeat("good", len(tests)+1) {
		t.Errorf("what follows a bad train: %q", b)
	}
}

func TestTruncatedIsCounted(t *testing.T) {
	w := newWire(t)
	small := ofB()
	small.UDP.MaxPacket = 1000
	from, to := openIn(t, w.a, ofA()), openIn(t, w.b, small)
	send(t, from, raw(addrB.Addr(), pattern(1001)), raw(addrB.Addr(), pattern(1000)))
	if got := recv(t, to, 1); len(got[0].Body) != 1000 || drops(to, "truncated") != 1 {
		t.Errorf("got %d bytes, statistics %+v", len(got[0].Body), to.Stats())
	}
}

func TestRingDropsOfBothSockets(t *testing.T) {
	w := newWire(t)
	small := ofB()
	small.UDP.RcvBuf = 1
	from, to := openIn(t, w.a, ofA()), openIn(t, w.b, small)
	var trains []sansio.Train
	for range 50 {
		trains = append(trains, raw(addrB.Addr(), pattern(1000)), datagrams(addrB, pattern(1000), 0))
	}
	send(t, from, trains...)
	got := recv(t, to, 1)
	for len(got)+int(to.Stats().RingDrops) < 100 {
		got = append(got, recv(t, to, 1)...)
	}
	if len(bodies(got, protocol)) > 49 || len(bodies(got, inet.ProtoUDP)) > 49 {
		t.Errorf("%d frames by the smallest buffers, statistics %+v", len(got), to.Stats())
	}
	before := to.Stats().RingDrops
	if err := to.Close(); err != nil || to.Stats().RingDrops != before {
		t.Errorf("%d drops after Close, %d before, error %v", to.Stats().RingDrops, before, err)
	}
}

// A device with ECN says so in what it sends, and arrivals have the codepoint that came.
func TestCodepointsOfECN(t *testing.T) {
	w := newWire(t)
	for _, ecn := range []bool{true, false} {
		a, b := ofA(), ofB()
		a.UDP.ECN, b.UDP.ECN = ecn, ecn
		from, to := openIn(t, w.a, a), openIn(t, w.b, b)
		want := []uint8{inet.NotECT, inet.CE}
		if ecn {
			want[0] = inet.ECT0
		}
		send(t, from, raw(addrB.Addr(), "x"))
		if err := unix.SetsockoptInt(from.fd, unix.IPPROTO_IP, unix.IP_TOS, int(inet.CE)); err != nil {
			t.Fatal(err)
		}
		send(t, from, raw(addrB.Addr(), "x"))
		for i, tr := range recv(t, to, 2) {
			if ip := inet.IPv4(tr.Header[inet.EtherLen:]); ip.ECN() != want[i] || !ip.ChecksumOK() {
				t.Errorf("ECN %v: codepoint %d, want %d", ecn, ip.ECN(), want[i])
			}
		}
		if err := from.Close(); err != nil {
			t.Error(err)
		}
		if err := to.Close(); err != nil {
			t.Error(err)
		}
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
	small := ofA()
	small.UDP.SndBuf = 100_000
	from := openIn(t, w.a, small)
	openIn(t, w.b, ofB())
	trains := make([]sansio.Train, 500)
	for i := range trains {
		trains[i] = raw(addrB.Addr(), pattern(1400))
	}
	start := time.Now()
	send(t, from, trains...)
	took, s := time.Since(start), from.Stats()
	if full := drops(from, "tx-full"); full == 0 || s.TxTrains == 0 || full+s.TxTrains != 500 {
		t.Errorf("statistics %+v, want some of 500 sent and the rest dropped", s)
	}
	if took < datagram.TxPatience {
		t.Errorf("Send took %v, less than the patience", took)
	}
}

func TestRecvWaitsAndWakes(t *testing.T) {
	w := newWire(t)
	d := openIn(t, w.a, ofA())
	for _, wait := range []time.Duration{0, 100 * time.Microsecond, 5 * time.Millisecond} {
		start := time.Now()
		if got, err := d.Recv(wait); len(got) != 0 || err != nil || time.Since(start) < wait {
			t.Errorf("Recv(%v) = %v, %v", wait, got, err)
		}
	}
	var wg sync.WaitGroup
	wg.Go(d.Wake)
	if got, err := d.Recv(-1); len(got) != 0 || err != nil {
		t.Errorf("woken Recv = %v, %v", got, err)
	}
	wg.Wait()
}

func TestCloseTwiceAndUseAfter(t *testing.T) {
	netnstest.CheckLeaks(t)
	w := newWire(t)
	d := openIn(t, w.a, ofA())
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d.Wake()
	if _, err := d.Recv(-1); err == nil {
		t.Error("a closed device received")
	}
	if err := d.Send(sendsOf(raw(addrB.Addr(), "x"))); err == nil {
		t.Error("a closed device sent")
	}
}

func TestOpenRefuses(t *testing.T) {
	netnstest.CheckLeaks(t)
	w := newWire(t)
	change := func(f func(*Config)) Config {
		c := ofA()
		f(&c)
		return c
	}
	tests := []struct {
		want string
		cfg  Config
	}{
		{"protocol 0 is the kernel's own: choose another, such as 253", change(func(c *Config) { c.Protocol = 0 })},
		{"protocol 6 is", change(func(c *Config) { c.Protocol = inet.ProtoTCP })},
		{"protocol 255 is", change(func(c *Config) { c.Protocol = 255 })},
		{"IP options", change(func(c *Config) { c.UDP.Options = make([]byte, 4) })},
		{"not a host's IPv4 address", change(func(c *Config) { c.UDP.Bind = netip.AddrPort{} })},
		{"find interface nope0", change(func(c *Config) { c.UDP.Iface = "nope0" })},
		{"cannot assign", change(func(c *Config) { c.UDP.Bind = addrB })},
	}
	for _, c := range tests {
		netnstest.In(t, w.a, func() error {
			if d, err := Open(c.cfg); d != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Open(%+v) = %v, %v; want an error about %q", c.cfg, d, err, c.want)
			}
			return nil
		})
	}
}

func TestProbe(t *testing.T) {
	netnstest.RequireRoot(t)
	if err := Probe(); err != nil {
		t.Error(err)
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	w := newWire(t)
	from, to := openIn(t, w.a, ofA()), openIn(t, w.b, ofB())
	var trains []sansio.Train
	for range 32 {
		trains = append(trains, raw(addrB.Addr(), pattern(1294)), datagrams(addrB, pattern(100), 0))
	}
	sends := sendsOf(trains...)
	allocs := testing.AllocsPerRun(50, func() {
		if err := from.Send(sends); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 64; {
			got, err := to.Recv(time.Second)
			if err != nil || len(got) == 0 {
				t.Fatalf("received %d, %v", len(got), err)
			}
			for _, a := range got {
				n += a.Train.Frames()
			}
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a round trip, want none", allocs)
	}
}

func BenchmarkVeth(b *testing.B) {
	w := newWire(b)
	from, to := openIn(b, w.a, ofA()), openIn(b, w.b, ofB())
	var trains []sansio.Train
	for range 256 {
		trains = append(trains, raw(addrB.Addr(), pattern(14+4*256))) // a packet of XAgg §IV-A
	}
	sends := sendsOf(trains...)
	b.SetBytes(256 * 1024)
	for b.Loop() {
		if err := from.Send(sends); err != nil {
			b.Fatal(err)
		}
		for n := 0; n < 256; {
			got, err := to.Recv(time.Second)
			if err != nil || len(got) == 0 {
				b.Fatal(len(got), err)
			}
			n += len(got)
		}
	}
}
