package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// interrupts ends the program when the user wants it to end.
//
//	first signal   the context ends: the command stops in order and cleans up
//	second         what must not be left behind is removed here and now, then exit
//	third          exit at once; "inalab gc" removes the rest
type interrupts struct {
	stderr io.Writer
	exit   func(code int)

	mu       sync.Mutex // guards cleanups
	cleanups []*func() error
}

// onImmediate registers what the second signal has to clean up, last registered
// first. It runs beside the command that is still stopping. forget takes it back.
func (i *interrupts) onImmediate(cleanup func() error) (forget func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cleanups = append(i.cleanups, &cleanup)
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.cleanups = slices.DeleteFunc(i.cleanups, func(c *func() error) bool { return c == &cleanup })
	}
}

// watch returns a context that the first signal ends, with the cause
// errInterrupted. stop ends watching and waits for that.
func (i *interrupts) watch(parent context.Context) (ctx context.Context, stop func()) {
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	ctx, cancel := context.WithCancelCause(parent)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		i.handle(signals, quit, cancel)
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(quit)
		<-done
		cancel(nil)
	}
}

// handle is the life of the signals, until quit.
func (i *interrupts) handle(signals <-chan os.Signal, quit <-chan struct{}, cancel context.CancelCauseFunc) {
	var cleaned chan exitCode // set by the second signal
	for count := 1; ; {
		select {
		case <-quit:
			if cleaned == nil {
				return
			}
			quit = nil // the second signal has the last word
		case code := <-cleaned:
			i.exit(int(code))
			return
		case <-signals:
			switch count {
			case 1:
				fmt.Fprintln(i.stderr, "inalab: interrupted: stopping in order; once more to stop at once")
				cancel(errInterrupted)
			case 2:
				cleaned = make(chan exitCode, 1)
				go func() { cleaned <- i.clean() }()
			default:
				fmt.Fprintln(i.stderr, "inalab: stopped before all was cleaned up: run \"inalab gc\"")
				i.exit(int(exitUnclean))
				return
			}
			count++
		}
	}
}

// clean runs what was registered, to the end.
func (i *interrupts) clean() exitCode {
	i.mu.Lock()
	cleanups := slices.Clone(i.cleanups)
	i.mu.Unlock()
	var errs []error
	for _, c := range slices.Backward(cleanups) {
		errs = append(errs, (*c)())
	}
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintf(i.stderr, "inalab: not all was cleaned up: run \"inalab gc\": %v\n", err)
		return exitUnclean
	}
	return exitInterrupted
}
