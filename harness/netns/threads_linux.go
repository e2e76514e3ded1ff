package netns

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// inThreads calls f for each of count items on a few OS threads, which f may
// move into other network namespaces. It stops early at the first error, when
// every thread has ended its item. A thread that cannot go back where it came
// from is not used again: it ends with its locked goroutine.
func inThreads(ctx context.Context, threads, count int, f func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, min(threads, count))
	var wg sync.WaitGroup
	for t := range errs {
		wg.Go(func() {
			errs[t] = onForeignThread(func() error {
				for !failed.Load() {
					i := int(next.Add(1)) - 1
					if i >= count {
						return nil
					}
					err := ctx.Err()
					if err == nil {
						err = f(i)
					}
					if err != nil {
						failed.Store(true)
						return err
					}
				}
				return nil
			})
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// onForeignThread runs f on this goroutine, locked to its thread, and takes the
// thread back to the network namespace it came from. The goroutine must end
// after an error of that kind, and the thread with it.
func onForeignThread(f func() error) error {
	runtime.LockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("open own network namespace: %w", err)
	}
	defer home.Close()
	err = f()
	if back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); back != nil {
		return errors.Join(err, fmt.Errorf("return to own network namespace: %w", back))
	}
	runtime.UnlockOSThread()
	return err
}
