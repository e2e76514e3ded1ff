package afpacket

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// macs returns the addresses of both hosts.
func (l lab) macs(t *testing.T) (a, b inet.MAC) {
	t.Helper()
	for host, mac := range map[ns.NetNS]*inet.MAC{l.a: &a, l.b: &b} {
		netnstest.In(t, host, func() error {
			link, err := netlink.LinkByName("eth0")
			if err == nil {
				*mac = inet.MAC(link.Attrs().HardwareAddr)
			}
			return err
		})
	}
	return a, b
}

// toB addresses a train of udpTrain or tcpTrain to host B.
func (l lab) toB(t *testing.T, tr sansio.Train) sansio.Train {
	t.Helper()
	a, b := l.macs(t)
	inet.Ether(tr.Header).Put(b, a, inet.TypeIPv4)
	return tr
}

// recvUDP receives until there is a UDP train.
func recvUDP(t *testing.T, d *Device) sansio.Arrival {
	t.Helper()
	for range 100 {
		arrivals, err := d.Recv(5 * time.Second)
		if err != nil || len(arrivals) == 0 {
			t.Fatalf("%d arrivals, error %v", len(arrivals), err)
		}
		for _, a := range arrivals {
			if l, ok := findTransport(a.Train.Header); ok && l.proto == inet.ProtoUDP {
				return a
			}
		}
	}
	t.Fatal("no UDP in 100 rounds")
	return sansio.Arrival{}
}

// neighbour tells host A where B is, so that nothing but the test's packets moves.
func (l lab) neighbour(t *testing.T) {
	t.Helper()
	_, mac := l.macs(t)
	netnstest.In(t, l.a, func() error {
		link, err := netlink.LinkByName("eth0")
		if err != nil {
			return err
		}
		return netlink.NeighSet(&netlink.Neigh{
			LinkIndex: link.Attrs().Index, State: netlink.NUD_PERMANENT, IP: hostB.AsSlice(), HardwareAddr: net.HardwareAddr(mac[:]),
		})
	})
}

func send(t *testing.T, d *Device, to []sansio.Port, trains ...sansio.Train) {
	t.Helper()
	var sends []sansio.Send
	for _, tr := range trains {
		sends = append(sends, sansio.Send{To: to, Train: tr})
	}
	if err := d.Send(sends); err != nil {
		t.Fatal(err)
	}
}

func drops(d *Device) map[string]uint64 {
	out := map[string]uint64{}
	for _, c := range d.Stats().Drops {
		out[c.Name] = c.N
	}
	return out
}

func TestSuperPacketArrivesAsATrain(t *testing.T) {
	l := newLab(t)
	l.neighbour(t)
	d := l.open(t, Config{})
	from := listenUDP(t, l.a, netip.AddrPortFrom(hostA, 4000))
	control(t, from, func(fd int) error { return unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_SEGMENT, 1000) })
	want := pattern(20_500)
	if _, err := from.WriteToUDPAddrPort(want, netip.AddrPortFrom(hostB, 5000)); err != nil {
		t.Fatal(err)
	}
	a := recvUDP(t, d)
	tr := a.Train
	if a.Port != 0 || tr.Seg != 1000 || tr.Frames() != 21 || tr.Checksum != sansio.ChecksumPartial || !bytes.Equal(tr.Body, want) {
		t.Errorf("port %d, %d bytes by %d, checksum %d", a.Port, len(tr.Body), tr.Seg, tr.Checksum)
	}
	filled := slices.Clone(tr.Header)
	sansio.FillPartial(filled, len(tr.Body))
	if !bytes.Equal(filled, tr.Header) {
		t.Errorf("header %x does not hold the pseudo-header sum, as in %x", tr.Header, filled)
	}
	if s := d.Stats(); s.RxTrains != 1 || s.RxFrames != 21 || s.RxBytes != 21*42+20_500 {
		t.Errorf("statistics %+v", s)
	}
}

// readGRO reads one datagram, or several joined by receive offload, and returns
// the segment size (0: one datagram).
func readGRO(t *testing.T, c *net.UDPConn) (body []byte, seg int) {
	t.Helper()
	buf, oob := make([]byte, 1<<16), make([]byte, 128)
	n, oobn, _, _, err := c.ReadMsgUDPAddrPort(buf, oob)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if m.Header.Level == unix.IPPROTO_UDP && m.Header.Type == unix.UDP_GRO {
			seg = int(binary.NativeEndian.Uint32(m.Data))
		}
	}
	return buf[:n], seg
}

