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
	"github.com/inalab/inalab/internal/pktio/netnstest"
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
	netnstest.RequireRoot(t)
	checkLeaks(t)
	l := lab{a: netnstest.NewSpace(t), s: netnstest.NewSpace(t), b: netnstest.NewSpace(t)}
	for i, host := range []netnstest.End{
		{Space: l.a, Iface: "eth0", Addr: netip.PrefixFrom(hostA, 24)},
		{Space: l.b, Iface: "eth0", Addr: netip.PrefixFrom(hostB, 24)},
	} {
		port := netnstest.End{Space: l.s, Iface: fmt.Sprintf("p%d", i)}
		netnstest.Connect(t, netnstest.Wire{A: port, B: host, MTU: 9000, Index: 20 + i})
	}
	netnstest.In(t, l.s, setUpLo)
	return l
}

func setUpLo() error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	return netlink.LinkSetUp(lo)
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
	netnstest.In(t, l.s, func() (err error) {
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
	netnstest.In(t, host, func() (err error) {
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
	netnstest.In(t, host, func() (err error) {
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
	netnstest.In(t, host, func() error {
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
