package rpc

import (
	"net"
	"sync"
	"sync/atomic"
)

// limited closes connections beyond MaxConns as soon as they come.
type limited struct {
	net.Listener
	open atomic.Int32
}

// Accept returns the next connection that there is room for.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= MaxConns {
			return &counted{Conn: c, on: l}, nil
		}
		l.open.Add(-1)
		_ = c.Close() // its other end notices
	}
}

// counted is a connection that makes room when it is closed.
type counted struct {
	net.Conn
	on   *limited
	once sync.Once
}

// Close closes the connection.
func (c *counted) Close() error {
	c.once.Do(func() { c.on.open.Add(-1) })
	return c.Conn.Close()
}
