package xdp

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// bpf is the system call bpf(2).
func bpf(cmd uintptr, attr unsafe.Pointer, size uintptr) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_BPF, cmd, uintptr(attr), size)
		if errno == unix.EINTR || errno == unix.EAGAIN {
			continue
		}
		if errno != 0 {
			return errno
		}
		return nil
	}
}
