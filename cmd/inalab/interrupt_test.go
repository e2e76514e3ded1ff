package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/netnstest"
)

// needRoot skips a test that cannot run, or fails it where it must.
func needRoot(t *testing.T) {
	t.Helper()
	netnstest.Require(t, netns.CanRoot())
}

// liveRun is a program in the middle of a live run.
type liveRun struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
	state  string // where its journal is
	out    string // where its results are
}

// inalab returns the command of a program with a state directory of its own.
func inalab(state string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Args[0] = "inalab"
	cmd.Env = append(os.Environ(), journal.EnvRoot+"="+state)
	return cmd
}

// startLive starts a run that would last for minutes, and waits until all of its
// nodes are there.
func startLive(t *testing.T, set ...string) *liveRun {
	t.Helper()
	needRoot(t)
	r := &liveRun{state: t.TempDir(), out: filepath.Join(t.TempDir(), "results")}
	if err := os.Chmod(r.state, 0o700); err != nil {
		t.Fatal(err)
	}
	const nodes = 3 // two hosts and a switch
	r.cmd = inalab(r.state, "run", "straggler", "--out", r.out, "--set", "hosts=2", "--set", "iterations=2000", "--set", "scale=2000",
		"--set", "stragglers.p=[0%]", "--set", "systems=[{system: switchml256, topology: rack}]")
	for _, s := range set {
		r.cmd.Args = append(r.cmd.Args, "--set", s)
	}
	r.cmd.Stderr = &r.stderr
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); countProcesses(t, r.state) < nodes; <-tick.C {
		if time.Now().After(deadline) {
			r.signal(t, syscall.SIGKILL)
			t.Fatalf("the run does not begin: %v\n%s", r.cmd.Wait(), r.stderr.String())
		}
	}
	return r
}

// countProcesses counts the processes in the journals of a directory.
func countProcesses(t *testing.T, state string) (n int) {
	t.Helper()
	labs, err := journal.List(journal.Config{Root: state})
	if err != nil {
		t.Fatal(err)
	}
	for _, lab := range labs {
		for _, r := range lab.Records {
			if r.Kind == journal.KindProcess {
				n++
			}
		}
	}
	return n
}

func (r *liveRun) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// wait waits until the program and whoever holds its stderr have ended, and
// returns the exit code.
func (r *liveRun) wait(t *testing.T) int {
	t.Helper()
	err := r.cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return r.cmd.ProcessState.ExitCode()
}

// nothingLeft checks that the lab has gone, and that the results have not.
func (r *liveRun) nothingLeft(t *testing.T) {
	t.Helper()
	if labs, err := os.ReadDir(r.state); !errors.Is(err, fs.ErrNotExist) && (err != nil || len(labs) > 0) {
		t.Errorf("journals left behind: %v, %v\n%s", labs, err, r.stderr.String())
	}
	dir := onlyRun(t, r.out)
	if _, err := os.Stat(filepath.Join(dir, "COLUMNS.md")); err != nil {
		t.Errorf("the results have gone: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the run passes for a complete one: %v", err)
	}
}

// onlyRun returns the only results directory of a root, which has no link to the latest if the run is not complete.
func onlyRun(t *testing.T, root string) string {
	t.Helper()
	names := runsBelow(root)
	if len(names) != 1 {
		t.Fatalf("results %q, want those of one run", names)
	}
	return filepath.Join(root, names[0])
}

// namespaces returns those of the lab of a state directory.
func (r *liveRun) namespaces(t *testing.T) (paths []string) {
	t.Helper()
	labs, err := journal.List(journal.Config{Root: r.state})
	if err != nil {
		t.Fatal(err)
	}
	for _, lab := range labs {
		for _, rec := range lab.Records {
			if rec.Kind == journal.KindNamespace {
				paths = append(paths, rec.Path)
			}
		}
	}
	if len(paths) == 0 {
		t.Fatal("the lab has no namespaces")
	}
	return paths
}

func gone(t *testing.T, paths []string) {
	t.Helper()
	for _, p := range paths {
		if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", p, err)
		}
	}
}

// A self-test is ended as a run is, and has left no results.
func TestInterruptOfTheSelfTest(t *testing.T) {
	r := startLive(t, "scale=auto")
	paths := r.namespaces(t)
	r.signal(t, syscall.SIGINT)
	if code := r.wait(t); code != exitInterrupted {
		t.Errorf("exit code %d\n%s", code, r.stderr.String())
	}
	gone(t, paths)
	if labs, err := os.ReadDir(r.state); !errors.Is(err, fs.ErrNotExist) && (err != nil || len(labs) > 0) {
		t.Errorf("journals left behind: %v, %v", labs, err)
	}
	if _, err := os.Stat(r.out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("results of no run: %v", err)
	}
}

// A self-test that is ended at once leaves no logs: those of a run stand in its results, its own in the directory for
// temporary files.
func TestSecondInterruptOfTheSelfTest(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	r := startLive(t, "scale=auto", "hosts=8")
	paths := r.namespaces(t)
	r.signal(t, syscall.SIGINT)
	r.signal(t, syscall.SIGTERM)
	if code := r.wait(t); code != exitInterrupted {
		t.Errorf("code %d\n%s", code, r.stderr.String())
	}
	gone(t, paths)
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestFirstInterruptIsGraceful(t *testing.T) {
	r := startLive(t)
	paths := r.namespaces(t)
	r.signal(t, syscall.SIGINT)
	if code := r.wait(t); code != exitInterrupted {
		t.Errorf("code %d\n%s", code, r.stderr.String())
	}
	r.nothingLeft(t)
	gone(t, paths)
	if _, err := os.Stat(filepath.Join(onlyRun(t, r.out), "scenario.yaml")); err != nil {
		t.Errorf("results so far were not kept: %v", err)
	}
}

func TestSecondInterruptIsImmediate(t *testing.T) {
	r := startLive(t)
	paths := r.namespaces(t)
	r.signal(t, syscall.SIGINT)
	r.signal(t, syscall.SIGTERM) // another one, since two pending signals of a kind are one
	if code := r.wait(t); code != exitInterrupted {
		t.Errorf("code %d\n%s", code, r.stderr.String())
	}
	r.nothingLeft(t)
	gone(t, paths)
}

func TestGCAfterKill(t *testing.T) {
	r := startLive(t)
	paths := r.namespaces(t)
	r.signal(t, syscall.SIGKILL)
	if code := r.wait(t); code != -1 {
		t.Errorf("code %d", code)
	}
	out, err := inalab(r.state, "gc").Output()
	if err != nil || !strings.HasPrefix(string(out), "removed lab ") || !strings.Contains(string(out), ": 3 namespaces, ") {
		t.Errorf("%v: %s", err, out)
	}
	r.nothingLeft(t)
	gone(t, paths)
}
