package pktio

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Desk takes questions to a machine that a [Drive] owns: they are answered on the
// goroutine of the drive, between two rounds. The zero value is ready.
type Desk struct{ waiting atomic.Pointer[question] }

type question struct {
	ask  func()
	done chan struct{}
}

// Ask has ask called by the drive on dev, and reports whether it was called within
// the patience. The drive may be busy with a compute, or not running. One question
// is asked at a time.
func (d *Desk) Ask(dev Device, patience time.Duration, ask func()) bool {
	q := &question{ask: ask, done: make(chan struct{})}
	d.waiting.Store(q)
	dev.Wake()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-q.done:
		return true
	case <-timer.C:
	}
	if d.waiting.CompareAndSwap(q, nil) {
		return false
	}
	<-q.done // it is being answered
	return true
}

// Answer answers what was asked. It is to be called by the drive: from
// [DriveConfig.Done].
func (d *Desk) Answer() {
	if d.waiting.Load() == nil {
		return
	}
	if q := d.waiting.Swap(nil); q != nil {
		q.ask()
		close(q.done)
	}
}

// Open calls answer each time that await returns without an error, on a goroutine
// of its own, until the function that it returns is called, which returns the first
// error of answer. The context of await ends with ctx, or with that call.
func (d *Desk) Open(ctx context.Context, await func(context.Context) error, answer func() error) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	var answering sync.WaitGroup
	var err error
	answering.Go(func() {
		for err == nil && await(ctx) == nil {
			err = answer()
		}
	})
	return func() error {
		cancel()
		answering.Wait()
		return err
	}
}
