package keeper

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// starter starts programs from one locked thread, which has a mount namespace of its own and
// enters the network namespace of each program in turn.
type starter struct {
	binds    map[string]string
	requests chan start
	ended    chan struct{}
}

type start struct {
	cmd         *exec.Cmd
	node, netns string // empty: no node's
	done        chan error
}

func newStarter(binds map[string]string) *starter {
	s := &starter{binds: binds, requests: make(chan start), ended: make(chan struct{})}
	go s.run()
	return s
}

func (s *starter) close() {
	close(s.requests)
	<-s.ended
}

// start starts a program.
func (s *starter) start(cmd *exec.Cmd, node, netns string) error {
	r := start{cmd, node, netns, make(chan error, 1)}
	s.requests <- r
	return <-r.done
}

// run never unlocks its thread, so that it ends with it.
func (s *starter) run() {
	defer close(s.ended)
	runtime.LockOSThread()
	home, err := netns.GetFromPath("/proc/thread-self/ns/net") // netns.Get goes by numbers, which are others outside the PID namespace
	if err == nil {
		defer home.Close()
		err = s.prepare()
	} else {
		err = fmt.Errorf("open own network namespace: %w", err)
	}
	for r := range s.requests {
		if err == nil {
			r.done <- s.spawn(home, r)
		} else {
			r.done <- err
		}
	}
}

// prepare gives the thread mounts of its own: files of the lab in place of the machine's, and
// the processes of the lab in /proc.
func (s *starter) prepare() error {
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("make a mount namespace for programs: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("keep mounts of programs apart: %w", err)
	}
	for _, at := range slices.Sorted(maps.Keys(s.binds)) {
		if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
			continue // a machine without it has nothing that reads it
		}
		if err := unix.Mount(s.binds[at], at, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("put %s in place of %s: %w", s.binds[at], at, err)
		}
	}
	// Refused where parts of /proc are hidden, as in containers. Programs then see all processes.
	_ = unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	return nil
}

// spawn starts a program in its namespaces.
func (s *starter) spawn(home netns.NsHandle, r start) error {
	if r.netns == "" {
		return r.cmd.Start()
	}
	target, err := netns.GetFromPath(r.netns)
	if err != nil {
		return fmt.Errorf("open the network namespace of %s: %w", r.node, err)
	}
	defer target.Close()
	if err := netns.Set(target); err != nil {
		return fmt.Errorf("enter the network namespace of %s: %w", r.node, err)
	}
	err = unix.Unshare(unix.CLONE_NEWUTS)
	if err == nil {
		err = unix.Sethostname([]byte(r.node))
	}
	if err == nil {
		err = r.cmd.Start()
	}
	return errors.Join(err, netns.Set(home))
}
