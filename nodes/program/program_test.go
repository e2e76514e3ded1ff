package program

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// control starts at once; ready is called when the program waits for that.
type control struct{ ready func() }

func (c control) Ready() error {
	if c.ready != nil {
		c.ready()
	}
	return nil
}

func (control) AwaitStart(ctx context.Context) (int64, error) { return 0, context.Cause(ctx) }

// runUntil runs a shell script, and ends the run when a line of its output begins
// as stated.
func runUntil(t *testing.T, script, line string) Report {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	said := make(chan bool)
	go func() {
		found := false
		for lines := bufio.NewScanner(r); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), line) {
				found = true
				cancel()
			}
		}
		cancel()
		said <- found
	}()
	report, err := Run(ctx, Config{Command: []string{"sh", "-c", script}}, w, control{})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Errorf("%s: %v", script, err)
	}
	if !<-said {
		t.Errorf("%s: no line begins with %q", script, line)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return report
}

func TestHowProgramsEnd(t *testing.T) {
	for _, c := range []struct {
		script, until string
		want          Report
	}{
		{"trap 'exit 3' TERM; echo up; while :; do sleep 0.01; done", "up", Report{"exit status 3", true}},
		{"echo up; exec sleep 1000", "up", Report{"signal: terminated", true}},
		{"trap '' TERM; echo up; exec sleep 1000", "up", Report{"signal: killed", true}},
		// What ends by itself is reported as such once the run is over.
		{"exit 7", "inalab: sh ended: exit status 7", Report{"exit status 7", false}},
	} {
		if got := runUntil(t, c.script, c.until); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.script, got, c.want)
		}
	}
}

func TestProgramsThatCannotStart(t *testing.T) {
	for want, command := range map[string][]string{
		"no command is given": nil,
		`"no-such-program": executable file not found in $PATH: install it, or give its path`: {"no-such-program"},
	} {
		_, err := Run(t.Context(), Config{Command: command}, os.Stderr, control{func() { t.Errorf("%q is ready", command) }})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", command, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("parent has gone")
	_, err := Run(ctx, Config{Command: []string{"sh"}}, os.Stderr, control{func() { cancel(gone) }})
	if !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}
