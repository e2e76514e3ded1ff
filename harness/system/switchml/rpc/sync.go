package rpc

import (
	"context"
	"time"

	"google.golang.org/grpc/status"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/switchmlproto"
	switchmlsession "github.com/inalab/inalab/switchd/program/switchml/session"
)

// rendezvous is the service Sync.
type rendezvous struct {
	switchmlproto.UnimplementedSyncServer
	server *Server
}

// Barrier answers when all workers have called it.
func (v rendezvous) Barrier(ctx context.Context, r *switchmlproto.BarrierRequest) (*switchmlproto.BarrierResponse, error) {
	_, err := v.server.wait(ctx, func(now units.Time, call switchmlsession.Call) {
		v.server.machine.Barrier(now, call, connOf(ctx), r.GetNumWorkers())
	})
	if err != nil {
		return nil, err
	}
	return &switchmlproto.BarrierResponse{}, nil
}

// Broadcast answers with the root's value when the root has called it.
func (v rendezvous) Broadcast(ctx context.Context, r *switchmlproto.BroadcastRequest) (*switchmlproto.BroadcastResponse, error) {
	value, err := v.server.wait(ctx, func(now units.Time, call switchmlsession.Call) {
		v.server.machine.Broadcast(now, call, connOf(ctx), switchmlsession.Broadcast{
			Value: r.GetValue(), Rank: r.GetRank(), Workers: r.GetNumWorkers(), Root: r.GetRoot(),
		})
	})
	if err != nil {
		return nil, err
	}
	return &switchmlproto.BroadcastResponse{Value: value}, nil
}

// wait has a call begun, with the mutex held, and returns its answer. The call is
// cancelled with its context.
func (s *Server) wait(ctx context.Context, begin func(units.Time, switchmlsession.Call)) (uint64, error) {
	answer := make(chan switchmlsession.Answer, 1)
	s.mu.Lock()
	s.forgetCancelled()
	s.calls++
	call := s.calls
	s.waiting[call] = pending{ctx, answer}
	begin(s.now(), call)
	s.deliver()
	due := s.due()
	s.mu.Unlock()

	timer := time.NewTimer(due)
	defer timer.Stop()
	for {
		select {
		case a := <-answer:
			if a.Fault != nil {
				return 0, statusOf(a.Fault)
			}
			return a.Value, nil
		case <-ctx.Done():
			s.cancel(call)
			return 0, status.FromContextError(ctx.Err()).Err()
		case <-timer.C:
			timer.Reset(s.expire())
		}
	}
}

// forgetCancelled takes back calls whose clients gave them up: one that calls again
// must not be counted twice because the goroutine of its first call is yet to run.
// The caller holds the mutex.
func (s *Server) forgetCancelled() {
	for call, p := range s.waiting {
		if p.ctx.Err() != nil {
			delete(s.waiting, call)
			s.machine.Cancel(call)
		}
	}
}

// cancel takes a call back.
func (s *Server) cancel(call switchmlsession.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, call)
	s.machine.Cancel(call)
	s.deliver()
}

// expire ends what is due and returns how long it is to the next.
func (s *Server) expire() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.machine.Expire(s.now())
	s.deliver()
	return s.due()
}

// due returns how long it is to the machine's next deadline. Every call that waits
// looks after it, so that somebody does for each.
func (s *Server) due() time.Duration {
	next := s.machine.NextDeadline()
	if next == units.Never {
		return time.Hour // nobody waits, the caller neither
	}
	return time.Duration(max(0, next.Sub(s.now()))/units.Nanosecond) + 1
}
