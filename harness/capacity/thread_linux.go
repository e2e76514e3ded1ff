package capacity

import (
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/units"
)

// threadTime returns the processor time of the calling thread.
func threadTime() units.Duration {
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &use); err != nil {
		return 0
	}
	return units.Duration(use.Utime.Nano()+use.Stime.Nano()) * units.Nanosecond
}
