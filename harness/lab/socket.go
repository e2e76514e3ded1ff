package lab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/strictjson"
)

// socket is where the owner is asked.
type socket struct {
	listener *net.UnixListener
	serving  sync.WaitGroup

	mu    sync.Mutex // guards conns and done
	conns map[*net.UnixConn]bool
	done  bool
}

const (
	maxLine     = 64 << 20         // bytes of a request or an answer (assumed: the graph of 10 000 hosts is some 10 MB)
	idleTimeout = 30 * time.Second // for a request
)

// listen answers those who ask. The socket is for the user whose lab it is, and for root.
func (l *owner) listen() (*socket, error) {
	path := filepath.Join(l.net.Dir(), ownerSocket)
	dir, err := os.Open(l.net.Dir())
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	old := unix.Umask(0o177)
	listener, err := net.ListenUnix("unix", addressIn(dir, path))
	unix.Umask(old)
	if err != nil {
		return nil, fmt.Errorf("make socket of lab %s: %w", l.opt.Lab, err)
	}
	listener.SetUnlinkOnClose(false) // it goes with the directory of the lab
	s := &socket{listener: listener, conns: map[*net.UnixConn]bool{}}
	if err := l.opt.Owner.Chown(path); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s.serving.Go(func() { s.serve(l) })
	return s, nil
}

// addressIn is the address of a socket in an open directory, which is short however long its path is.
func addressIn(dir *os.File, path string) *net.UnixAddr {
	return &net.UnixAddr{Name: fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)), Net: "unix"}
}

func (s *socket) serve(l *owner) {
	for {
		conn, err := s.listener.AcceptUnix()
		if err != nil {
			return
		}
		if s.admit(conn) {
			s.serving.Go(func() {
				defer s.forget(conn)
				l.converse(conn)
			})
		}
	}
}

func (s *socket) admit(conn *net.UnixConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		_ = conn.Close()
		return false
	}
	s.conns[conn] = true
	return true
}

func (s *socket) forget(conn *net.UnixConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
	_ = conn.Close() // the other side may have gone first
}

// close ends all connections, and returns when they have ended.
func (s *socket) close() {
	_ = s.listener.Close()
	s.mu.Lock()
	s.done = true
	for conn := range s.conns {
		_ = conn.Close() // ends the wait of its goroutine
	}
	s.mu.Unlock()
	s.serving.Wait()
}

// converse answers the one request of a connection.
func (l *owner) converse(conn *net.UnixConn) {
	if conn.SetReadDeadline(time.Now().Add(idleTimeout)) != nil {
		return
	}
	lines := bufio.NewScanner(conn)
	lines.Buffer(make([]byte, 0, 4<<10), maxLine)
	if !lines.Scan() {
		return
	}
	var r Request
	if err := strictjson.Decode(lines.Bytes(), &r); err != nil {
		respond(conn, Response{}, asked(err))
		return
	}
	switch {
	case r.Version != Version:
		respond(conn, Response{}, fmt.Errorf("the request is of version %d, this lab speaks %d: use the program that started the lab", r.Version, Version))
	case r.Op == OpLink && r.Link != nil:
		changed, err := l.change(*r.Link)
		respond(conn, Response{Changed: changed}, err)
	case r.Op == OpGraph:
		respond(conn, Response{Graph: l.now()}, nil)
	case r.Op == OpLend:
		l.lendUntilGone(conn, lines, r.By)
	default:
		respond(conn, Response{}, asked(fmt.Errorf("unknown operation %q", r.Op)))
	}
}

// lendUntilGone lends the switches until the connection ends.
func (l *owner) lendUntilGone(conn *net.UnixConn, lines *bufio.Scanner, by string) {
	took, err := l.lend(by)
	respond(conn, Response{}, err)
	if !took {
		return
	}
	if err == nil && conn.SetReadDeadline(time.Time{}) == nil {
		lines.Scan() // whoever has them says no more
	}
	l.takeBack()
}

// usageError is the error of who asks.
type usageError struct{ error }

func asked(err error) error { return &usageError{err} }

func respond(conn *net.UnixConn, r Response, err error) {
	r.Version = Version
	if err != nil {
		r.Error = err.Error()
		_, r.Usage = errors.AsType[*usageError](err)
	}
	line, err := json.Marshal(r)
	if err == nil {
		_ = conn.SetWriteDeadline(time.Now().Add(idleTimeout))
		_, _ = conn.Write(append(line, '\n'))
	}
}
