package keeper

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// noControl must not be spoken to.
type noControl struct{ t *testing.T }

func (c noControl) Ready() error      { c.t.Error("ready"); return nil }
func (c noControl) Tell(string) error { c.t.Error("told"); return nil }

// Outside a PID namespace of its own a keeper would end every process of the machine.
func TestKeeperIsTheFirstProcess(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "programs")
	_, err := Run(t.Context(), Config{Socket: socket}, noControl{t})
	if err == nil || !strings.Contains(err.Error(), "must be the first of a PID namespace") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(socket); err == nil {
		t.Error("it listens")
	}
}

func TestCodeOf(t *testing.T) {
	for status, want := range map[unix.WaitStatus]int{0: 0, 7 << 8: 7, 255 << 8: 255, unix.WaitStatus(unix.SIGKILL): 137, unix.WaitStatus(unix.SIGINT): 130} {
		if got := codeOf(status); got != want {
			t.Errorf("status %#x: code %d, want %d", status, got, want)
		}
	}
}

// A keeper that is not there is told of as such.
func TestStartWithoutKeeper(t *testing.T) {
	_, err := Start(filepath.Join(t.TempDir(), "programs"), Request{}, os.Stdin, os.Stdout, os.Stderr)
	if err == nil || !strings.Contains(err.Error(), "ask for a program: ") {
		t.Errorf("error %v", err)
	}
}
