package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Parent is the process's side of its conversation with whoever started it. The end of
// Run's context is the command to stop.
type Parent interface {
	// Ready says that the node waits for the start, or forwards already.
	Ready() error
	// AwaitStart returns the epoch of the run, an instant of
	// [pktio.MonotonicNow] in nanoseconds, once the run is started, or an error
	// once ctx has ended.
	AwaitStart(ctx context.Context) (epochNs int64, err error)
	// AwaitAsk returns when the parent wants to know where things stand, or an
	// error once ctx has ended or nobody will ask any more.
	AwaitAsk(ctx context.Context) error
	// Answer tells it; the answer is an [Answer] of some state.
	Answer(answer any) error
}

// Answer says where things stand at a node.
type Answer[S any] struct {
	Busy  bool `json:"busy"` // too busy to look: State says no more than who
	State S    `json:"state"`
}

// Patience is how long a question waits for the loop. It makes a turn in microseconds
// if it has a processor, but may be in a compute that takes longer than its nominal time.
const Patience = time.Second

// Node is a machine on a device, whose state is an S.
type Node[S any] struct {
	Machine sansio.Machine
	Device  pktio.Device
	Done    func() bool                 // as in pktio.DriveConfig; nil: it runs until the parent says stop
	Samples func([]result.Sample) error // likewise
	Prompt  bool                        // likewise
	Look    func() S                    // the state; called between two rounds of the drive
	Busy    S                           // the state when the loop does not get to it

	// Clock is that of a node that runs from ready on; Started is told the epoch later.
	// Nil: the node waits for the start, and counts from the epoch.
	Clock   pktio.TimeSource
	Started func(epochNs int64)

	asking    sync.Mutex // guards questions: they come one at a time
	questions mailbox
}

// Run drives the machine until it is done, ctx ends, or something breaks.
func (n *Node[S]) Run(ctx context.Context, parent Parent) (pktio.Report, error) {
	if err := parent.Ready(); err != nil {
		return pktio.Report{}, fmt.Errorf("say ready: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	clock := n.Clock
	if clock == nil {
		epoch, err := parent.AwaitStart(ctx)
		if err != nil {
			return pktio.Report{}, err
		}
		clock = pktio.NewClock(epoch)
	}
	var parental sync.WaitGroup
	var parentErr error
	parental.Go(func() {
		if parentErr = n.converse(ctx, parent); parentErr != nil {
			cancel()
		}
	})
	report, err := pktio.Drive(ctx, pktio.DriveConfig{
		Machine: n.Machine, Device: n.Device, Clock: clock, Done: n.done, OnSamples: n.Samples, Prompt: n.Prompt,
	})
	cancel()
	parental.Wait()
	return report, errors.Join(parentErr, err)
}

// converse waits for the start, if the node did not, and answers the parent until ctx
// ends. Only failures of the conversation are errors.
func (n *Node[S]) converse(ctx context.Context, parent Parent) error {
	if n.Clock != nil {
		epoch, err := parent.AwaitStart(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("await start: %w", err)
		}
		n.Started(epoch)
	}
	for parent.AwaitAsk(ctx) == nil {
		a := Answer[S]{Busy: true, State: n.Busy}
		n.Ask(func() { a = Answer[S]{State: n.Look()} })
		if err := parent.Answer(a); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	return nil
}

// Ask has f called on the goroutine of the drive, between two rounds, and reports
// whether it was. A second caller waits for the first.
func (n *Node[S]) Ask(f func()) bool {
	n.asking.Lock()
	defer n.asking.Unlock()
	return n.questions.ask(n.Device, Patience, f)
}

// done is asked by the drive before every round.
func (n *Node[S]) done() bool {
	n.questions.answer()
	return n.Done != nil && n.Done()
}

// NewLog returns a log that keeps so many of the latest and of the first events; nil
// for none.
func NewLog(events int) *trace.Log {
	if events <= 0 {
		return nil
	}
	return trace.NewLog(events)
}

// WriteLog leaves the events of a run to the parent, in a new file, with times from the
// epoch. Without a log or a path there is nothing to leave.
func WriteLog(log *trace.Log, path string, epoch units.Time) error {
	if log == nil || path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("create events: %w", err)
	}
	if err := errors.Join(log.Write(f, epoch), f.Close()); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	return nil
}
