package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/switchd/xdp"
)

func TestExitCodes(t *testing.T) {
	other := errors.New("other")
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{withCode(exitUsage, nil), 0},
		{other, 1},
		{failed(other), 1},
		{usage(other), 2},
		{fmt.Errorf("claim: %w", journal.ErrInUse), 2},
		{fmt.Errorf("enter: %w: no", netns.ErrNoPrivilege), 3},
		{fmt.Errorf("worker h0: %w", xdp.ErrMTU), 3},
		{usage(fmt.Errorf("worker h0: %w", &xdp.BusyError{Iface: "eth0"})), 3},
		{errors.Join(withCode(exitUnclean, other), xdp.ErrMemory), 5},
		{silently(exitPreflight), 3},
		{untrusted(other), 4},
		{fmt.Errorf("run: %w", untrusted(other)), 4},
		{context.DeadlineExceeded, 124},
		{errTimeout, 124},
		{fmt.Errorf("run: %w", context.Canceled), 130},
		{fmt.Errorf("the run is incomplete: %w", errors.Join(errInterrupted, context.Canceled)), 130},
		{errors.Join(other, usage(other)), 2},
		// Somebody has to clean up, whatever else went wrong.
		{errors.Join(errInterrupted, fmt.Errorf("down: %w", withCode(exitUnclean, other))), 5},
		{errors.Join(errInterrupted, fmt.Errorf("run: %w: %w", live.ErrCleanup, other)), 5},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%v: code %d, want %d", c.err, got, c.want)
		}
	}
}

func TestReport(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{silently(exitPreflight), ""},
		{usage(errors.New("a: b")), "inalab: a: b\n"},
	} {
		var stderr bytes.Buffer
		newApp(nil, &stderr, nil).report(c.err)
		if got := stderr.String(); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
