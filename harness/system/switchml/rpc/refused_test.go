package rpc

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/switchd/dataplane"
)

var _ daemon.TellsClients = (*Server)(nil)

// A client of a refused job that waits at a barrier is told, by the server's own question to the
// switch; if that is busy, the client waits on.
func TestJobsRefused(t *testing.T) {
	s := serve(t, 0)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := []*client{s.dial(0, 2), s.dial(1, 2)}
	ready := make(chan error, len(c))
	for _, w := range c {
		go func() { ready <- w.setUp(ctx, 7) }()
	}
	for range c {
		if err := <-ready; err != nil {
			t.Fatal(err)
		}
	}
	told := make(chan error, 1)
	go func() { told <- c[0].barrier(ctx) }()
	s.refuse(errors.New("busy"))
	s.server.JobsRefused()
	s.refuse(nil)
	s.server.JobsRefused()
	text := "Barrier: job 1 is refused: too far; then start all workers again"
	want(t, <-told, codes.FailedPrecondition, text)
	want(t, c[1].barrier(ctx), codes.FailedPrecondition, text)
}

// refuse has the switch say that it has refused job 1, or that it is busy.
func (b *books) refuse(busy error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy, b.refused = busy, []dataplane.JobRefusal{{Job: 1, Number: 1, Why: "job 1 is refused: too far"}}
}
