package rpc

import (
	"context"

	"google.golang.org/grpc/stats"

	switchmlsession "github.com/inalab/inalab/switchd/program/switchml/session"
)

// connections tells the machine who comes and goes.
type connections struct{ server *Server }

type connKey struct{}

// connOf returns the connection that a call came by.
func connOf(ctx context.Context) switchmlsession.Conn {
	conn, _ := ctx.Value(connKey{}).(switchmlsession.Conn) // 0, which is nobody, where there is none
	return conn
}

// TagConn numbers a new connection.
func (c connections) TagConn(ctx context.Context, info *stats.ConnTagInfo) context.Context {
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns++
	s.machine.Connect(s.conns, info.RemoteAddr.String())
	return context.WithValue(ctx, connKey{}, s.conns)
}

// HandleConn notes the end of a connection.
func (c connections) HandleConn(ctx context.Context, event stats.ConnStats) {
	if _, ended := event.(*stats.ConnEnd); !ended {
		return
	}
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	s.machine.Hangup(connOf(ctx))
	s.deliver()
}

// TagRPC adds nothing.
func (c connections) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC does nothing.
func (c connections) HandleRPC(context.Context, stats.RPCStats) {}
