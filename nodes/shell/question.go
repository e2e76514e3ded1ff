package shell

import (
	"sync/atomic"
	"time"

	"github.com/inalab/inalab/internal/pktio"
)

// mailbox takes questions to a machine that a [pktio.Drive] owns: they are answered on
// the goroutine of the drive, between two rounds. The zero value is ready.
type mailbox struct{ waiting atomic.Pointer[question] }

type question struct {
	ask  func()
	done chan struct{}
}

// ask has f called by the drive on dev, and reports whether it was called within the
// patience. The drive may be busy with a compute, or not running. One question is asked
// at a time.
func (m *mailbox) ask(dev pktio.Device, patience time.Duration, f func()) bool {
	q := &question{ask: f, done: make(chan struct{})}
	m.waiting.Store(q)
	dev.Wake()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-q.done:
		return true
	case <-timer.C:
	}
	if m.waiting.CompareAndSwap(q, nil) {
		return false
	}
	<-q.done // it is being answered
	return true
}

// answer answers what was asked. The drive calls it: from [pktio.DriveConfig.Done].
func (m *mailbox) answer() {
	if m.waiting.Load() == nil {
		return
	}
	if q := m.waiting.Swap(nil); q != nil {
		q.ask()
		close(q.done)
	}
}
