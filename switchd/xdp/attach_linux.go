package xdp

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
)

// Attach attaches the program to an interface of the calling thread's namespace, and returns how.
// It may be called for several interfaces, which then share the elements.
func (a *Aggregator) Attach(iface string, mode Mode) (Mode, error) {
	if a.closed {
		return mode, ErrClosed
	}
	dev, err := netlink.LinkByName(iface)
	if err != nil {
		return mode, fmt.Errorf("attach aggregator to %s: %w", iface, err)
	}
	attrs := dev.Attrs()
	if x := attrs.Xdp; x != nil && x.Attached {
		return mode, fmt.Errorf("attach aggregator: %w", &BusyError{iface, x.ProgId})
	}
	l, mode, err := attach(a.kernel.Xagg, attrs.Index, mode)
	if err != nil {
		return mode, fmt.Errorf("attach aggregator to %s by %v XDP: %w", iface, mode, refused(err, attrs))
	}
	a.links = append(a.links, l)
	return mode, nil
}

// attach tries the modes that are asked for.
func attach(p *ebpf.Program, index int, mode Mode) (link.Link, Mode, error) {
	if mode != Generic {
		l, err := link.AttachXDP(link.XDPOptions{Program: p, Interface: index, Flags: link.XDPDriverMode})
		if err == nil || mode == Native || !errors.Is(err, syscall.EOPNOTSUPP) {
			return l, Native, err
		}
	}
	l, err := link.AttachXDP(link.XDPOptions{Program: p, Interface: index, Flags: link.XDPGenericMode})
	return l, Generic, err
}

// refused says what the kernel's refusal to attach means.
func refused(err error, dev *netlink.LinkAttrs) error {
	switch {
	case errors.Is(err, syscall.EBUSY), errors.Is(err, syscall.EEXIST):
		return &BusyError{Iface: dev.Name}
	case errors.Is(err, syscall.ERANGE):
		return fmt.Errorf("%w: %s or its peer has %d bytes, and before Linux 5.18 a frame must fit into a page: "+
			"set both to %[5]d or less (mtu: %[5]d in a scenario, or `ip link set dev %[2]s mtu %[5]d`), or attach in generic mode (%[4]w)",
			ErrMTU, dev.Name, dev.MTU, err, MaxMTU)
	case errors.Is(err, syscall.EOPNOTSUPP):
		return fmt.Errorf("its driver has no native XDP: attach in generic mode (%w)", err)
	}
	return explain(err)
}
