package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/awake"
	"github.com/inalab/inalab/internal/pktio/poll"
)

// The measurement takes timerWaits times timerWait, plus the lateness.
const (
	timerWaits = 200
	timerWait  = time.Millisecond
)

// checkAwake finds out whether idle processors can be kept awake during live runs.
func checkAwake(processors *awake.Processors, err error) check {
	const name = "wake-ups"
	processors.Release()
	if err != nil {
		return warn(name, err.Error()+": idle processors sleep during live runs, and timers fire later", "sudo inalab ...")
	}
	return pass(name, "live runs keep idle processors awake")
}

// timerLateness returns by how much short waits are late, sorted. It waits as
// the nodes do: a thread of its own, ppoll, a timer slack of a nanosecond, and processors awake.
func timerLateness() (late []time.Duration, err error) {
	if processors, err := awake.Keep(); err == nil {
		defer processors.Release()
	}
	var measuring sync.WaitGroup
	measuring.Go(func() {
		runtime.LockOSThread() // never unlocked: the slack goes with the thread
		late, err = measureTimers()
	})
	measuring.Wait()
	return late, err
}

func measureTimers() ([]time.Duration, error) {
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("set timer slack: %w", err)
	}
	p, err := poll.New()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	late := make([]time.Duration, timerWaits)
	for i := range late {
		began := time.Now()
		if _, err := p.Wait(timerWait); err != nil {
			return nil, err
		}
		late[i] = max(time.Since(began)-timerWait, 0)
	}
	slices.Sort(late)
	return late, nil
}

// timerLimit is what a live run takes to be trusted (package fidelity).
const timerLimit = time.Millisecond

func checkTimers(late []time.Duration, err error) check {
	const name = "timers"
	if err != nil {
		return warn(name, "not measured: "+err.Error(), "allow prctl(2) and ppoll(2)")
	}
	p99 := late[len(late)*99/100]
	reason := fmt.Sprintf("1%% of them are %v late or more", p99.Round(time.Microsecond))
	if p99 > timerLimit {
		return warn(name, reason+fmt.Sprintf(": more than %v spoils live runs", timerLimit), "end other programs; give a virtual machine processors of its own")
	}
	return pass(name, reason)
}
