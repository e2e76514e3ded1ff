package netns

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/containernetworking/plugins/pkg/ns"
)

// inThreads calls f for each of count items on a few OS threads, which f may
// move into other network namespaces. It stops early at the first error, when
// every thread has ended its item. Package ns takes the threads home, and lets
// one that cannot go home end.
func inThreads(ctx context.Context, threads, count int, f func(i int) error) error {
	home, err := ns.GetCurrentNS()
	if err != nil {
		return fmt.Errorf("open own network namespace: %w", err)
	}
	defer home.Close()
	var next atomic.Int64
	var failed atomic.Bool
	work := func(ns.NetNS) error {
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
	}
	errs := make([]error, min(threads, count))
	var wg sync.WaitGroup
	for t := range errs {
		wg.Go(func() { errs[t] = home.Do(work) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
