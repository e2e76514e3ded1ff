package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
)

// endSignals ask the program to end.
var endSignals = []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP}

// interrupts ends the program when the user wants it to end.
//
//	first signal   the context ends: the command stops in order and cleans up
//	second         the program ends here and now, and what it leaves behind is
//	               collected behind it
type interrupts struct {
	stderr  io.Writer
	abandon func() error // sees to what the program leaves behind: labs and logs
	exit    func(code int)
}

// watch returns a context that the first signal ends, with the cause
// errInterrupted. stop ends watching and waits for that.
func (i *interrupts) watch(parent context.Context) (ctx context.Context, stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, endSignals...)
	ctx, cancel := context.WithCancelCause(parent)
	quit := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { i.handle(signals, quit, cancel) })
	return ctx, func() {
		signal.Stop(signals)
		close(quit)
		watching.Wait()
		cancel(nil)
	}
}

func (i *interrupts) handle(signals <-chan os.Signal, quit <-chan struct{}, cancel context.CancelCauseFunc) {
	for first := true; ; first = false {
		select {
		case <-quit:
			return
		case <-signals:
		}
		if first {
			fmt.Fprintln(i.stderr, "inalab: interrupted: stopping in order; once more to stop at once")
			cancel(errInterrupted)
			continue
		}
		code := exitInterrupted
		if err := i.abandon(); err != nil {
			fmt.Fprintf(i.stderr, "inalab: not all is cleaned up: run \"inalab gc\": %v\n", err)
			code = exitUnclean
		}
		i.exit(code)
		return
	}
}
