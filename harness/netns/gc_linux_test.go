package netns

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/journal"
)

// startRole starts this test binary in a role, with its input held open, and
// returns the first line it prints.
func startRole(t *testing.T, role string, configure func(*exec.Cmd), args ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), envRole+"="+role)
	stderr := &strings.Builder{}
	cmd.Stderr = stderr
	if configure != nil {
		configure(cmd)
	}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // most tests have ended it by now
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = cmd.Wait()
		t.Fatalf("%s said nothing: %v: %s", role, err, stderr)
	}
	return cmd, strings.TrimSpace(line)
}

func TestCollectAfterKill(t *testing.T) {
	needRoot(t)
	lab := NewLabName()
	checkLeaks(t, lab)
	state := t.TempDir()
	opts := Options{StateDir: state}
	cmd, line := startRole(t, roleHarness, nil, lab, state)
	sleeper, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	if stale, err := Stale(opts); err != nil || len(stale) != 0 {
		t.Fatalf("stale while it lives: %v, %v", stale, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if names, _ := filepath.Glob(Path(lab, "*")); len(names) != 3 || !exists(sleeper) {
		t.Fatalf("nothing to collect: %v", names)
	}
	if _, err := Up(t.Context(), twoHosts(lab), opts); err == nil || !strings.Contains(err.Error(), "inalab gc") {
		t.Errorf("name of a stale lab: error %v", err)
	}
	report, err := GC(opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Collected) != 1 || report.Collected[0].Lab != lab || report.Collected[0].Processes != 1 || report.Collected[0].Namespaces != 3 {
		t.Errorf("report %+v", report)
	}
	if exists(sleeper) {
		t.Error("the lab's process lives on")
	}
	if again, err := GC(opts); err != nil || len(again.Collected) != 0 {
		t.Errorf("second collection: %+v, %v", again, err)
	}
	up(t, twoHosts(lab), opts) // the name is free again
}

// A journal that names what is not the lab's must do no harm.
func TestCollectChecksTheJournal(t *testing.T) {
	needRoot(t)
	lab, other := NewLabName(), NewLabName()
	checkLeaks(t, lab, other)
	state := t.TempDir()
	opts := Options{StateDir: state}
	neighbour := up(t, twoHosts(other), Options{StateDir: t.TempDir()})
	cmd, _ := startRole(t, roleSleeper, nil)
	j, err := journal.Claim(lab, journal.Config{Root: state, Rooted: true})
	if err != nil {
		t.Fatal(err)
	}
	id, err := journal.Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	id.Start++ // the pid was used again
	if err := j.Add(journal.Namespace("h1", neighbour.Path("h1")), journal.Started("h1", id)); err != nil {
		t.Fatal(err)
	}
	if err := j.Abandon(); err != nil {
		t.Fatal(err)
	}
	disownJournal(t, j.Dir())
	report, err := GC(opts)
	if err == nil || !strings.Contains(err.Error(), "is no namespace of this lab") || len(report.Collected) != 0 {
		t.Errorf("report %+v, error %v", report, err)
	}
	if !exists(cmd.Process.Pid) {
		t.Error("killed a process that is not the lab's")
	}
	if err := exchange(neighbour, "alive"); err != nil {
		t.Error(err)
	}
}

// disownJournal makes the owner a process that has gone.
func disownJournal(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, "journal")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dead := strings.Replace(string(text), `"start":`, `"start":9`, 1)
	if err := os.WriteFile(file, []byte(dead), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestNamespaceInUseIsReported(t *testing.T) {
	needRoot(t)
	lab := NewLabName()
	checkLeaks(t, lab)
	state := t.TempDir()
	l, err := Up(t.Context(), twoHosts(lab), Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	var cmd *exec.Cmd
	if err := l.Do("h1", func() error {
		cmd, _ = startRole(t, roleSleeper, nil)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	err = l.Down()
	if err == nil || !strings.Contains(err.Error(), "process "+strconv.Itoa(cmd.Process.Pid)) {
		t.Errorf("error %v does not name process %d", err, cmd.Process.Pid)
	}
}