func TestTrainReachesASocketWhole(t *testing.T) {
	paths(t, func(t *testing.T, l lab, d *Device) {
		sink := listenUDP(t, l.b, netip.AddrPortFrom(hostB, 5000))
		control(t, sink, func(fd int) error { return unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_GRO, 1) })
		want := l.toB(t, udpTrain(20_500, 1000))
		send(t, d, []sansio.Port{1}, want, l.toB(t, udpTrain(33, 0)))
		var got []byte
		largest := 0
		for len(got) < 20_500+33 {
			body, seg := readGRO(t, sink)
			got, largest = append(got, body...), max(largest, seg)
		}
		if !bytes.Equal(got, slices.Concat(want.Body, pattern(33))) {
			t.Error("the contents differ")
		}
		if d.plain == nil && largest != 1000 {
			t.Errorf("joined segments of %d bytes, want 1000", largest)
		}
		if n := counter(t, l.b, "Udp", "InCsumErrors"); n != 0 {
			t.Errorf("%d datagrams had wrong checksums", n)
		}
		if s := d.Stats(); s.TxFrames != 22 || s.TxBytes != 22*42+20_533 || len(s.Drops) != 0 {
			t.Errorf("statistics %+v", s)
		}
	})
}

// A train without a checksum, as UDP allows, cannot be segmented by the kernel:
// it leaves frame by frame. What stands in the field "as is" stays, right or wrong.
func TestChecksumsAsIs(t *testing.T) {
	paths(t, func(t *testing.T, l lab, d *Device) {
		sink := listenUDP(t, l.b, netip.AddrPortFrom(hostB, 5000))
		none, wrong := l.toB(t, asIs(udpTrain(2500, 1000))), l.toB(t, asIs(udpTrain(40, 0)))
		inet.UDP(none.Header[34:]).SetChecksum(0)
		inet.UDP(wrong.Header[34:]).SetChecksum(checksumOf(bytesOf(wrong)) ^ 0x0100)
		send(t, d, []sansio.Port{1}, wrong, none)
		for i := range none.Frames() {
			if body, _ := readGRO(t, sink); !bytes.Equal(body, none.Payload(i)) {
				t.Errorf("datagram %d has %d bytes", i, len(body))
			}
		}
		if n := counter(t, l.b, "Udp", "InCsumErrors"); n != 1 {
			t.Errorf("%d datagrams had wrong checksums, want 1", n)
		}
	})
}

func TestSendToSeveralPorts(t *testing.T) {
	l := newLab(t)
	d := l.open(t, Config{})
	sink, other := listenUDP(t, l.b, netip.AddrPortFrom(netip.IPv4Unspecified(), 5000)), listenUDP(t, l.a, netip.AddrPortFrom(netip.IPv4Unspecified(), 5000))
	tr := udpTrain(3000, 1000)
	group := netip.AddrFrom4([4]byte{224, 0, 0, 1}) // all hosts: no need to join
	ip := inet.IPv4(tr.Header[14:])
	ip.SetDst(group)
	ip.UpdateChecksum()
	sansio.FillPartial(tr.Header, len(tr.Body))
	inet.Ether(tr.Header).Put(inet.MulticastMAC(group), inet.MAC{2, 0, 0, 0, 0, 9}, inet.TypeIPv4)
	for _, host := range []ns.NetNS{l.a, l.b} { // the source is A's address: let A take it
		netnstest.In(t, host, func() error { return sysctl("net/ipv4/conf/all/accept_local") })
	}
	send(t, d, []sansio.Port{1, 0, 7}, tr)
	for name, c := range map[string]*net.UDPConn{"A": other, "B": sink} {
		for i := range 3 {
			if body, _ := readGRO(t, c); !bytes.Equal(body, tr.Payload(i)) {
				t.Errorf("host %s: datagram %d has %d bytes", name, i, len(body))
			}
		}
	}
	if s := d.Stats(); s.TxTrains != 2 || s.TxFrames != 6 || drops(d)[DropNoPort] != 1 {
		t.Errorf("statistics %+v", s)
	}
}

