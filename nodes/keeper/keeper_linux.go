package keeper

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// Run starts programs until ctx ends, and then ends them all.
func Run(ctx context.Context, cfg Config, ctl Control) (report Report, err error) {
	if os.Getpid() != 1 {
		return report, errors.New("a keeper ends every process that it sees: it must be the first of a PID namespace")
	}
	k := &keeper{cfg: cfg, ctl: ctl, starter: newStarter(cfg.Binds), reaper: newReaper()}
	defer k.starter.close()
	l, err := listen(cfg.Socket)
	if err != nil {
		return report, err
	}
	var serving sync.WaitGroup
	serving.Go(func() { k.reaper.run() })
	serving.Go(func() { k.serve(l) })
	err = ctl.Ready()
	if err == nil {
		<-ctx.Done()
	}
	err = errors.Join(err, l.Close())
	k.reaper.endAll()
	serving.Wait()
	report.Programs = k.count()
	return report, err
}

type keeper struct {
	cfg     Config
	ctl     Control
	starter *starter
	reaper  *reaper

	mu      sync.Mutex // guards started
	started int
}

func (k *keeper) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.started
}

// socketMode lets the owner and root connect, nobody else.
const socketMode = 0o600

// listen makes the socket, whose path may be longer than an address.
func listen(path string) (*net.UnixListener, error) {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("open directory of programs' socket: %w", err)
	}
	defer dir.Close()
	old := unix.Umask(0o777 &^ socketMode)
	defer unix.Umask(old)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: within(dir, path), Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("make socket for programs: %w", err)
	}
	l.SetUnlinkOnClose(false) // it goes with the directory of the lab
	return l, nil
}

// serve answers clients until the listener is closed, and returns when all have gone.
func (k *keeper) serve(l *net.UnixListener) {
	var clients sync.WaitGroup
	defer clients.Wait()
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return
		}
		clients.Go(func() { k.converse(conn) })
	}
}
