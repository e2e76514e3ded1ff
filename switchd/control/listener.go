package control

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Suffix ends the names of sockets; before it stands the name of the switch.
const Suffix = ".sock"

// SocketPath returns where the socket of a switch is in the directory of its lab.
func SocketPath(labDir, node string) string { return filepath.Join(labDir, node+Suffix) }

// Listener is the server's end of a switch's socket.
type Listener struct {
	path     string
	dir      *os.File // that the socket is in; its descriptor is part of the address
	listener *net.UnixListener

	mu    sync.Mutex // guards conns and done
	conns map[net.Conn]bool
	done  bool
}

// socketMode lets the owner and root connect, nobody else.
const socketMode = 0o600

// Listen makes a socket at path, whose directory must exist. What is in its place
// is not touched: it belongs to a switch of the same lab, or to nobody we know.
func Listen(path string) (*Listener, error) {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("open directory of control socket: %w", err)
	}
	// The kernel gives the new file the mode of the descriptor, so that there is
	// no instant at which others could connect.
	private := func(_, _ string, c syscall.RawConn) error {
		var err error
		if outer := c.Control(func(fd uintptr) { err = unix.Fchmod(int(fd), socketMode) }); outer != nil {
			return outer
		}
		return err
	}
	cfg := net.ListenConfig{Control: private}
	l, err := cfg.Listen(context.Background(), "unix", within(dir, path))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make control socket %s: %w", path, cause(err)), dir.Close())
	}
	u := l.(*net.UnixListener) // for network "unix" it is one
	u.SetUnlinkOnClose(false)  // Close does, by its real name
	return &Listener{path: path, dir: dir, listener: u, conns: map[net.Conn]bool{}}, nil
}

// within returns the address of a socket in an open directory, which is short
// however long the path is.
func within(dir *os.File, path string) string {
	return fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path))
}

// cause strips the words of package net, whose address says nothing to people.
func cause(err error) error {
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		return op.Err
	}
	return err
}

// Serve answers requests by calling do, for one at a time, until Close. It
// returns when every connection has ended.
func (l *Listener) Serve(do func(Request) Response) error {
	var answering sync.Mutex
	var conns sync.WaitGroup
	defer conns.Wait()
	for {
		conn, err := l.listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			l.end()
			return fmt.Errorf("accept on control socket: %w", err)
		}
		if !l.admit(conn) {
			continue
		}
		conns.Go(func() {
			defer l.forget(conn)
			converse(conn, func(r Request) Response {
				answering.Lock()
				defer answering.Unlock()
				return do(r)
			})
		})
	}
}

// admit notes a connection; one too many is told and closed.
func (l *Listener) admit(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done || len(l.conns) >= MaxConns {
		_ = conn.SetWriteDeadline(time.Now().Add(WriteTimeout))
		_, _ = conn.Write(encodeResponse(Response{Error: fmt.Sprintf("%d others are asking: try again", MaxConns), Fault: FaultBusy}))
		_ = conn.Close()
		return false
	}
	l.conns[conn] = true
	return true
}

func (l *Listener) forget(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, conn)
	_ = conn.Close() // the other side may have gone first
}

// converse answers the requests of one connection until it ends. What goes wrong
// with the connection concerns its other end alone, which notices.
func converse(conn net.Conn, do func(Request) Response) {
	lines := bufio.NewScanner(conn)
	lines.Buffer(make([]byte, 0, 4<<10), MaxRequest)
	for {
		if conn.SetReadDeadline(time.Now().Add(IdleTimeout)) != nil {
			return
		}
		more := lines.Scan()
		var out Response
		switch r, err := DecodeRequest(lines.Bytes()); {
		case !more && errors.Is(lines.Err(), bufio.ErrTooLong):
			out = Response{Error: fmt.Sprintf("the request is longer than %d bytes", MaxRequest), Fault: FaultRequest}
		case !more:
			return
		case err != nil:
			out = Response{Error: err.Error(), Fault: FaultRequest}
		default:
			out = do(r)
		}
		if conn.SetWriteDeadline(time.Now().Add(WriteTimeout)) != nil {
			return
		}
		if _, err := conn.Write(encodeResponse(out)); err != nil || !more {
			return
		}
	}
}

// end closes all connections and lets nobody in any more.
func (l *Listener) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = true
	for conn := range l.conns {
		_ = conn.Close() // ends the wait of its goroutine
	}
}

// Close ends Serve and removes the socket.
func (l *Listener) Close() error {
	err := l.listener.Close()
	l.end()
	if removed := os.Remove(l.path); !errors.Is(removed, fs.ErrNotExist) { // the lab's directory may have gone first
		err = errors.Join(err, removed)
	}
	if err = errors.Join(err, l.dir.Close()); err != nil {
		return fmt.Errorf("close control socket: %w", err)
	}
	return nil
}
