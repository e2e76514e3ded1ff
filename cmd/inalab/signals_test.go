package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// play hands n signals to a new handler and returns what it did once it ended.
func play(n int, abandon error) (code int, stderr string, cause error) {
	var out bytes.Buffer
	code = -1
	i := interrupts{stderr: &out, abandon: func() error { return abandon }, exit: func(c int) { code = c }}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals, quit, done := make(chan os.Signal), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		i.handle(signals, quit, cancel)
	}()
	for range n {
		signals <- unix.SIGINT
	}
	close(quit)
	<-done
	return code, out.String(), context.Cause(ctx)
}

func TestInterrupts(t *testing.T) {
	const first = "inalab: interrupted: stopping in order; once more to stop at once\n"
	for _, c := range []struct {
		name    string
		signals int
		abandon error
		cause   error
		code    int // -1: the program goes on
		stderr  string
	}{
		{"none", 0, nil, nil, -1, ""},
		{"first", 1, nil, errInterrupted, -1, first},
		{"second", 2, nil, errInterrupted, exitInterrupted, first},
		{"second, something stays", 2, errors.New("no process"), errInterrupted, exitUnclean,
			first + "inalab: not all is cleaned up: run \"inalab gc\": no process\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stderr, cause := play(c.signals, c.abandon)
			if !errors.Is(cause, c.cause) || code != c.code || stderr != c.stderr {
				t.Errorf("cause %v, code %d, stderr %q", cause, code, stderr)
			}
		})
	}
}

func TestWatchEndsWithTheCommand(t *testing.T) {
	i := interrupts{exit: func(int) { t.Error("exit") }}
	ctx, stop := i.watch(context.Background())
	if ctx.Err() != nil {
		t.Error("it ended at once")
	}
	stop()
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Error("it goes on")
	}
}
