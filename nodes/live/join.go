package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/nodes/shell"
	"github.com/inalab/inalab/nodes/worker"
)

// Checkpoint names a model that one worker leaves for another.
type Checkpoint struct {
	Path       string `json:"path"`       // file; empty: there is none
	Generation int    `json:"generation"` // which the model is of, at least
}

// CheckpointAnswer is what a worker says of a checkpoint that it was asked for: the
// generation from which on the other worker has to keep results, or why there will be
// none. It says so again if it cannot write the file later.
type CheckpointAnswer struct {
	Checkpoint
	Problem string `json:"problem,omitempty"`
}

// Bounds of handing a model over.
const (
	checkpointPoll = 2 * time.Millisecond // between looks for the file; assumed: much less than an iteration
	askTries       = 10                   // of shell.Patience each; a compute that overruns makes the loop deaf
)

// joining is the parent of a worker that can hand over its model, or be given one.
// It sees what the parent says before the shell does.
type joining struct {
	WorkerParent
	job  worker.Job
	ask  func(func()) bool // has a function called on the loop's goroutine, if the loop finds the time
	life context.Context   // of the worker
	end  func()            // of it

	epochNs atomic.Int64 // of the run

	tasks sync.WaitGroup
	mu    sync.Mutex // guards err
	err   error      // of the tasks
}

// run is node.Run for a worker that may join a run, or hand over its model.
func run(ctx context.Context, node *shell.Node[WorkerState], job worker.Job, parent WorkerParent) (pktio.Report, error) {
	ctx, end := context.WithCancel(ctx)
	p := &joining{WorkerParent: parent, job: job, ask: node.Ask, life: ctx, end: end}
	report, err := node.Run(ctx, p)
	end()
	p.tasks.Wait() // a checkpoint is written to its end
	return report, errors.Join(err, p.err)
}

// task does something beside the loop. An error of it ends the worker.
func (p *joining) task(f func() error) {
	p.tasks.Go(func() {
		if err := f(); err != nil {
			p.mu.Lock()
			p.err = errors.Join(p.err, err)
			p.mu.Unlock()
			p.end()
		}
	})
}

// AwaitStart makes the worker join the run if that is what the parent wants.
func (p *joining) AwaitStart(ctx context.Context) (epochNs int64, err error) {
	epochNs, from, err := p.WorkerParent.AwaitStartOrJoin(ctx)
	p.epochNs.Store(epochNs)
	if err != nil || from.Path == "" {
		return epochNs, err
	}
	loop, err := p.loop()
	if err != nil {
		return epochNs, err
	}
	if err := loop.Join(from.Generation); err != nil {
		return epochNs, err
	}
	p.task(func() error {
		if loop.Resumes() { // it needs that model, and the one behind it
			return errors.Join(p.restore(loop, LentPath(from.Path, from.Generation)), p.restore(loop, LentPath(from.Path, from.Generation+1)))
		}
		return p.restore(loop, from.Path)
	})
	return epochNs, nil
}

// LentPath returns the file of the model of a generation, where a worker is given several.
func LentPath(path string, gen int) string { return fmt.Sprintf("%s.%d", path, gen) }

// clock returns that of the run.
func (p *joining) clock() pktio.Clock { return pktio.NewClock(p.epochNs.Load()) }

// loop returns the training loop; benchmarks have none.
func (p *joining) loop() (*worker.Loop, error) {
	if l, ok := p.job.(*worker.Loop); ok {
		return l, nil
	}
	return nil, errors.New("a benchmark has no model: only workers that train come and go")
}

// restore waits for a checkpoint and gives it to the loop.
func (p *joining) restore(loop *worker.Loop, path string) error {
	ticks := time.NewTicker(checkpointPoll)
	defer ticks.Stop()
	for {
		gen, model, ok, err := readCheckpoint(path)
		if err != nil {
			return err
		}
		if ok {
			return errors.Join(p.patiently(func() { err = loop.Restore(p.clock().Now(), gen, model) }), err)
		}
		select {
		case <-ticks.C:
		case <-p.life.Done():
			return nil
		}
	}
}

// patiently has f called on the loop's goroutine, or says why it was not.
func (p *joining) patiently(f func()) error {
	for range askTries {
		if p.ask(f) {
			return nil
		}
		if p.life.Err() != nil {
			return nil // nobody waits any more
		}
	}
	return fmt.Errorf("the training loop had no time for a question, %d times: its computes take much longer than they should: take a smaller model, or fewer workers", askTries)
}

// AwaitAsk returns when the parent wants to know where things stand. Checkpoints that it
// asks for before that are begun here.
func (p *joining) AwaitAsk(ctx context.Context) error {
	for {
		to, err := p.WorkerParent.AwaitQuestion(ctx)
		if err != nil || to.Path == "" {
			return err
		}
		p.task(func() error { return p.leave(to) })
	}
}

// leave has the loop promise its model, and tells the parent.
func (p *joining) leave(to Checkpoint) error {
	answer := CheckpointAnswer{Checkpoint: to}
	answer.Generation = worker.TooLate
	loop, err := p.loop()
	if err == nil {
		err = p.patiently(func() {
			if loop.Resumes() {
				answer.Generation = loop.Lend(p.clock().Now(), func(gen int, model []float32) { p.write(LentPath(to.Path, gen), gen, model) })
				return
			}
			answer.Generation = loop.Leave(to.Generation, func(gen int, model []float32) { p.write(to.Path, gen, model) })
		})
	}
	switch {
	case err != nil:
		answer.Problem = err.Error()
	case answer.Generation == worker.TooLate:
		answer.Problem = worker.WhyTooLate
	}
	return p.tell(answer)
}

// write writes a checkpoint beside the loop. It is called in a compute.
func (p *joining) write(path string, gen int, model []float32) {
	p.task(func() error {
		if err := writeCheckpoint(path, gen, model); err != nil {
			return p.tell(CheckpointAnswer{Checkpoint: Checkpoint{path, gen}, Problem: err.Error()})
		}
		return nil
	})
}

func (p *joining) tell(a CheckpointAnswer) error {
	if err := p.WorkerParent.Checkpoint(a); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return nil
}
