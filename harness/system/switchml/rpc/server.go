package rpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/switchmlproto"
	"github.com/inalab/inalab/switchd/daemon"
	switchmlsession "github.com/inalab/inalab/switchd/program/switchml/session"
)

// Limits of the service; all assumed.
const (
	MaxConns         = 256      // connections at a time; further ones are closed at once
	MaxCalls         = 64       // calls of a connection at a time
	MaxRequest       = 64 << 10 // bytes: 4096 queue pairs are some 40 KB
	KeepaliveTime    = 10 * time.Second
	KeepaliveTimeout = 5 * time.Second
)

// Server answers the clients of one switch.
type Server struct {
	grpc  *grpc.Server
	jobs  daemon.Jobs
	start time.Time // when the machine's clock reads zero

	mu      sync.Mutex // guards what follows, and calls of jobs
	machine *switchmlsession.Machine
	conns   switchmlsession.Conn // the latest
	calls   switchmlsession.Call // the latest
	waiting map[switchmlsession.Call]pending
}

// pending is a call that waits.
type pending struct {
	ctx    context.Context
	answer chan switchmlsession.Answer // with room for one
}

// New returns a server that does not listen yet.
func New(cfg switchmlsession.Config, jobs daemon.Jobs) (*Server, error) {
	m, err := switchmlsession.New(cfg)
	if err != nil {
		return nil, err
	}
	s := &Server{jobs: jobs, start: time.Now(), machine: m, waiting: map[switchmlsession.Call]pending{}}
	s.grpc = grpc.NewServer(
		grpc.StatsHandler(connections{s}),
		grpc.MaxConcurrentStreams(MaxCalls), grpc.MaxRecvMsgSize(MaxRequest), grpc.WaitForHandlers(true),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: KeepaliveTime, Timeout: KeepaliveTimeout}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}),
	)
	switchmlproto.RegisterSessionServer(s.grpc, session{server: s})
	switchmlproto.RegisterSyncServer(s.grpc, rendezvous{server: s})
	return s, nil
}

// Serve answers who connects to l until Close, which closes l.
func (s *Server) Serve(l net.Listener) error {
	if err := s.grpc.Serve(&limited{Listener: l}); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serve SwitchML sessions: %w", err)
	}
	return nil
}

// Close ends all connections and calls, and returns when they have ended. Jobs stay.
func (s *Server) Close() { s.grpc.Stop() }

// JobsRefused asks which jobs the engine has refused, and tells their clients.
func (s *Server) JobsRefused() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if list, err := s.jobs.Refused(); err == nil { // else they wait for as long as their patience
		s.machine.Refused(list)
		s.deliver()
	}
}

// now is the machine's time.
func (s *Server) now() units.Time {
	return units.Time(time.Since(s.start)/time.Nanosecond) * units.Time(units.Nanosecond)
}

// deliver hands out what the machine has answered. The caller holds the mutex.
func (s *Server) deliver() {
	for _, a := range s.machine.Answers() {
		if p, ok := s.waiting[a.Call]; ok {
			delete(s.waiting, a.Call)
			p.answer <- a // no call has two
		}
	}
}
