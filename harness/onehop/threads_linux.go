//go:build 386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64

package onehop

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// placement is the CPUs of threads.
type placement struct {
	senders    []int // of each queue; the first has the parameter server, too
	aggregator int
}

// places gives senders the first CPU that this process may use, and the aggregator the last; or,
// where they share CPUs, each queue the next one.
func places(c *Config) (p placement, err error) {
	var s unix.CPUSet
	if err := unix.SchedGetaffinity(0, &s); err != nil {
		return p, fmt.Errorf("list CPUs: %w", err)
	}
	var all []int
	for cpu := range len(s) * 64 {
		if s.IsSet(cpu) {
			all = append(all, cpu)
		}
	}
	if c.Queues > len(all) {
		return p, fmt.Errorf("%d queues take a CPU each, and this process may use %d", c.Queues, len(all))
	}
	return placement{senders: all[:c.Queues], aggregator: all[len(all)-1]}, nil
}

// pin keeps a thread on a CPU; 0 is the calling one.
func pin(tid, cpu int) error {
	var s unix.CPUSet
	s.Set(cpu)
	if err := unix.SchedSetaffinity(tid, &s); err != nil {
		return fmt.Errorf("keep thread %d on CPU %d: %w", tid, cpu, err)
	}
	return nil
}

// prefer lets a thread of the kernel that polls a wire run before all processes, as a card's interrupt
// does. Unlike an interrupt it still waits for a process that is in the kernel, where the kernel is
// built not to preempt itself: milliseconds, in which the ring of a wire overflows.
func prefer(tid int) error {
	a := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}
	if err := unix.SchedSetAttr(tid, &a, 0); err != nil {
		return fmt.Errorf("prefer thread %d: %w", tid, err)
	}
	return nil
}

// hurry gives the calling thread most of its CPU. A thread of this process must not be preferred: it
// would wait without an end for one of the same CPU that has what both need in Go's run time.
func hurry() error {
	if err := unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), -20); err != nil {
		return fmt.Errorf("raise the priority of a thread: %w", err)
	}
	return nil
}

// pollers returns the kernel's threads that poll the queues of an interface, in the queues' order.
// None may be visible, as in a container.
func pollers(iface string) (tids []int, err error) {
	list, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		return nil, err
	}
	for _, name := range list {
		comm, err := os.ReadFile(name)
		if err != nil || !bytes.HasPrefix(comm, []byte("napi/"+iface+"-")) {
			continue // a process that has ended is no concern
		}
		tid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil {
			return nil, err
		}
		tids = append(tids, tid)
	}
	return tids, nil
}

// usage is times in nanoseconds: that threads ran, that they waited for a CPU, and that their CPUs
// were busy with whatever.
type usage struct{ ran, waited, busy int64 }

// usageOf adds up threads and CPUs. This process must see the threads.
func usageOf(tids, cpus []int) (u usage, err error) {
	for _, tid := range tids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", tid))
		if err != nil {
			text, err = os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", tid))
		}
		if err != nil {
			return u, err
		}
		f := strings.Fields(string(text))
		if len(f) < 2 {
			return u, fmt.Errorf("schedstat of thread %d is %q", tid, text)
		}
		ran, err1 := strconv.ParseInt(f[0], 10, 64)
		waited, err2 := strconv.ParseInt(f[1], 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return u, fmt.Errorf("schedstat of thread %d: %w", tid, err)
		}
		u.ran, u.waited = u.ran+ran, u.waited+waited
	}
	u.busy, err = busy(cpus)
	return u, err
}

// tick is the unit of /proc/stat (USER_HZ), in nanoseconds.
const tick = 1e7

// busy returns for how long CPUs were not idle.
func busy(cpus []int) (ns int64, err error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if !slices.ContainsFunc(cpus, func(cpu int) bool { return len(f) > 8 && f[0] == fmt.Sprintf("cpu%d", cpu) }) {
			continue
		}
		for i, n := range f[1:9] {
			if i == 3 || i == 4 { // idle, iowait
				continue
			}
			t, err := strconv.ParseInt(n, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("/proc/stat: %w", err)
			}
			ns += t * tick
		}
	}
	return ns, nil
}
