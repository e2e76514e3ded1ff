package afpacket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// lab is a switch between two hosts, each in a namespace of its own, all links
// of MTU 9000 and up:
//
//	A eth0 10.9.0.1 -- p0 [S] p1 -- 10.9.0.2 eth0 B
type lab struct{ a, s, b ns.NetNS }

func newLab(t *testing.T) lab {
	t.Helper()
	requireRoot(t)
	checkLeaks(t)
	l := lab{a: newNS(t), s: newNS(t), b: newNS(t)}
	in(t, l.s, func() error {
		for i, host := range []ns.NetNS{l.a, l.b} {
			// An index that the peer does not get: where both ends have the same,
			// each in its namespace, the kernel brings the link up a second late.
			attrs := netlink.LinkAttrs{Name: fmt.Sprintf("p%d", i), MTU: 9000, Index: 20 + i}
			pair := &netlink.Veth{LinkAttrs: attrs, PeerName: "eth0", PeerMTU: 9000, PeerNamespace: netlink.NsFd(int(host.Fd()))}
			if err := netlink.LinkAdd(pair); err != nil {
				return err
			}
			if err := netlink.LinkSetUp(pair); err != nil {
				return err
			}
		}
		return setUpLo()
	})
	setUpHost(t, l.a, hostA)
	setUpHost(t, l.b, hostB)
	return l
}

func requireRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	const why = "needs root to make network namespaces"
	if os.Getenv("INALAB_REQUIRE_ROOT") == "1" {
		t.Fatal(why + ", and INALAB_REQUIRE_ROOT=1 forbids to skip")
	}
	t.Skip(why)
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
	// Without IPv6 nothing moves in a namespace that a test did not send.
	in(t, space, func() error {
		err := os.WriteFile("/proc/sys/net/ipv6/conf/all/disable_ipv6", []byte("1"), 0)
		if os.IsNotExist(err) {
			return nil
		}
		return err
	})
	return space
}

// in runs f on a thread that is in the namespace; package ns throws the thread
// away where it cannot bring it back.
func in(t *testing.T, space ns.NetNS, f func() error) {
	t.Helper()
	if err := space.Do(func(ns.NetNS) error { return f() }); err != nil {
		t.Fatal(err)
	}
}

func setUpLo() error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	return netlink.LinkSetUp(lo)
}

func setUpHost(t *testing.T, host ns.NetNS, addr netip.Addr) {
	t.Helper()
	in(t, host, func() error {
		link, err := netlink.LinkByName("eth0")
		if err != nil {
			return err
		}
		if err := netlink.LinkSetUp(link); err != nil {
			return err
		}
		ip := &net.IPNet{IP: addr.AsSlice(), Mask: net.CIDRMask(24, 32)}
		return netlink.AddrAdd(link, &netlink.Addr{IPNet: ip})
	})
	awaitUp(t, host)
}

// awaitUp returns when eth0 carries packets: the kernel reports a carrier at
// once, but switches the queue on later and until then drops what is sent.
func awaitUp(t *testing.T, host ns.NetNS) {
	t.Helper()
	updates, done := make(chan netlink.LinkUpdate), make(chan struct{})
	in(t, host, func() error {
		return netlink.LinkSubscribeWithOptions(updates, done, netlink.LinkSubscribeOptions{ListExisting: true})
	})
	for limit, up := time.After(5*time.Second), false; !up; {
		select {
		case u := <-updates:
			up = u.Attrs().Name == "eth0" && u.Attrs().OperState == netlink.OperUp
		case <-limit:
			t.Error("eth0 did not come up")
			up = true
		}
	}
	close(done)
	for range updates { // until the subscription has ended
	}
}

