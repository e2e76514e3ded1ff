package main

import "syscall"

// apart has a child get no signals of the terminal, which are for its parent to pass on; where the parent is
// killed, it ends, too.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
