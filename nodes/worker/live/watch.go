package live

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/worker"
)

func newLog(cfg Config) *trace.Log {
	if cfg.Events <= 0 {
		return nil
	}
	return trace.NewLog(cfg.Events)
}

// writeLog leaves the events to the parent.
func writeLog(log *trace.Log, path string) error {
	if log == nil || path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("creating the file of events: %w", err)
	}
	if err := errors.Join(log.Write(f, 0), f.Close()); err != nil {
		return fmt.Errorf("writing events: %w", err)
	}
	return nil
}

// desk answers the parent while a worker is driven.
type desk struct {
	pktio.Desk
	worker *worker.Worker
	log    *trace.Log
	dev    pktio.Device
	ctl    Control
}

// answerPatience is how long a question waits for the loop. It may be in a
// compute that takes longer than its nominal time.
const answerPatience = time.Second

// tell answers a question of the parent.
func (d *desk) tell() error {
	a := Answer{Busy: true}
	d.Ask(d.dev, answerPatience, func() { a = Answer{State: d.look()} })
	return d.ctl.Answer(a)
}

// look returns the state of the worker; it is called by the drive.
func (d *desk) look() worker.Snapshot {
	s, stats := d.worker.Snapshot(d.log), d.dev.Stats()
	s.TxFrames, s.RxFrames = stats.TxFrames, stats.RxFrames
	return s
}

// done is asked by the drive before every round.
func (d *desk) done() bool {
	d.Answer()
	return d.worker.Job.Done()
}
