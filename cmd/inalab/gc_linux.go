package main

import (
	"errors"

	"golang.org/x/sys/unix"
)

// endTimeoutMs bounds the wait for a process that is about to end. Assumed.
const endTimeoutMs = 10_000

// waitForEnd waits until a process has ended. What is wrong with that, the
// collection will show: it does not touch a lab that is alive.
func waitForEnd(pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, endTimeoutMs)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
