package netns

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/journal"
)

// roleExit is the exit code of a part that was played to its end.
const roleExit = 7

func playSleeper() (int, error) {
	fmt.Println(os.Getpid())
	_, err := io.Copy(io.Discard, os.Stdin)
	return 0, err
}

// playHarness brings a lab up with one process in it, which would survive,
// says who they are and waits for the kill.
func playHarness() (int, error) {
	l, err := Up(context.Background(), twoHosts(os.Args[1]), Options{StateDir: os.Args[2]})
	if err != nil {
		return 1, err
	}
	sleeper := exec.Command("/proc/self/exe")
	sleeper.Env = append(os.Environ(), envRole+"="+roleSleeper)
	r, w, err := os.Pipe()
	if err != nil {
		return 1, err
	}
	defer w.Close()
	sleeper.Stdin = r
	sleeper.ExtraFiles = []*os.File{w} // its input stays open even when we die
	if err := l.Do("h1", sleeper.Start); err != nil {
		return 1, err
	}
	id, err := journal.Identify(sleeper.Process.Pid)
	if err != nil {
		return 1, err
	}
	if err := l.Journal().Add(journal.Started("h1", id)); err != nil {
		return 1, err
	}
	fmt.Println(id.PID)
	_, err = io.Copy(io.Discard, os.Stdin)
	return 0, err
}

// playRootless uses a lab in a user namespace.
func playRootless() (int, error) {
	code, done, err := Enter()
	if done || err != nil {
		return code, err
	}
	if !Entered() {
		return 1, fmt.Errorf("was root all along: %w", CanUserNamespace())
	}
	l, err := Up(context.Background(), twoHosts(os.Args[1]), Options{})
	if err != nil {
		return 1, err
	}
	if err := exchange(l, "rootless"); err != nil {
		return 1, err
	}
	entries, err := List(Options{})
	if err != nil || len(entries) != 1 || entries[0].State != journal.Live || entries[0].Owner.Rooted {
		return 1, fmt.Errorf("journals: %+v, %w", entries, err)
	}
	fmt.Println(entries[0].Dir, entries[0].Owner.UID)
	// Its own names are there, those of others are not.
	names, err := os.ReadDir(Dir)
	if err != nil || len(names) != 3 {
		return 1, fmt.Errorf("names in %s: %v, %w", Dir, names, err)
	}
	if _, err := io.Copy(os.Stderr, os.Stdin); err != nil {
		return 1, err
	}
	return roleExit, l.Down()
}

func playSignal() (int, error) {
	signals := make(chan os.Signal, 1)
	if Entered() {
		signal.Notify(signals, unix.SIGTERM)
	}
	code, done, err := Enter()
	if done || err != nil {
		return code, err
	}
	fmt.Println(os.Getpid())
	<-signals
	return roleExit, nil
}
