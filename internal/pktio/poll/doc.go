// Package poll waits for file descriptors with a deadline in nanoseconds and a
// way to be woken: ppoll(2) over the descriptors and one eventfd(2).
//
//	Wake ---> eventfd --\
//	          fd, fd ... --> Wait ---> Ready, Woken or TimedOut
//
// The descriptors are few (a device's sockets), so a fresh list for every call
// costs less than keeping an epoll set right. How late a deadline is met is the
// timer slack of the calling thread (50 us unless it asks for less, prctl(2)
// PR_SET_TIMERSLACK); the caller sets it.
//
// Left out: reading and writing. Linux only.
package poll
