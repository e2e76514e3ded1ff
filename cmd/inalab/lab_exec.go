package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/lab"
	"github.com/inalab/inalab/nodes/keeper"
)

// Exit codes of programs that cannot be started, as a shell has them.
const (
	exitCannotRun = 126
	exitNoProgram = 127
)

func newExec() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "exec NODE [--] COMMAND [ARG...]",
		Short: "Run a program on a host of a lab that is up",
		Long: `Runs a program in the network namespace of a host, or a switch, of a lab that is up. Hosts know
each other by their names, the program's host name is that of the node, and its files, its
environment and its directory are those of this command. Signals go to the program, and its
exit code is that of this command: 126 if it cannot be run, 127 if there is none, 128 and the
signal that ended it.

What a program puts into the background stays until the lab goes: iperf3 --server --daemon, say.
A lab of root takes programs of root alone.`,
		Example: `  inalab exec h0 -- ping -c 3 h1
  inalab exec --lab demo h1 iperf3 --server --daemon`,
		Args: arguments(2, maxArgs),
		RunE: func(c *cobra.Command, args []string) error {
			command := args[1:]
			if command[0] == "--" {
				command = command[1:]
			}
			if len(command) == 0 {
				return usage(errors.New("no program is named: inalab exec NODE -- COMMAND"))
			}
			l, err := findUp(name, byFlag)
			if err == nil {
				_, err = l.node(args[0])
			}
			if err != nil {
				return err
			}
			return runIn(l, args[0], command)
		},
	}
	c.Flags().StringVar(&name, "lab", "", "lab (default: the only one that runs)")
	c.Flags().SetInterspersed(false) // flags of the program are its own
	return c
}

// maxArgs is how many arguments a program may have (assumed: execve(2) takes no more than fit 2 MiB).
const maxArgs = 1 << 20

// runIn runs a program on a node with the streams of this process, and ends as it does.
func runIn(l runningLab, node string, command []string) error {
	r, err := request(node, command)
	if err != nil {
		return err
	}
	signals := passSignals()
	defer signal.Stop(signals)
	p, err := startIn(l, r, os.Stdin, os.Stdout, os.Stderr)
	if err != nil {
		return err
	}
	return waitFor(l, p, signals)
}

// request is for a program as this process would start it.
func request(node string, command []string) (r keeper.Request, err error) {
	r = keeper.Request{Node: node, Args: command, Env: environmentOf(node)}
	if r.Path, err = exec.LookPath(command[0]); err == nil {
		r.Path, err = filepath.Abs(r.Path)
	}
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return r, withCode(exitNoProgram, fmt.Errorf("there is no program %q: install it, or give its path", command[0]))
	case err != nil:
		return r, withCode(exitCannotRun, err)
	}
	if r.Dir, err = os.Getwd(); err != nil {
		r.Dir = "/"
	}
	return r, nil
}

// environmentOf is the environment of a program on a node.
func environmentOf(node string) []string {
	env := slices.Clone(os.Environ())
	return append(env, "INALAB_NODE="+node)
}

// startIn has the keeper of a lab start a program.
func startIn(l runningLab, r keeper.Request, stdin, stdout, stderr *os.File) (*keeper.Program, error) {
	p, err := keeper.Start(lab.ProgramsPath(l.Dir), r, stdin, stdout, stderr)
	refused := (*keeper.Refused)(nil)
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &refused) && refused.Unknown:
		return nil, usage(err)
	case errors.As(err, &refused):
		return nil, withCode(exitCannotRun, err)
	case errors.Is(err, fs.ErrPermission):
		return nil, withCode(exitPreflight, fmt.Errorf("lab %s runs programs of %s alone: run this as that user", l.Lab, ownerOf(l)))
	}
	return nil, fmt.Errorf("lab %s takes no programs any more: %w: take it down with \"inalab down %s\"", l.Lab, err, l.Lab)
}

func ownerOf(l runningLab) string {
	if l.Owner.Rooted {
		return "root"
	}
	return fmt.Sprintf("uid %d", l.Owner.UID)
}

// passedSignals are those that a program gets in place of this one.
var passedSignals = []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH}

// passSignals has signals wait for the program.
func passSignals() chan os.Signal {
	signal.Reset(endSignals...)
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, passedSignals...)
	return signals
}

// waitFor waits for the end of a program, and returns its code as an error.
func waitFor(l runningLab, p *keeper.Program, signals <-chan os.Signal) error {
	ended := make(chan error, 1)
	go func() {
		code, err := p.Wait()
		if err == nil && code != 0 {
			err = silently(code)
		}
		ended <- err
	}()
	for {
		select {
		case s := <-signals:
			_ = p.Signal(s.(unix.Signal)) // it may have ended just now
		case err := <-ended:
			if errors.Is(err, keeper.ErrGone) {
				return fmt.Errorf("lab %s has gone, and the program with it", l.Lab)
			}
			return err
		}
	}
}
