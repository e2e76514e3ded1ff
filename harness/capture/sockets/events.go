package sockets

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/control"
)

// ErrGone says that the lab has ended.
var ErrGone = errors.New("the lab is gone")

// askEvery is how often a switch is asked for its events: well within the hold of a capture.
// askPatience bounds an answer. Both are assumed.
const (
	askEvery    = 50 * time.Millisecond
	askPatience = 2 * time.Second
)

// batch is events of a switch.
type batch struct {
	events []trace.Event
	at     units.Time // by the clock of the switch, when the wall clock read wall
	wall   int64
}

// give hands the events over, with times by the wall clock.
func (b *batch) give(c *capture.Capture) {
	for i := range b.events {
		e := &b.events[i]
		c.Event(b.wall+int64(e.At.Sub(b.at)/units.Nanosecond), e)
	}
}

// ask asks switches for their events until ctx ends, and once more then. The channel is closed
// when all have answered for the last time, or gone.
func ask(ctx context.Context, switches []string) <-chan batch {
	out := make(chan batch)
	var asking sync.WaitGroup
	for _, path := range switches {
		asking.Go(func() { askOne(ctx, path, out) })
	}
	go func() {
		asking.Wait()
		close(out)
	}()
	return out
}

// askOne asks one switch. One that keeps no events, or has ended, is not asked again: its
// packets then have no comments.
func askOne(ctx context.Context, path string, out chan<- batch) {
	client, err := control.Dial(context.WithoutCancel(ctx), path)
	if err != nil {
		return
	}
	defer client.Close()
	var since *uint64
	ticks := time.NewTicker(askEvery)
	defer ticks.Stop()
	for last := false; ; {
		b, next, err := events(ctx, client, since)
		if err != nil {
			return
		}
		since = &next
		if len(b.events) > 0 {
			out <- b
		}
		if last && len(b.events) < control.MaxEvents {
			return
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			last = true
		}
	}
}

// events asks once; a switch that is busy is asked again.
func events(ctx context.Context, client *control.Client, since *uint64) (b batch, next uint64, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askPatience)
	defer cancel()
	answer, err := control.Patiently(ctx, func() (control.Response, error) {
		return client.Do(ctx, control.Request{Op: control.OpEvents, Since: since})
	})
	if err != nil || answer.Events == nil {
		return b, 0, errors.Join(err, ctx.Err())
	}
	return batch{answer.Events.List, answer.At, answer.Events.Wall}, answer.Events.Next, nil
}