func TestWhatCannotBeSentIsCounted(t *testing.T) {
	paths(t, func(t *testing.T, l lab, d *Device) {
		bad := sansio.Train{Header: udp6(pattern(9)), Checksum: sansio.ChecksumPartial}
		several := sansio.Train{Header: []byte("short"), Body: pattern(9), Seg: 3}
		send(t, d, []sansio.Port{1}, udpTrain(9000, 0), udpTrain(18000, 9000), bad, several, sansio.Train{Header: []byte("runt")})
		want := map[string]uint64{DropTooLong: 2, DropBadTrain: 2, DropRefused: 1}
		if d.plain != nil {
			want[DropTooLong] = 3 // each frame by itself
		}
		for reason, n := range want {
			if got := drops(d)[reason]; got != n {
				t.Errorf("%s: %d, want %d", reason, got, n)
			}
		}
	})
}

// shape puts a token bucket of 8 kbit/s on p1, with room for so many bytes.
func (l lab) shape(t *testing.T, limit uint32) {
	t.Helper()
	netnstest.In(t, l.s, func() error {
		return netlink.QdiscAdd(&netlink.Tbf{
			QdiscAttrs: netlink.QdiscAttrs{LinkIndex: 21, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT},
			Rate:       1000, Limit: limit, Buffer: 3e9, // ticks of 64 ns: 192 kB
		})
	})
}

// A port whose queue stands still, for want of room in the socket or in the
// queueing discipline, drops and does not keep the other ports.
func TestFullQueueDrops(t *testing.T) {
	for name, limit := range map[string]uint32{"socket": 1 << 30, "discipline": 1 << 18} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			d := l.open(t, Config{})
			l.shape(t, limit)
			tr := l.toB(t, udpTrain(60_000, 1000))
			const trains = 400 // 24 MB, over twice what the socket buffer holds
			for range trains / 10 {
				send(t, d, []sansio.Port{1}, tr, tr, tr, tr, tr, tr, tr, tr, tr, tr)
			}
			s := d.Stats()
			if s.TxTrains == 0 || drops(d)[DropTxFull] == 0 || s.TxTrains+drops(d)[DropTxFull] != trains {
				t.Errorf("%d trains left, drops %v", s.TxTrains, s.Drops)
			}
			if stuck := d.ports[1].stuck; stuck != (name == "socket") {
				t.Errorf("the port counts as stuck: %v", stuck)
			}
			send(t, d, []sansio.Port{1, 0}, tr)
			if n := d.Stats().TxTrains - s.TxTrains; n != 1 {
				t.Errorf("%d trains left by the other port, want 1", n)
			}
		})
	}
}

func TestPortDownAndGone(t *testing.T) {
	paths(t, func(t *testing.T, l lab, d *Device) {
		sink := listenUDP(t, l.b, netip.AddrPortFrom(hostB, 5000))
		tr := l.toB(t, udpTrain(50, 0))
		link := &netlink.GenericLink{LinkAttrs: netlink.LinkAttrs{Index: 21}}
		netnstest.In(t, l.s, func() error { return netlink.LinkSetDown(link) })
		if in, err := d.Recv(0); len(in) != 0 || err != nil {
			t.Fatalf("%d arrivals, error %v", len(in), err)
		}
		if in, err := d.Recv(20 * time.Millisecond); len(in) != 0 || err != nil { // clears the pending error
			t.Fatalf("%d arrivals, error %v", len(in), err)
		}
		send(t, d, []sansio.Port{1}, tr)
		if got := drops(d); got[DropPortDown] != 1 {
			t.Errorf("drops %v", got)
		}
		netnstest.In(t, l.s, func() error { return netlink.LinkSetUp(link) })
		netnstest.AwaitUp(t, l.b, "eth0")
		send(t, d, []sansio.Port{1}, tr)
		if body, _ := readGRO(t, sink); len(body) != 50 {
			t.Errorf("%d bytes after the link came back", len(body))
		}
		netnstest.In(t, l.s, func() error { return netlink.LinkDel(link) })
		send(t, d, []sansio.Port{1}, tr)
		_, err := d.Recv(5 * time.Second)
		if err == nil || !strings.Contains(err.Error(), `interface "p1" is gone`) {
			t.Errorf("error %v, drops %v", err, drops(d))
		}
	})
}

