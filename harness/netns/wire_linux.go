package netns

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// dumpRetries bounds how often an interrupted dump is taken again. Assumed.
const dumpRetries = 10

// ifaceAddr is an address of a namespace's interface.
type ifaceAddr struct {
	iface  string
	prefix netip.Prefix
}

// wirer joins namespaces by wires.
type wirer struct {
	mtu   int
	alias string
	nodes map[string]*namespace
}

// join makes one wire: one request for the pair, then for each end one for
// alias and up and one for the address.
func (w *wirer) join(wire Wire) error {
	if err := w.create(wire); err != nil {
		return fmt.Errorf("create wire %v - %v: %w", wire.A, wire.B, err)
	}
	for _, e := range [...]End{wire.A, wire.B} {
		if err := w.nodes[e.Node].configure(e, w.alias); err != nil {
			return fmt.Errorf("configure interface %v: %w", e, err)
		}
	}
	return nil
}

func (w *wirer) create(wire Wire) error {
	a, b := w.nodes[wire.A.Node], w.nodes[wire.B.Node]
	attrs := netlink.NewLinkAttrs()
	attrs.Name = wire.A.Iface
	attrs.MTU = w.mtu
	attrs.HardwareAddr = wire.A.MAC[:]
	veth := netlink.NewVeth(attrs)
	veth.PeerName = wire.B.Iface
	veth.PeerMTU = uint32(w.mtu)
	veth.PeerHardwareAddr = wire.B.MAC[:]
	veth.PeerNamespace = netlink.NsFd(b.handle)
	if n := wire.Queues; n > 0 {
		veth.NumTxQueues, veth.NumRxQueues = n, n
		veth.PeerNumTxQueues, veth.PeerNumRxQueues = uint32(n), uint32(n)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.nl.LinkAdd(veth); err != nil {
		return err
	}
	a.index[wire.A.Iface] = veth.Index
	return nil
}

// configure sets what the creation cannot set: the alias, up, the address.
func (n *namespace) configure(e End, alias string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	index, err := n.find(e.Iface)
	if err != nil {
		return err
	}
	if !e.Offload {
		if err := disableOffload(n.ioctl, e.Iface); err != nil {
			return err
		}
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Index = index
	attrs.Name = e.Iface
	attrs.Alias = alias
	attrs.Flags = net.FlagUp
	if e.GRO && !e.Offload {
		attrs.GROMaxSize = 1 // no packet is so small that another one could join it
	}
	if err := n.nl.LinkModify(&netlink.GenericLink{LinkAttrs: attrs, LinkType: "veth"}); err != nil {
		return fmt.Errorf("set alias and up: %w", err)
	}
	if e.GRO { // not before it is up: the driver would not tell the other end that it may redirect to here (veth_set_features)
		if err := ethtool(n.ioctl, e.Iface, &ethtoolValue{cmd: unix.ETHTOOL_SGRO, data: 1}); err != nil {
			return fmt.Errorf("turn generic receive offload on: %w", err)
		}
	}
	if !e.Addr.IsValid() {
		return nil
	}
	addr := netlink.Addr{IPNet: ipNet(e.Addr)}
	if err := n.nl.AddrAdd(&netlink.GenericLink{LinkAttrs: attrs}, &addr); err != nil {
		return fmt.Errorf("add address %v: %w", e.Addr, err)
	}
	n.addrs = append(n.addrs, ifaceAddr{e.Iface, e.Addr})
	return nil
}

// find returns the index of an interface, asking the kernel once.
func (n *namespace) find(iface string) (int, error) {
	if index := n.index[iface]; index != 0 {
		return index, nil
	}
	link, err := n.link(iface)
	if err != nil {
		return 0, err
	}
	n.index[iface] = link.Attrs().Index
	return link.Attrs().Index, nil
}

// link asks for an interface by name. Kernels before 5.5 answer with a dump,
// which another request may interrupt.
func (n *namespace) link(iface string) (netlink.Link, error) {
	for try := 1; ; try++ {
		link, err := n.nl.LinkByName(iface)
		if errors.Is(err, netlink.ErrDumpInterrupted) && try < dumpRetries {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("find interface %s: %w", iface, err)
		}
		return link, nil
	}
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}
