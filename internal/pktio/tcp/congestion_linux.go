package tcp

import (
	"os"

	"golang.org/x/sys/unix"
)

// SetCongestion gives a TCP socket a congestion control that takes a loss for
// congestion, as the hosts of the papers do: CUBIC, the default of Linux, or
// Reno, which every user may ask for. The default of this machine may be one
// that does not, such as BBR.
func SetCongestion(fd int) {
	for _, name := range []string{"cubic", "reno"} {
		if unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, name) == nil {
			return
		}
	}
}

// Congestion returns the congestion control that this process's connections
// have.
func Congestion() (string, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	SetCongestion(fd)
	name, err := unix.GetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	return name, os.NewSyscallError("getsockopt TCP_CONGESTION", err)
}
