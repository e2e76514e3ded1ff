package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/inalab/inalab/harness/journal"
)

// Recorder learns of each process as soon as it runs; a *journal.Journal is one.
type Recorder interface {
	Add(records ...journal.Record) error
}

// Config is how a Supervisor starts processes.
type Config struct {
	// Exe is the program to start; empty means the running one.
	Exe string
	// Journal records the processes; nil records nothing.
	Journal Recorder
	// Caller owns the log files. The zero value is root.
	Caller journal.Caller
}

// Supervisor starts processes and waits for them. Its methods may be called
// from several goroutines.
type Supervisor struct {
	cfg     Config
	spawner *spawner

	mu     sync.Mutex // guards procs and closed
	procs  []*Process
	closed bool
}

// NewSupervisor returns a Supervisor. Close it to end all its processes and its
// thread.
func NewSupervisor(cfg Config) *Supervisor {
	if cfg.Exe == "" {
		cfg.Exe = "/proc/self/exe"
	}
	return &Supervisor{cfg: cfg, spawner: newSpawner()}
}

// Spec is one process.
type Spec struct {
	Node string // the node it runs for: its name in messages
	Kind string // what it is: "worker", "switch", ...
	// NetNS is the path of the namespace to run in; empty means the caller's.
	NetNS string
	// Config is sent to the child as JSON; it decodes it strictly.
	Config any
	// Log is the file that gets stdout and stderr; it is appended to.
	Log string
	// Env is added to the environment, as "name=value".
	Env []string
	// Contain gives the process a PID namespace of its own: whatever it starts ends
	// with it.
	Contain bool
}

func (s Spec) validate() error {
	switch {
	case s.Node == "":
		return errors.New("process has no node")
	case s.Kind == "":
		return fmt.Errorf("process of node %s has no kind", s.Node)
	case s.Log == "":
		return fmt.Errorf("%s %s has no log file", s.Kind, s.Node)
	}
	return nil
}

// configTimeout bounds how long a child may take to read its config. Assumed:
// starting a Go program takes milliseconds, hundreds at once on two cores seconds.
const configTimeout = 30 * time.Second

// Start starts a process and sends it its config. It does not wait until the
// process is ready. The context bounds the start alone, not the process.
func (s *Supervisor) Start(ctx context.Context, spec Spec) (*Process, error) {
	if err := spec.validate(); err != nil {
		return nil, err
	}
	config, err := encodeConfig(spec)
	if err != nil {
		return nil, fmt.Errorf("start %s %s: encode its config: %w", spec.Kind, spec.Node, err)
	}
	p, err := s.launch(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("start %s %s: %w", spec.Kind, spec.Node, err)
	}
	if err := s.introduce(ctx, p, config); err != nil {
		_ = p.cmd.Process.Kill() // it may have ended by itself, which Wait then says
		err = errors.Join(fmt.Errorf("start %s %s: %w", spec.Kind, spec.Node, err), p.Wait())
		s.forget(p)
		return nil, err
	}
	return p, nil
}

func encodeConfig(spec Spec) ([]byte, error) {
	config, err := encodeLine(spec.Config)
	if err != nil {
		return nil, err
	}
	return encodeLine(hello{Version: Version, Node: spec.Node, Kind: spec.Kind, Config: config[:len(config)-1]})
}

// launch starts the program in its namespace with both pipes.
func (s *Supervisor) launch(ctx context.Context, spec Spec) (*Process, error) {
	log, err := os.OpenFile(spec.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open its log: %w", err)
	}
	defer log.Close()
	if err := s.cfg.Caller.Chown(spec.Log); err != nil {
		return nil, err
	}
	childControl, control, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make control pipe: %w", err)
	}
	defer childControl.Close()
	reports, childReports, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make report pipe: %w", err), control.Close())
	}
	defer childReports.Close()
	cmd := s.command(spec, log, childControl, childReports)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		err = errors.New("the supervisor is closed")
	} else {
		err = s.spawner.start(ctx, spec.NetNS, cmd)
	}
	if err != nil {
		return nil, errors.Join(err, control.Close(), reports.Close())
	}
	p := newProcess(spec, cmd, control, reports)
	s.procs = append(s.procs, p)
	return p, nil
}

func (s *Supervisor) command(spec Spec, log, control, reports *os.File) *exec.Cmd {
	return &exec.Cmd{
		Path:        s.cfg.Exe,
		Args:        []string{"inalab", nodeArg, spec.Kind, spec.Node},
		Env:         append(os.Environ(), spec.Env...),
		Stdout:      log,
		Stderr:      log,
		ExtraFiles:  []*os.File{control, reports}, // controlFD, reportFD
		SysProcAttr: attributes(spec.Contain),
	}
}

// introduce journals a process and sends its config.
func (s *Supervisor) introduce(ctx context.Context, p *Process, config []byte) error {
	if s.cfg.Journal != nil {
		id, err := journal.Identify(p.PID())
		if err != nil {
			return err
		}
		if err := s.cfg.Journal.Add(journal.Started(p.spec.Node, id)); err != nil {
			return err
		}
	}
	deadline, ok := ctx.Deadline()
	if limit := time.Now().Add(configTimeout); !ok || limit.Before(deadline) {
		deadline = limit
	}
	if err := p.write(config, deadline); err != nil {
		return fmt.Errorf("send its config: %w", err)
	}
	return nil
}

func (s *Supervisor) forget(p *Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.procs = slices.DeleteFunc(s.procs, func(q *Process) bool { return q == p })
}

// Close stops all processes at once, each as [Process.Stop] does, and ends the
// thread that started them. It joins the errors of the stops: what processes
// did before is for Wait.
func (s *Supervisor) Close(grace time.Duration) error {
	s.mu.Lock()
	procs := s.procs
	wasClosed := s.closed
	s.procs, s.closed = nil, true
	s.mu.Unlock()
	errs := make([]error, len(procs))
	var wg sync.WaitGroup
	for i, p := range procs {
		wg.Go(func() { errs[i] = p.Stop(grace) })
	}
	wg.Wait()
	if !wasClosed {
		s.spawner.close()
	}
	return errors.Join(errs...)
}