func TestRingOverflowIsCounted(t *testing.T) {
	l := newLab(t)
	l.neighbour(t)
	d := l.open(t, Config{MemoryBudget: 2 * smallBlock}) // 7 frames
	from := listenUDP(t, l.a, netip.AddrPortFrom(hostA, 4000))
	for i := range 20 {
		if _, err := from.WriteToUDPAddrPort([]byte{byte(i)}, netip.AddrPortFrom(hostB, 5000)); err != nil {
			t.Fatal(err)
		}
	}
	var got []byte
	for len(got) < 7 {
		in, err := d.Recv(5 * time.Second)
		if err != nil || len(in) == 0 {
			t.Fatalf("%d arrivals, error %v", len(in), err)
		}
		for _, a := range in {
			got = append(got, a.Train.Body...)
		}
	}
	if !bytes.Equal(got, []byte{0, 1, 2, 3, 4, 5, 6}) {
		t.Errorf("arrived: %v", got)
	}
	if n := d.Stats().RingDrops; n != 13 {
		t.Errorf("%d frames dropped by the ring, want 13", n)
	}
	if n := d.Stats().RingDrops; n != 13 {
		t.Errorf("asking again gives %d", n)
	}
}

// On the plain path a super-packet that exceeds the MTU is recognised and counted.
func TestPlainPathDropsSuperPackets(t *testing.T) {
	l := newLab(t)
	l.neighbour(t)
	d := l.open(t, Config{Plain: true})
	from := listenUDP(t, l.a, netip.AddrPortFrom(hostA, 4000))
	to := netip.AddrPortFrom(hostB, 5000)
	control(t, from, func(fd int) error { return unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_SEGMENT, 1000) })
	for _, n := range []int{20_000, 900} {
		if _, err := from.WriteToUDPAddrPort(pattern(n), to); err != nil {
			t.Fatal(err)
		}
	}
	if a := recvUDP(t, d); len(a.Train.Body) != 900 {
		t.Errorf("%d bytes arrived", len(a.Train.Body))
	}
	if n := drops(d)[DropTruncated]; n != 1 {
		t.Errorf("drops %v", drops(d))
	}
}

func TestWakeEndsAWait(t *testing.T) {
	paths(t, func(t *testing.T, _ lab, d *Device) {
		go d.Wake()
		if in, err := d.Recv(-1); err != nil || len(in) != 0 {
			t.Errorf("%d arrivals, error %v", len(in), err)
		}
		for _, wait := range []time.Duration{0, time.Microsecond, 100 * time.Microsecond} {
			start := time.Now()
			if in, err := d.Recv(wait); err != nil || len(in) != 0 || time.Since(start) < wait {
				t.Errorf("Recv(%v): %d arrivals after %v, error %v", wait, len(in), time.Since(start), err)
			}
		}
	})
}

func TestClosedDevice(t *testing.T) {
	paths(t, func(t *testing.T, _ lab, d *Device) {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		_, recvErr := d.Recv(-1)
		sendErr := d.Send([]sansio.Send{{To: []sansio.Port{0}, Train: udpTrain(9, 0)}})
		if !errors.Is(recvErr, os.ErrClosed) || !errors.Is(sendErr, os.ErrClosed) || d.Stats().Offload == "" {
			t.Errorf("errors %v and %v, statistics %+v", recvErr, sendErr, d.Stats())
		}
		d.Wake()
	})
}

func TestOpenNamesWhatIsWrong(t *testing.T) {
	netnstest.RequireRoot(t)
	checkLeaks(t)
	space := netnstest.NewSpace(t)
	netnstest.In(t, space, func() error {
		for name, want := range map[string]string{
			"nowhere":             `look up interface "nowhere" in this network namespace: no such device`,
			"a-name-far-too-long": `interface name "a-name-far-too-long"`,
		} {
			_, err := Open(Config{Ports: []PortConfig{{"lo"}, {name}}})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		}
		return nil
	})
}

// The kernels that the live path supports (Linux 6.2 and later) have everything.
func TestProbe(t *testing.T) {
	netnstest.RequireRoot(t)
	checkLeaks(t)
	space := netnstest.NewSpace(t)
	probe := func() (f Features) {
		netnstest.In(t, space, func() (err error) { f, err = Probe(); return err })
		return f
	}
	if f := probe(); f.GSOSend.Support != pktio.Inconclusive || !strings.Contains(f.GSOSend.Reason, "lo is down") {
		t.Errorf("with lo down: %+v", f.GSOSend)
	}
	netnstest.In(t, space, setUpLo)
	f := probe()
	for name, got := range map[string]Feature{"PACKET_VNET_HDR": f.VnetHdr, "TPACKET_V2": f.TPacketV2, "GSO": f.GSOSend} {
		if got.Support != pktio.Yes {
			t.Errorf("%s: %v, %s", name, got.Support, got.Reason)
		}
	}
	if n := counter(t, space, "Udp", "InDatagrams") + counter(t, space, "Udp", "NoPorts"); n != 0 {
		t.Errorf("the probe's packet reached UDP %d times", n)
	}
}
