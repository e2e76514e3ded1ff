package proc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/inalab/inalab/internal/strictjson"
)

// reportBuffer is how many reports wait for a reader before the child has to
// wait. Assumed.
const reportBuffer = 1024

// Process is one running child.
type Process struct {
	spec    Spec
	cmd     *exec.Cmd
	reports chan Report
	ready   chan struct{} // closed at the ready report
	stop    chan struct{} // closed when the parent wants it to end
	exited  chan struct{} // closed when it was reaped and every report was read

	controlMu sync.Mutex // guards control
	control   *os.File

	stopOnce sync.Once
	signaled atomic.Bool // the parent sent it a signal: how it ends says nothing

	// Written before exited is closed, read after.
	result  json.RawMessage
	message string // of its error report
	lacks   bool   // as it says there
	done    bool   // there was a done report
	readErr error  // what broke the report stream
	waitErr error  // how it ended
}

func newProcess(spec Spec, cmd *exec.Cmd, control, reports *os.File) *Process {
	p := &Process{
		spec: spec, cmd: cmd, control: control,
		reports: make(chan Report, reportBuffer),
		ready:   make(chan struct{}),
		stop:    make(chan struct{}),
		exited:  make(chan struct{}),
	}
	go p.supervise(reports)
	return p
}

// PID returns the process id. It belongs to this process until Wait returns.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Node returns the node that the process runs for.
func (p *Process) Node() string { return p.spec.Node }

// Reports returns all reports but ready, done and error; the channel is closed when
// the process has ended. Whoever starts a process reads them: once
// reportBuffer of them wait, the child waits too.
func (p *Process) Reports() <-chan Report { return p.reports }

// Exited is closed when the process has ended and was reaped.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// WaitReady waits until the process says that it is ready. It returns the error
// of Wait if it ends before.
func (p *Process) WaitReady(ctx context.Context) error {
	select {
	case <-p.ready:
		return nil
	case <-p.exited:
		if isClosed(p.ready) {
			return nil
		}
		if err := p.Wait(); err != nil {
			return err
		}
		return p.failure("ended before it was ready")
	case <-ctx.Done():
		return p.failure(fmt.Sprintf("is not ready: %v", context.Cause(ctx)))
	}
}

// sendTimeout bounds how long a child may leave commands unread.
const sendTimeout = 5 * time.Second

// Send sends a command.
func (p *Process) Send(c Command) error {
	line, err := encodeLine(c)
	if err == nil {
		err = p.write(line, time.Now().Add(sendTimeout))
	}
	if err != nil {
		return fmt.Errorf("send %s to %s %s: %w", c.Name, p.spec.Kind, p.spec.Node, err)
	}
	return nil
}

func (p *Process) write(line []byte, deadline time.Time) error {
	p.controlMu.Lock()
	defer p.controlMu.Unlock()
	if err := p.control.SetWriteDeadline(deadline); err != nil {
		return err
	}
	_, err := p.control.Write(line)
	return err
}

// Wait waits until the process has ended. It returns nil if it ended as it
// should: after its done report, or because it was stopped. Otherwise the error
// says how it ended and quotes the end of its log.
func (p *Process) Wait() error {
	<-p.exited
	switch {
	case p.lacks:
		return &lackError{p.failure("failed: " + p.message)}
	case p.message != "":
		return p.failure("failed: " + p.message)
	case p.readErr != nil:
		return p.failure(fmt.Sprintf("sent a bad report: %v", p.readErr))
	case p.endedWell():
		return nil
	}
	how := "exit status 0 without a result"
	if p.waitErr != nil {
		how = p.waitErr.Error()
	}
	if isClosed(p.ready) {
		return p.failure(fmt.Sprintf("died (%s) in mid-run", how))
	}
	return p.failure(fmt.Sprintf("died (%s) before it was ready", how))
}

func (p *Process) endedWell() bool {
	stopped := isClosed(p.stop) && (p.waitErr == nil || p.signaled.Load())
	return stopped || p.waitErr == nil && p.done
}

// Died reports, once the process has ended, whether it did so without a word:
// killed or crashed, and neither stopped nor failed by its own account.
func (p *Process) Died() bool {
	<-p.exited
	return p.message == "" && p.readErr == nil && !p.endedWell()
}

