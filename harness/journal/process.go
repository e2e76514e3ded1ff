package journal

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Ticks is a time since boot in clock ticks, as /proc counts it.
type Ticks uint64

// Process is the identity of a process: a pid alone may be used again, a pid
// with its start time is not within one boot.
type Process struct {
	PID   int   `json:"pid"`
	Start Ticks `json:"start"`
}

// Identify returns the identity of the running process pid.
func Identify(pid int) (Process, error) {
	start, state, err := readStat(pid)
	if err != nil {
		return Process{}, err
	}
	if state == 'Z' || state == 'X' {
		return Process{}, fmt.Errorf("identify process %d: %w", pid, unix.ESRCH)
	}
	return Process{PID: pid, Start: start}, nil
}

// Alive reports whether this very process runs.
func (p Process) Alive() bool {
	now, err := Identify(p.PID)
	return err == nil && now == p
}

// readStat reads state and start time, fields 3 and 22 of /proc/<pid>/stat
// (proc_pid_stat(5)). The second field is the command in parentheses and may
// hold anything, so that counting begins behind the last parenthesis.
func readStat(pid int) (Ticks, byte, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, fmt.Errorf("identify process %d: %w", pid, err)
	}
	_, after, ok := bytes.Cut(text[bytes.LastIndexByte(text, ')')+1:], []byte(" "))
	fields := bytes.Fields(after)
	const state, start = 0, 22 - 3 // counted from field 3
	if !ok || len(fields) <= start || len(fields[state]) != 1 {
		return 0, 0, fmt.Errorf("identify process %d: its stat file has an unknown form", pid)
	}
	ticks, err := strconv.ParseUint(string(fields[start]), 10, 64)
	if err != nil {
		return 0, 0, fmt.Errorf("identify process %d: read start time: %w", pid, err)
	}
	return Ticks(ticks), fields[state][0], nil
}

// bootID names this boot of the kernel; start times mean nothing across boots.
func bootID() (string, error) {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("read boot id: %w", err)
	}
	return string(bytes.TrimSpace(text)), nil
}
