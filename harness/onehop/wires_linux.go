//go:build 386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64

package onehop

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// wires are the three hosts and what connects them. Nothing of it has a name in the file system: it
// goes when the descriptors do, however the process ends.
type wires struct {
	worker, server, ps ns.NetNS

	tag string // of the interfaces' names, which names of kernel threads begin with
}

// The ends of the wires: the worker's to the server and to the parameter server, and theirs.
func (w *wires) toServer() string   { return "w" + w.tag }
func (w *wires) toPS() string       { return "x" + w.tag }
func (w *wires) ofServer() string   { return "s" + w.tag }
func (w *wires) serverToPS() string { return "t" + w.tag }
func (w *wires) ofPS() string       { return "p" + w.tag }
func (w *wires) psToServer() string { return "q" + w.tag }

// end is one end of a wire.
type end struct {
	space ns.NetNS
	name  string
	addr  string // with its prefix; "" is none
}

func newWires(queues int, overTCP bool) (_ *wires, err error) {
	w := &wires{tag: fmt.Sprintf("%04x", rand.N(1<<16))}
	for _, s := range []*ns.NetNS{&w.worker, &w.server, &w.ps} {
		if *s, err = newSpace(); err != nil {
			return nil, errors.Join(err, w.close())
		}
	}
	pairs := [][2]end{
		{{w.worker, w.toServer(), "10.9.1.1/24"}, {w.server, w.ofServer(), "10.9.1.2/24"}},
		{{w.worker, w.toPS(), "10.9.2.1/24"}, {w.ps, w.ofPS(), "10.9.2.2/24"}},
	}
	if overTCP {
		pairs = append(pairs, [2]end{{w.server, w.serverToPS(), "10.9.3.1/24"}, {w.ps, w.psToServer(), "10.9.3.2/24"}})
	}
	for i, p := range pairs {
		if err = connect(p[0], p[1], 40+i, queues); err != nil {
			return nil, errors.Join(fmt.Errorf("connect hosts: %w", err), w.close())
		}
	}
	return w, nil
}

func newSpace() (ns.NetNS, error) {
	s, err := ns.TempNetNS()
	if err != nil {
		return nil, fmt.Errorf("make a network namespace: %w", explain(err))
	}
	err = s.Do(func(ns.NetNS) error {
		err := os.WriteFile("/proc/sys/net/ipv6/conf/all/disable_ipv6", []byte("1"), 0)
		if errors.Is(err, fs.ErrNotExist) { // a kernel without IPv6
			return nil
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("switch IPv6 off: %w", err), s.Close())
	}
	return s, nil
}

// connect makes a wire. The index of one end must be another than that of its peer: with equal ones
// the kernel takes the pair for no pair, and starts it up to a second late.
func connect(a, b end, index, queues int) error {
	err := a.space.Do(func(ns.NetNS) error {
		return netlink.LinkAdd(&netlink.Veth{
			LinkAttrs: netlink.LinkAttrs{Name: a.name, Index: index, NumTxQueues: queues, NumRxQueues: queues},
			PeerName:  b.name, PeerNamespace: netlink.NsFd(int(b.space.Fd())), PeerNumTxQueues: uint32(queues), PeerNumRxQueues: uint32(queues),
		})
	})
	if err != nil {
		return err
	}
	return errors.Join(a.up(), b.up())
}

func (e end) up() error {
	return e.space.Do(func(ns.NetNS) error {
		link, err := netlink.LinkByName(e.name)
		if err != nil {
			return err
		}
		addr, err := netlink.ParseAddr(e.addr)
		if err != nil {
			return err
		}
		return errors.Join(netlink.AddrAdd(link, addr), netlink.LinkSetUp(link))
	})
}

func (w *wires) close() error {
	var errs []error
	for _, s := range []ns.NetNS{w.worker, w.server, w.ps} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// index returns the number of an interface in its namespace.
func index(space ns.NetNS, name string) (n int, err error) {
	err = space.Do(func(ns.NetNS) error {
		link, err := netlink.LinkByName(name)
		if err == nil {
			n = link.Attrs().Index
		}
		return err
	})
	return n, err
}

// feature is a command of ethtool(8) with a value.
type feature struct{ command, value uint32 }

// request is struct ifreq of linux/if.h with its pointer member.
type request struct {
	name [unix.IFNAMSIZ]byte
	data *feature
	_    [16]byte // the union is larger than the pointer
}

// set sets features of an interface.
func set(space ns.NetNS, name string, list ...feature) error {
	return space.Do(func(ns.NetNS) error {
		s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(s)
		for _, f := range list {
			r := request{data: &f}
			copy(r.name[:unix.IFNAMSIZ-1], name)
			if _, _, no := unix.Syscall(unix.SYS_IOCTL, uintptr(s), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&r))); no != 0 {
				return fmt.Errorf("set feature %#x of %s: %w", f.command, name, no)
			}
		}
		return nil
	})
}

// tune writes files of /sys/class/net of a namespace, each as "interface/file=value". A mount of
// sysfs shows the namespace of who made it, so a thread makes one for itself, and ends with it.
func tune(space ns.NetNS, settings ...string) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends here
		done <- func() error {
			if err := unix.Setns(int(space.Fd()), unix.CLONE_NEWNET); err != nil {
				return err
			}
			if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
				return err
			}
			if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
				return err
			}
			if err := unix.Mount("sysfs", "/sys", "sysfs", 0, ""); err != nil {
				return err
			}
			for _, s := range settings {
				file, value, _ := strings.Cut(s, "=")
				if err := os.WriteFile(filepath.Join("/sys/class/net", file), []byte(value), 0); err != nil {
					return err
				}
			}
			return nil
		}()
	}()
	if err := <-done; err != nil {
		return fmt.Errorf("tune interfaces: %w", explain(err))
	}
	return nil
}
