package netns

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/journal"
)

// Enter makes sure that the program may make namespaces. It is called first by
// every command that does.
//
//	with root          returns at once, done is false: go on
//	without            runs the program again in a user, mount and network
//	                   namespace of its own, waits for it, and returns its exit
//	                   code with done true: exit with it
//	in that namespace  makes /run/netns private and returns, done is false
//	neither            an error that wraps ErrNoPrivilege and names the fix
//
// Streams, arguments and environment are inherited, signals are forwarded.
func Enter() (code int, done bool, err error) {
	switch os.Getenv(envEntered) {
	case enteredNow:
		if err := makePrivateDir(); err != nil {
			return 0, false, fmt.Errorf("prepare user namespace: %w", err)
		}
		return 0, false, os.Setenv(envEntered, enteredSet)
	case enteredSet:
		return 0, false, nil
	}
	root := CanRoot()
	if root == nil {
		return 0, false, nil
	}
	if err := CanUserNamespace(); err != nil {
		return 0, false, fmt.Errorf("%w: as it is: %w; without root: %w", ErrNoPrivilege, root, err)
	}
	code, err = runInside()
	return code, true, err
}

// insideEnv is the environment of the program inside: the journal stays where
// it can be found from outside, and the calling user is still known.
func insideEnv() []string {
	set := []string{
		envEntered + "=" + enteredNow,
		journal.EnvCaller + "=" + journal.CurrentCaller().String(),
		journal.EnvRoot + "=" + journal.Root(false),
	}
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return slices.ContainsFunc(set, func(s string) bool {
			name, _, _ := strings.Cut(s, "=")
			return strings.HasPrefix(kv, name+"=")
		})
	})
	return append(env, set...)
}

// terminal is the terminal that the program was started on.
const terminal = 0 // stdin

// runInside starts the program again and waits for it. The child gets a process
// group of its own, so that an interrupt reaches it once: from the terminal if
// it owns that, else forwarded from here.
func runInside() (int, error) {
	// The child is to die with this thread, so this thread has to stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attr := inNamespaces()
	attr.Pdeathsig = syscall.SIGKILL
	attr.Setpgid = true
	if group, err := unix.IoctlGetInt(terminal, unix.TIOCGPGRP); err == nil && group == unix.Getpgrp() {
		attr.Foreground, attr.Ctty = true, terminal
		defer takeTerminal()
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2)
	defer signal.Stop(signals)
	p, err := os.StartProcess("/proc/self/exe", os.Args, &os.ProcAttr{
		Env:   insideEnv(),
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   attr,
	})
	if err != nil {
		return 0, fmt.Errorf("start again in a user namespace: %w", err)
	}
	ended := make(chan struct{})
	var forwarding sync.WaitGroup
	forwarding.Go(func() { forward(signals, p, ended) })
	code, err := wait(p.Pid)
	close(ended)
	forwarding.Wait()
	return code, errors.Join(err, p.Release())
}

func forward(signals <-chan os.Signal, p *os.Process, ended <-chan struct{}) {
	for {
		select {
		case s := <-signals:
			_ = p.Signal(s) // it may have ended just now
		case <-ended:
			return
		}
	}
}

// wait returns the exit code of a child, 128+n for signal n as a shell has it.
// A child that is stopped from the terminal goes on at once: its links run by
// the wall clock, and this process would be left without a terminal.
func wait(pid int) (int, error) {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(pid, &status, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, fmt.Errorf("wait for the run in the user namespace: %w", err)
		case status.Stopped():
			_ = unix.Kill(pid, unix.SIGCONT) // not reaped yet, so the pid is its own
		case status.Signaled():
			return 128 + int(status.Signal()), nil
		case status.Exited():
			return status.ExitStatus(), nil
		}
	}
}

// takeTerminal makes this process's group the foreground again, for whoever
// runs next on it. Writing to a terminal from the background stops a process
// unless it ignores SIGTTOU.
func takeTerminal() {
	signal.Ignore(unix.SIGTTOU)
	defer signal.Reset(unix.SIGTTOU)
	// Without a terminal any more there is nothing to give back.
	_ = unix.IoctlSetPointerInt(terminal, unix.TIOCSPGRP, unix.Getpgrp())
}
