package netns

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/journal"
)

func mac(n byte) [6]byte { return [6]byte{2, 0, 0, 0, 0, n} }

// twoHosts is h1 and h2 in two subnets, joined by a router r.
func twoHosts(lab string) Spec {
	prefix := netip.MustParsePrefix
	addr := netip.MustParseAddr
	return Spec{
		Lab: lab,
		Nodes: []Node{
			{Name: "h1", Routes: []Route{{Dst: prefix("0.0.0.0/0"), Via: addr("10.0.1.254")}, {Dst: prefix("192.168.7.0/24"), Via: addr("10.0.1.254")}}},
			{Name: "h2", Routes: []Route{{Dst: prefix("10.0.1.0/24"), Via: addr("10.0.2.254")}},
				Neighbors: []Neighbor{{Addr: addr("10.0.2.254"), MAC: mac(4)}}},
			{Name: "r", Forwarding: true},
		},
		Wires: []Wire{
			{A: End{Node: "h1", Iface: "eth0", MAC: mac(1), Addr: prefix("10.0.1.1/24"), Offload: true},
				B: End{Node: "r", Iface: "p1", MAC: mac(2), Addr: prefix("10.0.1.254/24"), Offload: true}},
			{A: End{Node: "r", Iface: "p2", MAC: mac(4), Addr: prefix("10.0.2.254/24")},
				B: End{Node: "h2", Iface: "eth0", MAC: mac(3), Addr: prefix("10.0.2.1/24")}},
		},
	}
}

// exchange sends a datagram from h1 to h2 through r.
func exchange(l *Lab, payload string) error {
	var server, client net.PacketConn
	if err := l.Do("h2", func() (err error) {
		server, err = net.ListenPacket("udp4", "10.0.2.1:7000")
		return err
	}); err != nil {
		return err
	}
	defer server.Close()
	if err := l.Do("h1", func() (err error) {
		client, err = net.ListenPacket("udp4", "10.0.1.1:0")
		return err
	}); err != nil {
		return err
	}
	defer client.Close()
	if _, err := client.WriteTo([]byte(payload), server.LocalAddr()); err != nil {
		return err
	}
	if err := server.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return err
	}
	buf := make([]byte, 9000)
	n, from, err := server.ReadFrom(buf)
	if err != nil {
		return err
	}
	if got := string(buf[:n]); got != payload || from.String() != client.LocalAddr().String() {
		return fmt.Errorf("got %q from %v, want %q from %v", got, from, payload, client.LocalAddr())
	}
	return nil
}