// checkLeaks fails the test if it leaves descriptors or goroutines behind. Call
// it before anything registers a clean-up.
func checkLeaks(t *testing.T) {
	t.Helper()
	r, w, err := os.Pipe() // makes the runtime open the descriptors that it waits with, for good
	if err := errors.Join(err, r.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	fds, goroutines := openFDs(t), runtime.NumGoroutine()
	t.Cleanup(func() {
		for i := 0; runtime.NumGoroutine() > goroutines && i < 1e6; i++ {
			runtime.Gosched()
		}
		if n := runtime.NumGoroutine(); n > goroutines {
			t.Errorf("%d goroutines, %d before", n, goroutines)
		}
		if n := openFDs(t); n > fds {
			t.Errorf("%d open descriptors, %d before", n, fds)
		}
	})
}

func openFDs(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// open opens a device in the switch's namespace that is closed with the test.
func (l lab) open(t *testing.T, cfg Config) (d *Device) {
	t.Helper()
	if cfg.Ports == nil {
		cfg.Ports = []PortConfig{{"p0"}, {"p1"}}
	}
	in(t, l.s, func() (err error) {
		d, err = Open(cfg)
		return err
	})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// cable is a machine that sends out of one port what comes in by the other.
type cable struct{ trains, frames int }

var otherPort = [2][]sansio.Port{{1}, {0}}

func (c *cable) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for _, a := range in {
		c.trains++
		c.frames += a.Train.Frames()
		eff.Send(otherPort[a.Port], a.Train)
	}
}

func (*cable) Expire(units.Time, *sansio.Effects) {}
func (*cable) NextDeadline() units.Time           { return units.Never }

// forward runs a cable on a device; stop ends it and returns it.
func forward(t *testing.T, d *Device) (stop func() *cable) {
	t.Helper()
	c, ended := &cable{}, make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, err := pktio.Drive(ctx, pktio.DriveConfig{Machine: c, Device: d, Clock: pktio.NewClock(0)})
		ended <- err
	}()
	stop = func() *cable {
		if ctx.Err() == nil {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		return c
	}
	t.Cleanup(func() { stop() })
	return stop
}

// listenUDP opens a socket of a host that is closed with the test.
func listenUDP(t *testing.T, host ns.NetNS, addr netip.AddrPort) (c *net.UDPConn) {
	t.Helper()
	in(t, host, func() (err error) {
		c, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(addr))
		return err
	})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := c.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

// control runs f on a socket's descriptor.
func control(t *testing.T, c *net.UDPConn, f func(fd int) error) {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil || inner != nil {
		t.Fatal(err, inner)
	}
}

// counter reads one counter of /proc/net/snmp of a host, as "Udp", "InCsumErrors".
func counter(t *testing.T, host ns.NetNS, group, name string) (n int) {
	t.Helper()
	var text []byte
	in(t, host, func() (err error) {
		text, err = os.ReadFile("/proc/thread-self/net/snmp")
		return err
	})
	var names []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if fields[0] != group+":" {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		for i := range names {
			if names[i] == name {
				v, err := strconv.Atoi(fields[i])
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
		}
	}
	t.Fatalf("no counter %s %s in %s", group, name, text)
	return 0
}

// noSegmentationOffload turns a host's segmentation offloads off, as the plain
// path demands; checksum offload stays on.
func noSegmentationOffload(t *testing.T, host ns.NetNS) {
	t.Helper()
	in(t, host, func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		for _, cmd := range []uint32{unix.ETHTOOL_STSO, unix.ETHTOOL_SGSO} {
			off := struct{ cmd, data uint32 }{cmd, 0}
			req := struct {
				name [unix.IFNAMSIZ]byte
				data unsafe.Pointer
				_    [16]byte
			}{data: unsafe.Pointer(&off)}
			copy(req.name[:], "eth0")
			if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&req))); errno != 0 {
				return os.NewSyscallError("ioctl SIOCETHTOOL", errno)
			}
		}
		return nil
	})
}

// sysctl switches a setting of the current network namespace on.
func sysctl(name string) error { return os.WriteFile("/proc/sys/"+name, []byte("1"), 0) }
