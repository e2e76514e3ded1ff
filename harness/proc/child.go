package proc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/strictjson"
)

// Requested returns what the arguments of the process ask for: the kind of node
// and its name, and whether they ask for one at all. main and the TestMain of
// tests with processes look here first.
func Requested(args []string) (kind, node string, ok bool) {
	if len(args) != 4 || args[1] != nodeArg {
		return "", "", false
	}
	return args[2], args[3], true
}

// ErrParentGone is the cause of the end of [ChildSide.Context] when the parent
// has died or closed the control stream.
var ErrParentGone = errors.New("parent has gone")

// ErrStopped is the cause of the end of [ChildSide.Context] after a stop command.
var ErrStopped = errors.New("stop was asked for")

// orphanGrace is how long a child may go on without its parent to end in order.
const orphanGrace = 2 * time.Second

// orphanExit is the exit code of a child that did not: nobody sees it.
const orphanExit = 1

// commandBuffer is how many commands may wait for a child that does not look.
// Assumed: a run has two.
const commandBuffer = 16

// ChildSide is the child's end of the protocol.
type ChildSide struct {
	hello    hello
	control  *os.File
	commands chan Command
	ctx      context.Context
	cancel   context.CancelCauseFunc
	exit     func(code int)

	mu      sync.Mutex // guards reports: one line at a time
	reports *os.File
}

// Child takes up the descriptors that the parent left and reads the first line.
// It is called once, before any other file is opened.
func Child() (*ChildSide, error) {
	for _, fd := range [...]int{controlFD, reportFD} {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			return nil, fmt.Errorf("descriptor %d is not open: this command is started by a run, not by hand", fd)
		}
		unix.CloseOnExec(fd)           // programs that the child starts are not to hold them
		_ = unix.SetNonblock(fd, true) // lets the runtime poll a pipe; others stay as they are
	}
	return newChild(os.NewFile(controlFD, "control"), os.NewFile(reportFD, "reports"), os.Exit)
}

func newChild(control, reports *os.File, exit func(int)) (*ChildSide, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &ChildSide{control: control, reports: reports, commands: make(chan Command, commandBuffer), ctx: ctx, cancel: cancel, exit: exit}
	lines := newLineReader(control)
	if err := lines.next(&c.hello); err != nil {
		return nil, fmt.Errorf("read config from parent: %w", err)
	}
	if c.hello.Version != Version {
		return nil, fmt.Errorf("parent speaks version %d of the protocol, this program %d: build and run again", c.hello.Version, Version)
	}
	go c.listen(lines)
	return c, nil
}

// Kind returns what the process is to be.
func (c *ChildSide) Kind() string { return c.hello.Kind }

// Config decodes the config; unknown keys are errors.
func (c *ChildSide) Config(into any) error {
	if err := strictjson.Decode(c.hello.Config, into); err != nil {
		return fmt.Errorf("decode config of %s %s: %w", c.hello.Kind, c.hello.Node, err)
	}
	return nil
}

// Commands returns the commands of the parent; it is closed after stop and when
// the parent has gone.
func (c *ChildSide) Commands() <-chan Command { return c.commands }

// Context ends with stop and when the parent has gone. In the latter case the
// process is ended shortly after, should it still be there.
func (c *ChildSide) Context() context.Context { return c.ctx }

// listen reads commands until the parent goes. It outlives a stop, so that a
// child that is slow to end still notices that.
func (c *ChildSide) listen(lines *lineReader) {
	open := true
	for {
		var command Command
		if err := lines.next(&command); err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintln(os.Stderr, "inalab: read command:", err)
			}
			break
		}
		if command.Name == CommandStop {
			c.cancel(ErrStopped)
		}
		if open && !c.deliver(command) {
			open = false
			close(c.commands)
		}
	}
	c.cancel(ErrParentGone)
	if open {
		close(c.commands)
	}
	timer := time.NewTimer(orphanGrace)
	defer timer.Stop()
	<-timer.C
	c.exit(orphanExit)
}

// deliver hands a command over and reports whether more may follow. It does not
// wait, so that neither a stop nor the end of the parent is missed: a child
// that is busy sees both by its context.
func (c *ChildSide) deliver(command Command) bool {
	select {
	case c.commands <- command:
	default:
		c.cancel(fmt.Errorf("%d commands were left unread", commandBuffer))
		return false
	}
	return command.Name != CommandStop
}

// Ready says that the node is set up.
func (c *ChildSide) Ready() error { return c.send(Report{Kind: ReportReady}) }

// Report sends a progress or sample report.
func (c *ChildSide) Report(kind ReportKind, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode %s report: %w", kind, err)
	}
	return c.send(Report{Kind: kind, Data: text})
}

// Done sends the result. The process exits with 0 after it.
func (c *ChildSide) Done(result any) error {
	text, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	return c.send(Report{Kind: ReportDone, Result: text})
}

// Lacker is an error that may be the machine's fault: it lacks what is needed.
type Lacker interface {
	error
	Lacking() bool
}

// IsLacking reports whether an error is, or wraps, a [Lacker] that says so.
func IsLacking(err error) bool {
	l, ok := errors.AsType[Lacker](err)
	return ok && l.Lacking()
}

// Fail sends what made the node give up. The process exits with 1 after it. A cause that
// [IsLacking] arrives as one.
func (c *ChildSide) Fail(cause error) error {
	return c.send(Report{Kind: ReportError, Message: cause.Error(), Lacks: IsLacking(cause)})
}

func (c *ChildSide) send(r Report) error {
	line, err := encodeLine(r)
	if err != nil {
		return fmt.Errorf("send %s report: %w", r.Kind, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.reports.Write(line); err != nil {
		return fmt.Errorf("send %s report: %w", r.Kind, err)
	}
	return nil
}
