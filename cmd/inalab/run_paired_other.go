//go:build !linux

package main

import "syscall"

// apart has a child get no signals of the terminal, which are for its parent to pass on.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