// Result decodes the result of the done report, once the process has ended. It
// reports whether there was one.
func (p *Process) Result(into any) (bool, error) {
	<-p.exited
	if !p.done {
		return false, nil
	}
	if err := strictjson.Decode(p.result, into); err != nil {
		return false, fmt.Errorf("decode result of %s %s: %w", p.spec.Kind, p.spec.Node, err)
	}
	return true, nil
}

// failure is an error about the process, with the end of its log.
func (p *Process) failure(what string) error {
	return fmt.Errorf("%s %s %s; %s", p.spec.Kind, p.spec.Node, what, quoteLog(p.spec.Log))
}

// lackError is a failure for want of something that the machine lacks.
type lackError struct{ error }

// Lacking says so.
func (*lackError) Lacking() bool { return true }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// reapTimeout bounds the wait for the end of a process that got SIGKILL.
const reapTimeout = 5 * time.Second

// Stop ends the process: the stop command, after half the grace SIGTERM, after
// all of it SIGKILL. It returns an error if it had to be killed. Without grace
// it is killed at once, which is no error. Stopping one that has ended does
// nothing.
func (p *Process) Stop(grace time.Duration) error {
	if isClosed(p.exited) {
		return nil
	}
	p.stopOnce.Do(func() { close(p.stop) })
	if grace > 0 {
		_ = p.Send(Command{Name: CommandStop}) // it may have ended just now
		if p.endsWithin(grace / 2) {
			return nil
		}
		p.signal(syscall.SIGTERM)
		if p.endsWithin(grace - grace/2) {
			return nil
		}
	}
	p.signal(syscall.SIGKILL)
	if !p.endsWithin(reapTimeout) {
		return p.failure(fmt.Sprintf("does not end %v after SIGKILL", reapTimeout))
	}
	if grace > 0 {
		return p.failure(fmt.Sprintf("did not stop within %v and was killed", grace))
	}
	return nil
}

// signal is safe at any time: the process is held by a pidfd, not by its number.
func (p *Process) signal(s syscall.Signal) {
	p.signaled.Store(true)
	_ = p.cmd.Process.Signal(s) // it may have ended just now
}

func (p *Process) endsWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// lateReports bounds how long reports are read after the end of the process,
// should a descendant of it hold the pipe open.
const lateReports = time.Second

// supervise reads reports and reaps; the one goroutine of the process besides
// that of the reader.
func (p *Process) supervise(reports *os.File) {
	defer close(p.exited)
	defer close(p.reports)
	read := make(chan error, 1)
	go func() { read <- p.read(reports) }()
	waitErr := p.cmd.Wait()
	_ = reports.SetReadDeadline(time.Now().Add(lateReports)) // pipes have deadlines
	readErr := <-read
	p.waitErr = waitErr
	if readErr != nil && !errors.Is(readErr, os.ErrDeadlineExceeded) {
		p.readErr = readErr
	}
	_ = reports.Close() // read to the end
	p.controlMu.Lock()
	defer p.controlMu.Unlock()
	_ = p.control.Close() // its reader has gone
}

// read takes reports until the end of the stream. A bad report ends the child:
// what it says from there on cannot be trusted.
func (p *Process) read(r io.Reader) error {
	lines := newLineReader(r)
	for {
		var report Report
		err := lines.next(&report)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = p.take(report)
		}
		if err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				_ = p.cmd.Process.Kill()
			}
			return err
		}
	}
}

func (p *Process) take(r Report) error {
	switch r.Kind {
	case ReportReady:
		if isClosed(p.ready) {
			return errors.New("second ready report")
		}
		close(p.ready)
	case ReportDone:
		if p.done {
			return errors.New("second done report")
		}
		p.done, p.result = true, r.Result
	case ReportError:
		p.message, p.lacks = r.Message, r.Lacks
	case ReportProgress, ReportSample, ReportSnapshot, ReportCheckpoint:
		p.pass(r)
	default:
		return fmt.Errorf("unknown report %q", r.Kind)
	}
	return nil
}

// pass hands a report on. Once the process is stopped nobody has to read on.
func (p *Process) pass(r Report) {
	select {
	case p.reports <- r:
		return
	default:
	}
	select {
	case p.reports <- r:
	case <-p.stop:
	}
}
