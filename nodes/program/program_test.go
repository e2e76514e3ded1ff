package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// control starts at once; ready is told when the program waits for that.
type control struct{ ready func() }

func (c control) Ready() error {
	if c.ready != nil {
		c.ready()
	}
	return nil
}

func (control) AwaitStart(ctx context.Context) (int64, error) { return 0, context.Cause(ctx) }

// watched runs a shell script and ends the run when the script says so, by
// writing a line into a pipe that has the name $1.
func watched(t *testing.T, script string) (Report, error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	said := make(chan struct{})
	go func() {
		defer close(said)
		defer cancel()
		var b [1]byte
		_, _ = r.Read(b[:]) // the end of the pipe ends the run as well
	}()
	stdout := os.Stdout
	os.Stdout = w // what the program's output is
	report, err := Run(ctx, Config{Command: []string{"sh", "-c", script}}, control{})
	os.Stdout = stdout
	if closed := w.Close(); closed != nil {
		t.Fatal(closed)
	}
	<-said
	return report, err
}

func TestHowProgramsEnd(t *testing.T) {
	for script, want := range map[string]Report{
		"trap 'exit 3' TERM; echo; while :; do sleep 0.01; done": {"exit status 3", true},
		"echo; exec sleep 1000":                                  {"signal: terminated", true},
		"trap '' TERM; echo; exec sleep 1000":                    {"signal: killed", true},
	} {
		if got, err := watched(t, script); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", script, got, err, want)
		}
	}
}

// What ends by itself is reported as such once the run is over, not before.
func TestProgramEndsFirst(t *testing.T) {
	done := filepath.Join(t.TempDir(), "done")
	ctx, cancel := context.WithCancel(t.Context())
	reports := make(chan Report, 1)
	go func() {
		r, err := Run(ctx, Config{Command: []string{"mkfifo", done}}, control{})
		if err != nil {
			t.Error(err)
		}
		reports <- r
	}()
	for {
		if _, err := os.Stat(done); err == nil {
			break
		}
		select {
		case r := <-reports:
			t.Fatalf("ended with %+v while the run goes on", r)
		default:
		}
	}
	cancel()
	if r := <-reports; r.Status != "exit status 0" {
		t.Errorf("got %+v", r)
	}
}

func TestProgramsThatCannotStart(t *testing.T) {
	for want, command := range map[string][]string{
		"no command is given": nil,
		`"no-such-program": executable file not found in $PATH: install it, or give its path`: {"no-such-program"},
	} {
		_, err := Run(t.Context(), Config{Command: command}, control{func() { t.Errorf("%q is ready", command) }})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", command, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("parent has gone")
	_, err := Run(ctx, Config{Command: []string{"sh"}}, control{func() { cancel(gone) }})
	if !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}
