package daemon_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/topo/plan"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// lab is a plan made real: a namespace for each node, a veth pair for each wire,
// and a daemon in this process for each switch.
type lab struct {
	t       testing.TB
	plan    *plan.Plan
	spaces  map[string]ns.NetNS
	system  daemon.System // of every switch; nil: none
	stop    context.CancelFunc
	running sync.WaitGroup
	thread  int // of the loop of the last switch

	mu      sync.Mutex // guards reports
	reports map[string]daemon.Report
}

// newLab starts a lab, all of whose switches are ready. change may alter the
// configuration of each.
func newLab(t testing.TB, p *plan.Plan, change func(c *daemon.Config)) *lab {
	t.Helper()
	return newLabOf(t, p, nil, change)
}

// newLabOf is newLab with switches that run a system.
func newLabOf(t testing.TB, p *plan.Plan, system daemon.System, change func(c *daemon.Config)) *lab {
	t.Helper()
	netnstest.RequireRoot(t)
	l := &lab{t: t, plan: p, system: system, spaces: map[string]ns.NetNS{}, reports: map[string]daemon.Report{}}
	for i := range p.Hosts {
		l.addSpace(p.Hosts[i].Name)
	}
	for i := range p.Switches {
		l.addSpace(p.Switches[i].Name)
	}
	for i, w := range p.Wires {
		l.wire(i, w)
	}
	for i := range p.Hosts {
		l.address(&p.Hosts[i])
	}
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	t.Cleanup(l.end)
	for i := range p.Switches {
		l.startSwitch(ctx, &p.Switches[i], change)
	}
	return l
}

func (l *lab) addSpace(name string) {
	l.t.Helper()
	space, err := ns.TempNetNS()
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		if err := space.Close(); err != nil {
			l.t.Error(err)
		}
	})
	l.spaces[name] = space
}

// in runs f on a thread in the namespace of a node.
func (l *lab) in(node string, f func() error) {
	l.t.Helper()
	if err := l.spaces[node].Do(func(ns.NetNS) error { return f() }); err != nil {
		l.t.Fatalf("in %s: %v", node, err)
	}
}

// firstIndex keeps the two ends of a wire from having the same interface index
// in their namespaces: the kernel would take them for one interface and switch
// the queues on up to a second late (linkwatch_urgent_event).
const firstIndex = 1000

func (l *lab) wire(i int, w plan.Wire) {
	l.t.Helper()
	l.in(w.A.Node, func() error {
		return netlink.LinkAdd(&netlink.Veth{
			LinkAttrs:        netlink.LinkAttrs{Name: w.A.Iface, MTU: l.plan.MTU, HardwareAddr: w.A.MAC[:], Index: firstIndex + i},
			PeerName:         w.B.Iface,
			PeerMTU:          uint32(l.plan.MTU),
			PeerHardwareAddr: w.B.MAC[:],
			PeerNamespace:    netlink.NsFd(int(l.spaces[w.B.Node].Fd())),
		})
	})
	for _, end := range []plan.WireEnd{w.A, w.B} {
		l.in(end.Node, func() error {
			link, err := netlink.LinkByName(end.Iface)
			if err != nil {
				return err
			}
			return netlink.LinkSetUp(link)
		})
	}
}

func (l *lab) address(h *plan.Host) {
	l.t.Helper()
	l.in(h.Name, func() error {
		link, err := netlink.LinkByName(h.Iface)
		if err != nil {
			return err
		}
		ip := &net.IPNet{IP: h.Addr.Addr().AsSlice(), Mask: net.CIDRMask(h.Addr.Bits(), 32)}
		if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: ip}); err != nil {
			return err
		}
		return netlink.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Gw: h.Gateway.AsSlice()})
	})
}

func (l *lab) startSwitch(ctx context.Context, sw *plan.Switch, change func(c *daemon.Config)) {
	l.t.Helper()
	cfg := daemon.Config{Chassis: chassis.Config{Switch: *sw, MTU: l.plan.MTU, Seed: 1}}
	if change != nil {
		change(&cfg)
	}
	ctl := daemon.NewParent()
	ended := make(chan error, 1)
	l.running.Go(func() {
		ended <- l.spaces[sw.Name].Do(func(ns.NetNS) error {
			l.thread = unix.Gettid()
			report, err := daemon.Run(ctx, cfg, l.system, ctl)
			l.mu.Lock()
			defer l.mu.Unlock()
			l.reports[sw.Name] = report
			return err
		})
	})
	select {
	case <-ctl.Forwards():
	case err := <-ended:
		l.t.Fatalf("%s ended before it was ready: %v", sw.Name, err)
	}
	l.t.Cleanup(func() {
		l.end()
		if err := <-ended; err != nil {
			l.t.Error(err)
		}
	})
}

// end stops all switches; their reports are there when it returns.
func (l *lab) end() {
	l.stop()
	l.running.Wait()
}