func up(t *testing.T, spec Spec, opts Options) *Lab {
	t.Helper()
	l, err := Up(t.Context(), spec, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Down(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func TestTrafficIsRouted(t *testing.T) {
	needRoot(t)
	lab := NewLabName()
	checkLeaks(t, lab)
	l := up(t, twoHosts(lab), Options{StateDir: t.TempDir()})
	if err := exchange(l, strings.Repeat("x", 8900)); err != nil {
		t.Fatal(err)
	}
}

func TestInterfacesAreAsAsked(t *testing.T) {
	needRoot(t)
	lab := NewLabName()
	checkLeaks(t, lab)
	spec := twoHosts(lab)
	spec.MTU = 4000
	l := up(t, spec, Options{StateDir: t.TempDir()})
	for _, w := range spec.Wires {
		for _, e := range [...]End{w.A, w.B} {
			if err := l.Do(e.Node, func() error { return checkEnd(e, spec.MTU, aliasPrefix+lab) }); err != nil {
				t.Errorf("%v: %v", e, err)
			}
		}
	}
}

func checkEnd(e End, mtu int, alias string) error {
	link, err := netlink.LinkByName(e.Iface)
	if err != nil {
		return err
	}
	a := link.Attrs()
	if a.MTU != mtu || a.Alias != alias || !bytes.Equal(a.HardwareAddr, e.MAC[:]) || a.OperState != netlink.OperUp {
		return fmt.Errorf("mtu %d alias %q mac %v state %v", a.MTU, a.Alias, a.HardwareAddr, a.OperState)
	}
	addrs, err := netlink.AddrList(link, netlink.FAMILY_ALL)
	if err != nil {
		return err
	}
	if len(addrs) != 1 || addrs[0].IPNet.String() != e.Addr.String() {
		return fmt.Errorf("addresses %v, want only %v", addrs, e.Addr)
	}
	return checkOffload(e)
}

func checkOffload(e End) error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	for _, cmd := range []uint32{unix.ETHTOOL_GTSO, unix.ETHTOOL_GGSO, unix.ETHTOOL_GTXCSUM} {
		value := ethtoolValue{cmd: cmd}
		if err := ethtool(socket, e.Iface, &value); err != nil {
			return err
		}
		if on := value.data != 0; on != e.Offload {
			return fmt.Errorf("ethtool %#x: on is %v, want %v", cmd, on, e.Offload)
		}
	}
	return nil
}

func TestRoutesAndNeighbors(t *testing.T) {
	needRoot(t)
	lab := NewLabName()
	checkLeaks(t, lab)
	l := up(t, twoHosts(lab), Options{StateDir: t.TempDir()})
	err := l.Do("h1", func() error {
		routes, err := netlink.RouteListFiltered(netlink.FAMILY_V4, &netlink.Route{Dst: ipNet(netip.MustParsePrefix("192.168.7.0/24"))}, netlink.RT_FILTER_DST)
		if err == nil && (len(routes) != 1 || routes[0].Gw.String() != "10.0.1.254") {
			err = fmt.Errorf("routes: %v", routes)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	err = l.Do("h2", func() error {
		neighbors, err := netlink.NeighList(0, netlink.FAMILY_V4)
		if err != nil {
			return err
		}
		for _, n := range neighbors {
			if n.IP.String() == "10.0.2.254" && n.State == netlink.NUD_PERMANENT && bytes.Equal(n.HardwareAddr, []byte{2, 0, 0, 0, 0, 4}) {
				return nil
			}
		}
		return fmt.Errorf("no permanent neighbor in %v", neighbors)
	})
	if err != nil {
		t.Error(err)
	}
}

// Each spec fails at another step of Up; nothing may be left behind.
func TestFailedStepUndoesEverything(t *testing.T) {
	needRoot(t)
	tests := []struct {
		name  string
		spoil func(*Spec)
		want  string
	}{
		{"interface exists", func(s *Spec) { s.Wires[1].B.Iface = "lo" }, "create wire r:p2 - h2:lo"},
		{"next hop out of reach", func(s *Spec) { s.Nodes[1].Routes[0].Via = netip.MustParseAddr("10.9.9.9") }, "node h2: add route to 10.0.1.0/24: via 10.9.9.9"},
		{"neighbor out of reach", func(s *Spec) { s.Nodes[1].Neighbors[0].Addr = netip.MustParseAddr("10.9.9.9") }, "node h2: add neighbor 10.9.9.9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lab := NewLabName()
			checkLeaks(t, lab)
			state := t.TempDir()
			spec := twoHosts(lab)
			tt.spoil(&spec)
			_, err := Up(t.Context(), spec, Options{StateDir: state})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q in it", err, tt.want)
			}
			if entries, err := List(Options{StateDir: state}); err != nil || len(entries) != 0 {
				t.Fatalf("journals left: %v, %v", entries, err)
			}
		})
	}
}

func TestCanceledUpUndoesEverything(t *testing.T) {
	needRoot(t)
	lab := NewLabName()
	checkLeaks(t, lab)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Up(ctx, twoHosts(lab), Options{StateDir: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want canceled", err)
	}
}

func TestForeignNamespaceStays(t *testing.T) {
	needRoot(t)
	lab := NewLabName()
	if err := makeDir(); err != nil {
		t.Fatal(err)
	}
	path := Path(lab, "h2")
	if err := os.WriteFile(path, nil, 0o444); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	})
	_, err := Up(t.Context(), twoHosts(lab), Options{StateDir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), path+" exists and is not ours") {
		t.Fatalf("error %v", err)
	}
	names, _ := filepath.Glob(Path(lab, "*"))
	if len(names) != 1 {
		t.Fatalf("left: %v", names)
	}
}

func TestTwoLabsSideBySide(t *testing.T) {
	needRoot(t)
	one, two := NewLabName(), NewLabName()
	checkLeaks(t, one, two)
	opts := Options{StateDir: t.TempDir()}
	a, b := up(t, twoHosts(one), opts), up(t, twoHosts(two), opts)
	for _, l := range []*Lab{a, b} {
		if err := exchange(l, l.name); err != nil {
			t.Error(err)
		}
	}
	if err := a.Down(); err != nil {
		t.Fatal(err)
	}
	report, err := GC(opts)
	if err != nil || len(report.Collected) != 0 || len(report.Kept) != 1 || report.Kept[0].Lab != two || report.Kept[0].State != journal.Live {
		t.Fatalf("collected a live lab: %+v, %v", report, err)
	}
	if err := exchange(b, "still there"); err != nil {
		t.Error(err)
	}
}

func TestSecondRunWithSameName(t *testing.T) {
	needRoot(t)
	lab := NewLabName()
	checkLeaks(t, lab)
	opts := Options{StateDir: t.TempDir()}
	l := up(t, twoHosts(lab), opts)
	_, err := Up(t.Context(), twoHosts(lab), opts)
	if !errors.Is(err, journal.ErrInUse) {
		t.Fatalf("error %v, want ErrInUse", err)
	}
	for _, want := range []string{lab, fmt.Sprint(os.Getpid()), "choose another lab name"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
	if err := exchange(l, "undisturbed"); err != nil {
		t.Error(err)
	}
}

func TestNoSuchNode(t *testing.T) {
	l := &Lab{name: "x", nodes: map[string]string{"h1": "/p"}}
	if err := l.Do("h9", func() error { return nil }); err == nil || !strings.Contains(err.Error(), `no node "h9"`) {
		t.Fatalf("error %v", err)
	}
	if l.Path("h1") != "/p" || l.Path("h9") != "" {
		t.Fatal("wrong path")
	}
}
