package afpacket

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// recvmmsg receives without blocking. The length of a frame that did not fit is
// its true one.
func recvmmsg(fd int, msgs []unix.Mmsghdr) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(msgs))),
		uintptr(len(msgs)), unix.MSG_DONTWAIT|unix.MSG_TRUNC, 0, 0)
	return int(n), errno
}

// sendmmsg sends without blocking and returns how many of msgs, which are not
// empty, were taken. An error is about the first of them, and none was taken.
func sendmmsg(fd int, msgs []unix.Mmsghdr) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(msgs))),
		uintptr(len(msgs)), unix.MSG_DONTWAIT, 0, 0)
	return int(n), errno
}
