package xdp

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/rng"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
)

const (
	senders     = 4
	liveValues  = 64
	patience    = 60 * time.Second // until a test that waits gives up; nothing is measured
	fragments   = 20000
	perSender   = 25000 // packets, 5000 of them copies: 100 000 in all
	outOfPlace  = 64    // packets that reordering moves one by at most
	transferred = 8 << 20
)

// lab is an aggregator's namespace and the hosts', with a wire for each sender. The first wire
// carries other traffic, too.
type lab struct {
	server, hosts ns.NetNS
	addr, host    netip.Addr
	socks         [senders]int // packet sockets, bound to the hosts' ends
}

func newLab(t *testing.T, mtu int) *lab {
	t.Helper()
	l := &lab{server: netnstest.NewSpace(t), hosts: netnstest.NewSpace(t), addr: netip.MustParseAddr("10.7.0.1"), host: netip.MustParseAddr("10.7.0.2")}
	for i := range senders {
		a := netnstest.End{Space: l.server, Iface: serverEnd(i)}
		b := netnstest.End{Space: l.hosts, Iface: fmt.Sprintf("wk%d", i)}
		if i == 0 {
			a.Addr, b.Addr = netip.PrefixFrom(l.addr, 24), netip.PrefixFrom(l.host, 24)
		}
		netnstest.Connect(t, netnstest.Wire{A: a, B: b, MTU: mtu, Index: 20 + i})
		l.open(t, i, b)
	}
	return l
}

func serverEnd(i int) string { return fmt.Sprintf("ag%d", i) }

// open binds a packet socket to an end of the hosts.
func (l *lab) open(t *testing.T, i int, end netnstest.End) {
	t.Helper()
	netnstest.In(t, end.Space, func() (err error) {
		dev, err := net.InterfaceByName(end.Iface)
		if err != nil {
			return err
		}
		l.socks[i], err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, int(swap16(unix.ETH_P_IP)))
		return errors.Join(err, unix.Bind(l.socks[i], &unix.SockaddrLinklayer{Ifindex: dev.Index, Protocol: swap16(unix.ETH_P_IP)}))
	})
	t.Cleanup(func() { unix.Close(l.socks[i]) })
}

func swap16(v uint16) uint16 { return v<<8 | v>>8 }

// attach attaches a program to all ends of the server.
func (l *lab) attach(t *testing.T, a *Aggregator, mode Mode) {
	t.Helper()
	for i := range senders {
		netnstest.In(t, l.server, func() error {
			got, err := a.Attach(serverEnd(i), mode)
			if err == nil && mode != Generic && got != Native {
				t.Errorf("attached by %v XDP to a veth", got)
			}
			return err
		})
	}
}

// attached returns the interfaces of the server that have a program.
func (l *lab) attached(t *testing.T) (list []string) {
	t.Helper()
	for i := range senders {
		netnstest.OnLink(t, l.server, serverEnd(i), func(dev netlink.Link) error {
			if x := dev.Attrs().Xdp; x != nil && x.Attached {
				list = append(list, dev.Attrs().Name)
			}
			return nil
		})
	}
	return list
}

// liveConfig is a root that keeps the sums of four workers.
func liveConfig(l *lab) xagg.Config {
	c := xagg.Config{Values: liveValues, Fragments: fragments, Job: 7, Host: 1 << 31, Addr: l.addr, Checks: 1024}
	for i := range senders {
		c.Children = append(c.Children, xagg.Child{ID: 1 << i})
	}
	return c
}

// value is what sender i has for a fragment; the sum of all wraps for some.
func value(i int, gradient uint32, at int) int32 {
	return int32(uint32(i+1)*0x3779b97f + gradient*0x01000193 + uint32(at))
}

// send sends a fragment of sender i.
func (l *lab) send(i int, gradient uint32, c *xagg.Config) error {
	values := make([]int32, c.Values)
	for at := range values {
		values[at] = value(i, gradient, at)
	}
	path := wire.Path{Src: netip.AddrFrom4([4]byte{10, 7, 1, byte(i)}), Dst: c.Addr}
	f := wire.Frame(path, wire.Header{Host: 1 << i, Gradient: gradient, Job: c.Job}, values)
	for {
		// A full queue of the kernel is a loss as on any wire.
		if _, err := unix.Write(l.socks[i], f); !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.ENOBUFS) {
			return err
		}
	}
}

// schedule is the fragments of a sender: all once, some twice, each near its place.
func schedule(i int) []uint32 {
	s := rng.Root(uint64(i)).Stream("order")
	list := make([]uint32, 0, perSender)
	for g := uint32(1); g <= fragments; g++ {
		list = append(list, g)
	}
	for len(list) < perSender {
		list = append(list, 1+uint32(s.IntN(fragments)))
	}
	slices.Sort(list)
	for k := range list {
		o := min(k+s.IntN(outOfPlace), len(list)-1)
		list[k], list[o] = list[o], list[k]
	}
	return list
}

// pin keeps the calling goroutine on a CPU, if there is that one. Its thread ends with it, as it is
// never unlocked.
func pin(cpu int) error {
	runtime.LockOSThread()
	var cpus unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cpus); err != nil || !cpus.IsSet(cpu) {
		return err
	}
	cpus.Zero()
	cpus.Set(cpu)
	return unix.SchedSetaffinity(0, &cpus)
}

