package netns

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

const (
	// releaseTimeout bounds the wait for the kernel to let go. Assumed: it
	// takes 0.13 s for 512 nodes; a busy machine may need many times that.
	releaseTimeout = 10 * time.Second
	releasePoll    = 2 * time.Millisecond
	// holderTimeout bounds the wait for processes that are just ending.
	holderTimeout = 2 * time.Second
)

// dropAll drops the namespaces at the paths and waits until they have gone. It
// returns how many there were.
func dropAll(paths []string) (int, error) {
	inodes := inodesOf(paths)
	w := newWitness(paths)
	defer w.close()
	var errs []error
	dropped := 0
	for _, path := range paths {
		had, err := drop(path)
		if had {
			dropped++
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return dropped, err
	}
	if err := waitHolders(inodes); err != nil {
		return dropped, err
	}
	return dropped, w.wait()
}

// witness sees the last namespace go. The kernel removes namespaces in the
// order they were dropped, in batches, some time later. The witness is a
// nameless namespace with a link to the last one: when the link has gone, so
// have all links of the lab.
type witness struct {
	nl *netlink.Handle // holds the witness's namespace; nil if there is none
}

const (
	witnessLink = "witness"
	witnessPeer = "inalab-witness"
)

// newWitness makes a witness for the last of paths. Where that fails, for want
// of a namespace or because one is half made, nothing is waited for.
func newWitness(paths []string) *witness {
	w := &witness{}
	if len(paths) == 0 {
		return w
	}
	last, err := netns.GetFromPath(paths[len(paths)-1])
	if err != nil {
		return w
	}
	defer last.Close()
	space, err := ns.TempNetNS()
	if err != nil {
		return w
	}
	defer space.Close() // the socket keeps the namespace
	_ = space.Do(func(ns.NetNS) (err error) {
		w.nl, err = witnessOf(netlink.NsFd(last))
		return err
	})
	return w
}

// witnessOf joins the calling thread's namespace to the peer.
func witnessOf(peer netlink.NsFd) (*netlink.Handle, error) {
	nl, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open netlink socket: %w", err)
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name = witnessLink
	veth := netlink.NewVeth(attrs)
	veth.PeerName = witnessPeer
	veth.PeerNamespace = peer
	if err := errors.Join(nl.SetSocketTimeout(releaseTimeout), nl.LinkAdd(veth)); err != nil {
		nl.Close()
		return nil, fmt.Errorf("make witness link: %w", err)
	}
	return nl, nil
}

func (w *witness) wait() error {
	if w.nl == nil {
		return nil
	}
	tick := time.NewTicker(releasePoll)
	defer tick.Stop()
	for deadline := time.Now().Add(releaseTimeout); ; <-tick.C {
		_, err := w.nl.LinkByName(witnessLink)
		if _, gone := errors.AsType[netlink.LinkNotFoundError](err); gone {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("kernel still holds the namespaces after %v: something has a file descriptor or mount of one", releaseTimeout)
		}
	}
}

func (w *witness) close() {
	if w.nl != nil {
		w.nl.Close()
	}
}

// inodesOf returns the inode numbers of namespaces and the names they are
// bound to.
func inodesOf(paths []string) map[uint64]string {
	inodes := make(map[uint64]string, len(paths))
	for _, path := range paths {
		var st unix.Stat_t
		var fs unix.Statfs_t
		if unix.Statfs(path, &fs) == nil && fs.Type == unix.NSFS_MAGIC && unix.Stat(path, &st) == nil {
			inodes[st.Ino] = filepath.Base(path)
		}
	}
	return inodes
}

// waitHolders waits until no process is inside the namespaces any more, and
// names one that stays.
func waitHolders(inodes map[uint64]string) error {
	if len(inodes) == 0 {
		return nil
	}
	tick := time.NewTicker(releasePoll)
	defer tick.Stop()
	for deadline := time.Now().Add(holderTimeout); ; <-tick.C {
		pid, name := holder(inodes)
		if pid == "" {
			return nil
		}
		if time.Now().After(deadline) {
			comm, _ := os.ReadFile("/proc/" + pid + "/comm") // gone by now: no name
			return fmt.Errorf("namespace %s lives on: process %s (%s) is in it and is not ours to kill: end it", name, pid, strings.TrimSpace(string(comm)))
		}
	}
}

// holder finds a process inside one of the namespaces.
func holder(inodes map[uint64]string) (pid, name string) {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return "", ""
	}
	for _, d := range dirs {
		if d.Name()[0] < '0' || d.Name()[0] > '9' {
			continue
		}
		// Unreadable links belong to other users, who are not in our namespaces.
		link, err := os.Readlink("/proc/" + d.Name() + "/ns/net")
		if err != nil {
			continue
		}
		var inode uint64
		if _, err := fmt.Sscanf(link, "net:[%d]", &inode); err != nil {
			continue
		}
		if name, ok := inodes[inode]; ok {
			return d.Name(), name
		}
	}
	return "", ""
}
