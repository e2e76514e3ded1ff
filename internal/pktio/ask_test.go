package pktio_test

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
func TestDesk(t *testing.T) {
	dev := pktiotest.New(1, nil)
	var desk pktio.Desk
	if desk.Ask(dev, time.Millisecond, func() { t.Error("answered by nobody") }) {
		t.Error("an answer without a drive")
	}
	desk.Answer() // what was given up is not answered later
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := pktio.Drive(ctx, pktio.DriveConfig{
			Machine: sleeper{}, Device: dev, Clock: pktio.NewClock(pktio.MonotonicNow()),
			Done: func() bool { desk.Answer(); return false },
		})
		ended <- err
	}()
	for i := range 3 {
		got := -1
		if !desk.Ask(dev, time.Minute, func() { got = i }) || got != i {
			t.Errorf("answer %d, want %d", got, i)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A desk that is open answers what comes, and stops at the first answer that fails, or
// when it is told to.
func TestOpenDesk(t *testing.T) {
	var desk pktio.Desk
	questions, failed := make(chan bool), errors.New("failed")
	await := func(ctx context.Context) error {
		select {
		case <-questions:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, want := range []error{nil, failed} {
		answers := 0
		stop := desk.Open(t.Context(), await, func() error {
			if answers++; answers < 2 {
				return nil
			}
			return want
		})
		questions <- true
		questions <- true
		if err := stop(); !errors.Is(err, want) || want == nil && err != nil || answers != 2 {
			t.Errorf("%d answers, %v, want %v", answers, err, want)
		}
	}
}
