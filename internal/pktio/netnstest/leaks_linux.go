package netnstest

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// CheckLeaks fails the test if it leaves descriptors or goroutines behind.
func CheckLeaks(tb testing.TB) {
	tb.Helper()
	if r, w, err := os.Pipe(); err == nil { // makes the Go runtime open the descriptors that it keeps
		_, _ = r.Close(), w.Close()
	}
	fds, routines := countFDs(tb), runtime.NumGoroutine()
	tb.Cleanup(func() {
		// A goroutine that is done still counts until it is scheduled once more.
		for until := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > routines; runtime.Gosched() {
			if time.Now().After(until) {
				tb.Fatalf("%d goroutines, %d before the test", runtime.NumGoroutine(), routines)
			}
		}
		if n := countFDs(tb); n != fds {
			tb.Errorf("%d open descriptors, %d before the test", n, fds)
		}
	})
}

func countFDs(tb testing.TB) int {
	tb.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		tb.Fatal(err)
	}
	return len(list)
}
