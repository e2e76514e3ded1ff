package netns

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// netlinkTimeout bounds one request. Assumed: far above the longest wait for
// the rtnl lock while the kernel removes another big lab.
const netlinkTimeout = 20 * time.Second

// loopback has index 1 in every namespace (net/core/dev.c, dev_new_index).
const loopbackIndex = 1

// namespace is one node while its lab comes up.
type namespace struct {
	node *Node
	path string

	bound  bool           // the file exists, so that it has to be undone
	handle netns.NsHandle // the namespace; netns.None for none
	ioctl  int            // datagram socket inside, for ethtool; -1 for none
	index  map[string]int // interface name -> index
	addrs  []ifaceAddr

	mu sync.Mutex // guards nl, index and addrs: two wires may end here at once
	nl *netlink.Handle
}

// create makes the namespace and its sockets. The calling thread must be one
// that [inThreads] provides: it ends up inside.
func (n *namespace) create(ethtool bool) error {
	if err := n.bind(); err != nil {
		return err
	}
	if err := n.setSysctls(); err != nil {
		return err
	}
	var err error
	if n.nl, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return fmt.Errorf("open netlink socket: %w", err)
	}
	if err := n.nl.SetSocketTimeout(netlinkTimeout); err != nil {
		return fmt.Errorf("set timeout of netlink socket: %w", err)
	}
	if ethtool {
		if n.ioctl, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0); err != nil {
			n.ioctl = -1
			return fmt.Errorf("open socket for ethtool: %w", err)
		}
	}
	lo := netlink.GenericLink{LinkAttrs: netlink.LinkAttrs{Index: loopbackIndex}}
	if err := n.nl.LinkSetUp(&lo); err != nil {
		return fmt.Errorf("set lo up: %w", err)
	}
	return nil
}

// bind moves the calling thread into a new namespace and binds it to the path.
// Not netns.NewNamed: its errors do not tell a file that it made, which has to
// be undone, from one that it found, nor which limit of the kernel was met.
func (n *namespace) bind() error {
	f, err := os.OpenFile(n.path, os.O_RDONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return fmt.Errorf("create namespace file: %w", err)
	}
	n.bound = true
	if err := f.Close(); err != nil {
		return fmt.Errorf("create namespace file: %w", err)
	}
	n.handle, err = netns.New()
	if errors.Is(err, unix.ENOSPC) {
		err = fmt.Errorf("%w: raise it with sysctl user.max_net_namespaces", err)
	}
	if err != nil {
		return fmt.Errorf("make network namespace: %w", err)
	}
	if err := unix.Mount("/proc/thread-self/ns/net", n.path, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind namespace to %s: %w", n.path, err)
	}
	return nil
}

// silence is how many milliseconds the kernel of a silent node waits between two ICMP errors
// to one address: about four days. Six times as much, which the kernel reckons with, is an int
// (net/ipv4/inetpeer.c, inet_peer_xrlim_allow). It counts 60 s in advance to an address that is
// new, so that the first error is not sent either.
const silence = math.MaxInt32 / 6

// icmpErrors are the ICMP errors that silence holds for, a bit for each type: destination
// unreachable, source quench, time exceeded, parameter problem (RFC 792).
const icmpErrors = 1<<3 | 1<<4 | 1<<11 | 1<<12

// setting is a file below /proc/sys/net and what to write to it.
type setting struct{ name, value string }

// setSysctls makes the namespace independent of the host's defaults, which it
// may have inherited (net.core.devconf_inherit_init_net).
func (n *namespace) setSysctls() error {
	forward := "0"
	if n.node.Forwarding {
		forward = "1"
	}
	settings := []setting{
		{"ipv6/conf/all/disable_ipv6", "1"}, // also sets the default: no autoconf, no router solicitations
		{"ipv4/ip_forward", forward},        // first of ipv4, since a change resets the others
		{"ipv4/conf/all/rp_filter", "0"},    // ECMP and multicast replies may come in elsewhere
		{"ipv4/conf/default/rp_filter", "0"},
		{"ipv4/tcp_slow_start_after_idle", "0"}, // training idles for longer than a timeout between transfers
	}
	if n.node.Silent {
		settings = append(settings, setting{"ipv4/icmp_ratemask", strconv.Itoa(icmpErrors)}, setting{"ipv4/icmp_ratelimit", strconv.Itoa(silence)})
	}
	for _, s := range settings {
		// /proc/sys/net shows the namespace of the thread that looks.
		f, err := os.OpenFile("/proc/sys/net/"+s.name, os.O_WRONLY, 0)
		if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(s.name, "ipv6/") {
			continue // a kernel without IPv6 needs none switched off
		}
		if err == nil {
			_, err = f.WriteString(s.value)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return fmt.Errorf("set net/%s to %s: %w", s.name, s.value, err)
		}
	}
	return nil
}

// close lets go of what was only needed to bring the lab up.
func (n *namespace) close() error {
	var errs []error
	if n.nl != nil {
		n.nl.Close()
		n.nl = nil
	}
	if n.ioctl >= 0 {
		errs = append(errs, unix.Close(n.ioctl))
		n.ioctl = -1
	}
	if n.handle.IsOpen() {
		errs = append(errs, n.handle.Close())
	}
	return errors.Join(errs...)
}
