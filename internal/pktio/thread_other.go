//go:build !linux

package pktio

import (
	"runtime"

	"github.com/inalab/inalab/internal/units"
)

// thread is the operating system thread of the loop. Without Linux there is no
// timer slack to set and no processor time of one thread to read.
type thread struct{}

func lockThread(bool) thread {
	runtime.LockOSThread()
	return thread{}
}

func giveWay() { runtime.LockOSThread() }

func (thread) release() { runtime.UnlockOSThread() }

func (thread) busyShare() float64 { return 0 }

func (thread) used() units.Duration { return 0 }
