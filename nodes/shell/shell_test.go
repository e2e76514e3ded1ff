package shell

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/pktiotest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// sleeper is a machine that never has anything to do.
type sleeper struct{}

func (sleeper) Handle(units.Time, []sansio.Arrival, *sansio.Effects) {}
func (sleeper) Expire(units.Time, *sansio.Effects)                   {}
func (sleeper) NextDeadline() units.Time                             { return units.Never }

// A question is answered by a drive that waits for packets, and given up where
// none runs.
func TestQuestions(t *testing.T) {
	dev := pktiotest.New(1, nil)
	var box mailbox
	if box.ask(dev, time.Millisecond, func() { t.Error("answered by nobody") }) {
		t.Error("an answer without a drive")
	}
	box.answer() // what was given up is not answered later
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := pktio.Drive(ctx, pktio.DriveConfig{
			Machine: sleeper{}, Device: dev, Clock: pktio.NewClock(pktio.MonotonicNow()),
			Done: func() bool { box.answer(); return false },
		})
		ended <- err
	}()
	for i := range 3 {
		got := -1
		if !box.ask(dev, time.Minute, func() { got = i }) || got != i {
			t.Errorf("answer %d, want %d", got, i)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// parent is the other end of the conversation.
type parent struct {
	ready   chan struct{}
	start   chan int64
	ask     chan struct{}
	answers chan any
	fails   struct{ ready, start, answer error }
}

func newParent() *parent {
	return &parent{ready: make(chan struct{}), start: make(chan int64, 1), ask: make(chan struct{}), answers: make(chan any, 1)}
}

func (p *parent) Ready() error { close(p.ready); return p.fails.ready }

func (p *parent) AwaitStart(ctx context.Context) (int64, error) {
	select {
	case at := <-p.start:
		return at, p.fails.start
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (p *parent) AwaitAsk(ctx context.Context) error {
	select {
	case <-p.ask:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *parent) Answer(a any) error { p.answers <- a; return p.fails.answer }

// node is a node whose state is how often it was looked at.
func node() *Node[int] {
	looks := 0
	return &Node[int]{Machine: sleeper{}, Device: pktiotest.New(1, nil), Look: func() int { looks++; return looks }, Busy: -1}
}

// A node waits for its start, answers while it runs, and ends when it is told to.
func TestLife(t *testing.T) {
	p, n := newParent(), node()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := n.Run(ctx, p)
		ended <- err
	}()
	<-p.ready
	p.start <- pktio.MonotonicNow()
	for want := 1; want < 4; want++ {
		p.ask <- struct{}{}
		if a := (<-p.answers).(Answer[int]); a != (Answer[int]{State: want}) {
			t.Errorf("answer %+v, want %d", a, want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A node with a clock of its own runs from ready on, and is told of the start later.
func TestEarlyLife(t *testing.T) {
	p, n := newParent(), node()
	told := make(chan int64, 1)
	n.Clock, n.Started = pktio.NewClock(pktio.MonotonicNow()), func(at int64) { told <- at }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := n.Run(ctx, p)
		ended <- err
	}()
	<-p.ready
	if !n.Ask(func() {}) {
		t.Error("it does not run before the start")
	}
	p.start <- 42
	if at := <-told; at != 42 {
		t.Errorf("started at %d", at)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A node whose parent does not listen any more ends, with that error.
func TestParentFails(t *testing.T) {
	failed := errors.New("failed")
	for name, tc := range map[string]struct {
		fail  func(*parent)
		early bool
	}{
		"ready":       {func(p *parent) { p.fails.ready = failed }, false},
		"start":       {func(p *parent) { p.fails.start = failed }, false},
		"early start": {func(p *parent) { p.fails.start = failed }, true},
		"answer":      {func(p *parent) { p.fails.answer = failed }, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, n := newParent(), node()
			tc.fail(p)
			if tc.early {
				n.Clock, n.Started = pktio.NewClock(pktio.MonotonicNow()), func(int64) { t.Error("it was not started") }
			}
			p.start <- pktio.MonotonicNow()
			go func() {
				select {
				case p.ask <- struct{}{}:
				case <-t.Context().Done():
				}
			}()
			if _, err := n.Run(t.Context(), p); !errors.Is(err, failed) {
				t.Errorf("error %v", err)
			}
		})
	}
}
