// Package poll waits for file descriptors with a deadline in nanoseconds, and can be
// woken: ppoll(2) over the descriptors and one eventfd(2).
//
//	Wake ---> eventfd --\
//	          fd, fd ... --> Wait ---> Ready, Woken or TimedOut
//
// A device has few descriptors, so a fresh list for each call costs less than epoll.
// A deadline is late by the timer slack of the calling thread, which the caller sets
// (50 us by default; prctl(2), PR_SET_TIMERSLACK).
//
// Left out: reading and writing. Linux only.
package poll
