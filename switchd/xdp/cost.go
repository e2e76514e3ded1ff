package xdp

import "time"

// Cost is runs of the program, and how long they took together.
type Cost struct {
	Runs uint64
	Time time.Duration
}
