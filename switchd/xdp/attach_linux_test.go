package xdp

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// passer attaches a program of somebody else that passes everything.
func passer(t *testing.T, end netnstest.End) (id uint32) {
	t.Helper()
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type: ebpf.XDP, License: "Apache-2.0", Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 2), asm.Return()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	netnstest.OnLink(t, end.Space, end.Iface, func(dev netlink.Link) error {
		l, err := link.AttachXDP(link.XDPOptions{Program: p, Interface: dev.Attrs().Index})
		if err == nil {
			t.Cleanup(func() { l.Close() })
		}
		return err
	})
	info, err := p.Info()
	if err != nil {
		t.Fatal(err)
	}
	n, _ := info.ID()
	return uint32(n)
}

// A finished sum leaves by the wire of the packet that finished it, as the machine has it, in both modes.
func TestForwardedFrameArrives(t *testing.T) {
	netnstest.RequireRoot(t)
	for _, mode := range []Mode{Native, Generic} {
		l := newLab(t, 1500)
		c := liveConfig(l)
		c.Values, c.Fragments, c.MAC = wire.MaxValues, 3, inet.MAC{2, 0, 0, 0, 0, 9}
		c.Up = xagg.Next{MAC: inet.MAC{2, 0, 0, 0, 0, 8}, Addr: netip.MustParseAddr("10.7.0.8")}
		passer(t, netnstest.End{Space: l.hosts, Iface: "wk3"}) // without it veth drops what XDP sends
		a, err := Load(Options{Config: c})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		l.attach(t, a, mode)
		for i := range senders {
			if err := l.send(i, 3, &c); err != nil {
				t.Fatal(err)
			}
		}
		want := make([]int32, c.Values)
		for at := range want {
			for i := range senders {
				want[at] += value(i, 3, at)
			}
		}
		path := wire.Path{SrcMAC: c.MAC, DstMAC: c.Up.MAC, Src: c.Addr, Dst: c.Up.Addr}
		h := wire.Header{Host: c.Host, Gradient: 3, Job: c.Job, Flags: wire.EndOfGroup}
		if got := l.receive(t, 3); !bytes.Equal(got, wire.Frame(path, h, want)) {
			t.Errorf("%v: got % x", mode, got)
		}
	}
}

// receive returns the next frame of XAgg that arrives at a host's end.
func (l *lab) receive(t *testing.T, i int) []byte {
	t.Helper()
	b := make([]byte, 2048)
	if err := unix.SetsockoptTimeval(l.socks[i], unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1}); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(patience); time.Now().Before(limit); {
		n, from, err := unix.Recvfrom(l.socks[i], b, 0)
		if ll, ok := from.(*unix.SockaddrLinklayer); err == nil && ok && ll.Pkttype != unix.PACKET_OUTGOING && wire.Ours(b[:n]) {
			return b[:n]
		}
	}
	t.Fatal("no frame arrives")
	return nil
}

// Two interfaces or a hundred: Close leaves none, also where attaching failed in the middle.
func TestCloseDetaches(t *testing.T) {
	l := newLab(t, 1500)
	a := load(t, liveConfig(l))
	l.attach(t, a, Probe)
	if got := len(l.attached(t)); got != senders {
		t.Fatalf("attached to %d interfaces", got)
	}
	netnstest.In(t, l.server, func() error {
		if _, err := a.Attach("none", Probe); err == nil || !strings.Contains(err.Error(), "attach aggregator to none") {
			t.Errorf("an interface that is not there: %v", err)
		}
		var busy *BusyError
		if _, err := a.Attach(serverEnd(0), Probe); !errors.As(err, &busy) {
			t.Errorf("the same again: %v", err)
		}
		return nil
	})
	if err := errors.Join(a.Close(), a.Close()); err != nil {
		t.Error(err)
	}
	if left := l.attached(t); left != nil {
		t.Errorf("a program is left on %v", left)
	}
	_, e1 := a.Tally()
	_, e2 := a.Sum(1)
	_, e3 := a.Drain(nil)
	_, e4 := a.Attach(serverEnd(0), Probe)
	for _, err := range []error{e1, e2, e3, e4, a.Reconfigure(liveConfig(l))} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// A program of somebody else stays, and the message names it.
func TestForeignProgram(t *testing.T) {
	l := newLab(t, 1500)
	id := passer(t, netnstest.End{Space: l.server, Iface: serverEnd(0)})
	a := load(t, liveConfig(l))
	netnstest.In(t, l.server, func() error {
		for _, mode := range []Mode{Probe, Native, Generic} {
			var busy *BusyError
			if _, err := a.Attach(serverEnd(0), mode); !errors.As(err, &busy) || busy.Program != id || !strings.Contains(err.Error(), "ag0 has an XDP program already") {
				t.Errorf("%v: %v, want program %d", mode, err, id)
			}
		}
		return nil
	})
	if left := l.attached(t); !slices.Equal(left, []string{serverEnd(0)}) {
		t.Errorf("programs on %v", left)
	}
}

func TestLargeMTU(t *testing.T) {
	for _, mtu := range []int{MaxMTU, MaxMTU + 1, 9000} {
		for _, onePage := range []bool{false, true} {
			l, small := newLab(t, mtu), mtu <= MaxMTU || !onePage
			a, err := Load(Options{Config: liveConfig(l), onePage: onePage})
			if err != nil {
				t.Fatal(err)
			}
			netnstest.In(t, l.server, func() error {
				mode, err := a.Attach(serverEnd(0), Probe)
				if !small && (!errors.Is(err, ErrMTU) || !strings.Contains(err.Error(), fmt.Sprintf("has %d bytes", mtu)) || !strings.Contains(err.Error(), "mtu: 3506")) {
					t.Errorf("MTU %d: %v", mtu, err)
				}
				if small && (err != nil || mode != Native) {
					t.Errorf("MTU %d: %v %v", mtu, mode, err)
				}
				return nil
			})
			if left := l.attached(t); !small && left != nil {
				t.Errorf("a program is on %v", left)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// The loopback interface has no native XDP: it gets the generic one, or a message.
func TestGenericIsTheFallback(t *testing.T) {
	a := load(t, testConfig(wire.MinValues, 1))
	netnstest.In(t, netnstest.NewSpace(t), func() error {
		if _, err := a.Attach("lo", Native); err == nil || !strings.Contains(err.Error(), "attach in generic mode") {
			t.Errorf("native on lo: %v", err)
		}
		if mode, err := a.Attach("lo", Probe); err != nil || mode != Generic {
			t.Errorf("lo: %v %v", mode, err)
		}
		return nil
	})
}

// What needs more memory than may be used is refused before the kernel is asked.
func TestMemoryIsRefused(t *testing.T) {
	netnstest.RequireRoot(t)
	c := testConfig(wire.MaxValues, 1<<32-1)
	for _, limit := range []int64{0, 1 << 30} {
		_, err := Load(Options{Config: c, Memory: units.Bytes(limit)})
		if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "4294967295 fragments of 320 values take") {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	c.Values = 0
	if _, err := Load(Options{Config: c}); err == nil || !strings.Contains(err.Error(), "0 values a packet") {
		t.Errorf("a bad configuration: %v", err)
	}
}
