package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Config describes the process of one program, as it crosses to it.
type Config struct {
	Command []string `json:"command"` // the program, by path or as PATH has it, and its arguments
}

// Control is this process's side of its conversation with whoever started it.
type Control interface {
	// Ready says that the program waits for the start.
	Ready() error
	// AwaitStart returns when the run starts.
	AwaitStart(ctx context.Context) (epochNs int64, err error)
}

// Report says how a program ended.
type Report struct {
	Status  string `json:"status"`  // "exit status 0", "signal: killed"
	Stopped bool   `json:"stopped"` // because the run was over
}

// endGrace is how long a program has to end after SIGTERM. It is less than the
// harness leaves this process.
const endGrace = 2 * time.Second

// Run starts the program when the run starts, and returns when the run is over,
// which is the end of ctx. What the program prints goes to out, and how it ended
// stands below it. A program that cannot be started is an error; one that fails is
// not.
func Run(ctx context.Context, cfg Config, out *os.File, ctl Control) (Report, error) {
	if len(cfg.Command) == 0 {
		return Report{}, errors.New("no command is given")
	}
	path, err := exec.LookPath(cfg.Command[0])
	if err != nil {
		return Report{}, fmt.Errorf("%w: install it, or give its path", err)
	}
	if err := ctl.Ready(); err != nil {
		return Report{}, err
	}
	if _, err := ctl.AwaitStart(ctx); err != nil {
		return Report{}, err
	}
	cmd := exec.CommandContext(ctx, path, cfg.Command[1:]...)
	cmd.Args[0] = cfg.Command[0]
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endGrace
	if err := cmd.Start(); err != nil {
		return Report{}, fmt.Errorf("starting %s: %w", cfg.Command[0], err)
	}
	_ = cmd.Wait() // the state says how it ended
	report := Report{Status: cmd.ProcessState.String(), Stopped: ctx.Err() != nil}
	if _, err := fmt.Fprintf(out, "inalab: %s ended: %s\n", cfg.Command[0], report.Status); err != nil {
		return report, err
	}
	<-ctx.Done()
	return report, nil
}