// sendAll sends a schedule from a thread on a CPU of its own.
func (l *lab) sendAll(i int, c *xagg.Config) error {
	if err := pin(i % 2); err != nil {
		return err
	}
	for _, g := range schedule(i) {
		if err := l.send(i, g, c); err != nil {
			return fmt.Errorf("sender %d: %w", i, err)
		}
	}
	return nil
}

// mend sends again what was lost on the wires, until nothing is missing.
func (l *lab) mend(t *testing.T, a *Aggregator, c *xagg.Config) (resent int) {
	t.Helper()
	for limit := time.Now().Add(patience); ; {
		missing := 0
		for g := uint32(1); g <= fragments; g++ {
			e, err := a.Sum(g)
			if err != nil {
				t.Fatal(err)
			}
			for i := range senders {
				if e.Bitmap>>i&1 == 0 {
					missing++
					if err := l.send(i, g, c); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if missing == 0 {
			return resent
		}
		if resent += missing; time.Now().After(limit) {
			t.Fatalf("%d packets are missing after %v", missing, patience)
		}
	}
}

// 100 000 packets with duplicates and reordering, of four senders on two CPUs: every element is the
// sum of four packets, while a ping and a TCP transfer pass by the same interface.
func TestFourSendersOnTwoCPUs(t *testing.T) {
	l := newLab(t, 1500)
	c := liveConfig(l)
	a := load(t, c)
	l.attach(t, a, Probe)
	done := make(chan error, senders+2)
	for i := range senders {
		go func() { done <- l.sendAll(i, &c) }()
	}
	go func() { done <- l.transfer() }()
	go func() { done <- l.ping() }()
	for range senders + 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	resent := l.mend(t, a, &c)
	checkSums(t, a)
	tally, err := a.Tally()
	if err != nil || tally[xagg.Added] != senders*fragments || tally[xagg.Finished] != fragments {
		t.Errorf("%v %v, want %d packets added", tally.Counts(), err, senders*fragments)
	}
	t.Logf("%v; sent again: %d", tally.Counts(), resent)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if left := l.attached(t); left != nil {
		t.Errorf("after Close a program is on %v", left)
	}
}

func checkSums(t *testing.T, a *Aggregator) {
	t.Helper()
	want := make([]int32, liveValues)
	for g := uint32(1); g <= fragments; g++ {
		clear(want)
		for i := range senders {
			for at := range want {
				want[at] += value(i, g, at)
			}
		}
		e, err := a.Sum(g)
		if err != nil || e.Bitmap != 1<<senders-1 || e.Counter != senders || !slices.Equal(e.Values, want) {
			t.Fatalf("element %d is %+v %v, want %v", g, e, err, want)
		}
	}
}

// transfer sends bytes by TCP from the hosts to the server, through the first wire.
func (l *lab) transfer() error {
	var to net.Listener
	var from net.Conn
	if err := l.server.Do(func(ns.NetNS) (err error) {
		to, err = net.Listen("tcp4", netip.AddrPortFrom(l.addr, 5000).String())
		return err
	}); err != nil {
		return err
	}
	defer to.Close()
	if err := l.hosts.Do(func(ns.NetNS) (err error) {
		from, err = net.DialTimeout("tcp4", to.Addr().String(), patience)
		return err
	}); err != nil {
		return err
	}
	defer from.Close()
	conn, err := to.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	deadline := time.Now().Add(patience)
	if err := errors.Join(from.SetDeadline(deadline), conn.SetDeadline(deadline)); err != nil {
		return err
	}
	sent := make(chan error, 1)
	go func() {
		_, err := from.Write(pattern())
		sent <- errors.Join(err, from.Close())
	}()
	got, err := io.ReadAll(conn)
	if err == nil && !slices.Equal(got, pattern()) {
		err = fmt.Errorf("TCP brings %d bytes, or others than were sent", len(got))
	}
	return errors.Join(err, <-sent)
}

func pattern() []byte {
	b := make([]byte, transferred)
	for i := range b {
		b[i] = byte(i * i >> 8)
	}
	return b
}

// ping sends echo requests through the first wire, and waits for the reply to each.
func (l *lab) ping() error {
	var c net.PacketConn
	if err := l.hosts.Do(func(ns.NetNS) (err error) {
		c, err = net.ListenPacket("ip4:icmp", l.host.String())
		return err
	}); err != nil {
		return err
	}
	defer c.Close()
	for n := range byte(20) {
		if err := echo(c, l.addr, n); err != nil {
			return fmt.Errorf("ping %d: %w", n, err)
		}
	}
	return nil
}

// echo asks until there is an answer: a wire may lose requests while others flood it.
func echo(c net.PacketConn, to netip.Addr, n byte) error {
	request := []byte{8, 0, 0, 0, 'x', 'a', 0, n}
	sum := 0xffff - (0x0800 + int('x')<<8 + int('a') + int(n))
	if sum < 0 {
		sum += 0xffff
	}
	request[2], request[3] = byte(sum>>8), byte(sum)
	b := make([]byte, 128)
	for limit := time.Now().Add(patience); time.Now().Before(limit); {
		if _, err := c.WriteTo(request, &net.IPAddr{IP: to.AsSlice()}); err != nil {
			return err
		}
		if err := c.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
			return err
		}
		for {
			k, _, err := c.ReadFrom(b)
			if err == nil && k >= 8 && b[0] == 0 && b[7] == n {
				return nil
			}
			if err != nil {
				break
			}
		}
	}
	return errors.New("no reply")
}
