package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/lab"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/running"
)

// ownerCommand is how this program starts itself as the owner of a lab.
const ownerCommand = "lab-owner"

// ownerAnswer is what an owner says once: its lab is up, or why not.
type ownerAnswer struct {
	State running.State
	Error string
	Code  int
}

// newLabOwner is the command of the owner's process. Its standard input is a socket: the job comes
// there, the answer goes there, and if it ends before the answer, so does the lab.
func newLabOwner() *cobra.Command {
	return &cobra.Command{
		Use: ownerCommand, Hidden: true, Short: "Own a lab: started by \"inalab up\"",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := enterNamespaces(); err != nil {
				return answerUp(ownerAnswer{Error: err.Error(), Code: exitCode(err)}, err)
			}
			return ownLab(c.Context())
		},
	}
}

// startOwner starts the process that owns a lab, and waits until the lab is up.
func startOwner(c *cobra.Command, job upJob) (running.State, error) {
	if netns.CanRoot() != nil {
		if err := netns.CanUserNamespace(); err != nil {
			return running.State{}, withCode(exitPreflight, err)
		}
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return running.State{}, err
	}
	defer ours.Close()
	defer theirs.Close()
	log, err := memory("inalab-up")
	if err != nil {
		return running.State{}, err
	}
	defer log.Close()
	cmd := exec.Command("/proc/self/exe", ownerCommand)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // interrupts of this terminal are not for it
	if err := cmd.Start(); err != nil {
		return running.State{}, fmt.Errorf("start the owner of the lab: %w", err)
	}
	_ = theirs.Close() // so that its end shows
	stop := context.AfterFunc(c.Context(), func() { _ = unix.Shutdown(int(ours.Fd()), unix.SHUT_RDWR) })
	defer stop()
	var a ownerAnswer
	err = errors.Join(json.NewEncoder(ours).Encode(job), json.NewDecoder(bufio.NewReader(ours)).Decode(&a))
	if err == nil && a.Error == "" {
		return a.State, cmd.Process.Release()
	}
	_ = ours.Close()
	_ = cmd.Wait() // how it ended is in the answer, or in what it has written
	switch {
	case c.Context().Err() != nil:
		return a.State, context.Cause(c.Context())
	case a.Error != "":
		return a.State, withCode(a.Code, errors.New(a.Error))
	}
	copyLog(c.ErrOrStderr(), log)
	return a.State, errOwnerGone
}

// socketPair returns two files that are joined.
func socketPair() (a, b *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make sockets for the owner of the lab: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "owner"), os.NewFile(uintptr(fds[1]), "owner"), nil
}

// memory returns a file that is on no disk.
func memory(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make a log in memory: %w", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// ownLab is the owner's life.
func ownLab(ctx context.Context) error {
	lines := bufio.NewReader(os.Stdin)
	var job upJob
	line, err := lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &job)
	}
	if err != nil {
		return usage(fmt.Errorf("this command is started by \"inalab up\", not by hand: %w", err))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var isUp atomic.Bool
	go func() { // ends with the process
		if _, err := lines.ReadByte(); err != nil && !isUp.Load() {
			cancel(errInterrupted)
		}
	}()
	opt, err := job.options()
	if err == nil {
		err = lab.Run(ctx, opt, func(dir string, s running.State) error {
			isUp.Store(true)
			return errors.Join(answerUp(ownerAnswer{State: s}, nil), leaveCaller(filepath.Join(lab.LogsPath(dir), "owner.log")))
		})
	}
	if err != nil && !isUp.Load() {
		return answerUp(ownerAnswer{Error: err.Error(), Code: exitCode(err)}, err)
	}
	return err
}

// answerUp tells "inalab up" how it went, and returns err.
func answerUp(a ownerAnswer, err error) error {
	return errors.Join(err, json.NewEncoder(os.Stdin).Encode(a))
}

// leaveCaller lets go of what the process has of "inalab up": its streams and its directory.
func leaveCaller(log string) error {
	out, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("make the log of the lab: %w", err)
	}
	defer out.Close()
	in, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer in.Close()
	for to, from := range []*os.File{in, out, out} {
		err = errors.Join(err, unix.Dup3(int(from.Fd()), to, 0))
	}
	return errors.Join(err, os.Chdir("/"))
}

// errOwnerGone is the end of an owner without a word.
var errOwnerGone = errors.New("the owner of the lab has ended before the lab was up")

// copyLog hands on what an owner that failed has written.
func copyLog(w io.Writer, log *os.File) {
	if _, err := log.Seek(0, io.SeekStart); err == nil {
		_, _ = io.Copy(w, log)
	}
}
