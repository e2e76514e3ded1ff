package main

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/awake"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/netns"
)

// hostChecks are those that only look.
func hostChecks() []check {
	root := os.DirFS("/")
	return []check{
		checkPrivilege(netns.CanRoot(), netns.CanUserNamespace),
		checkKernel(kernelRelease()),
		checkProcessors(runtime.NumCPU()),
		checkClocksource(root),
		checkAwake(awake.Keep()),
		checkTimers(timerLateness()),
		checkFiles(fileLimit()),
		checkNamespaceLimit(root),
		checkNamespaceDir(root),
		checkBridge(root),
		checkLabs(netns.CanRoot() == nil),
	}
}

// checkPrivilege finds out whether namespaces can be made at all.
func checkPrivilege(root error, userNamespace func() error) check {
	const name = "privilege"
	if root == nil {
		return pass(name, "root")
	}
	err := userNamespace()
	if err == nil {
		return pass(name, "not root, but user namespaces work")
	}
	return fail(name, fmt.Sprintf("namespaces cannot be made: %v; without root: %v", root, err), "sudo inalab ...")
}

// The oldest kernels. UDP_GRO came with 5.0 (udp(7)); packet sockets take UDP
// super-packets since 6.2 (commit fc8b2a619469).
const (
	oldestKernel = "5.0"
	fastKernel   = "6.2"
)

func checkKernel(release string) check {
	const name = "kernel"
	switch {
	case older(release, oldestKernel):
		return fail(name, "Linux "+release+" is older than "+oldestKernel, "install a newer kernel, best "+fastKernel+" or later")
	case older(release, fastKernel):
		return warn(name, "Linux "+release+": before "+fastKernel+" switches send frame by frame", "install Linux "+fastKernel+" or later")
	}
	return pass(name, "Linux "+release)
}

// older compares the first two numbers of kernel releases; a release that cannot be
// read is not older.
func older(release, than string) bool {
	var a, b [2]int
	if n, _ := fmt.Sscanf(release, "%d.%d", &a[0], &a[1]); n != 2 {
		return false
	}
	_, _ = fmt.Sscanf(than, "%d.%d", &b[0], &b[1])
	return slices.Compare(a[:], b[:]) < 0
}

func checkProcessors(n int) check {
	const name = "processors"
	if n < 2 {
		return warn(name, "1 processor: switch and workers wait for each other", "give the machine 2 or more")
	}
	return pass(name, strconv.Itoa(n))
}

// checkClocksource knows those that cost a system call and a slow read each.
func checkClocksource(root fs.FS) check {
	const name = "clocksource"
	const dir = "sys/devices/system/clocksource/clocksource0/"
	current, err := fs.ReadFile(root, dir+"current_clocksource")
	source := strings.TrimSpace(string(current))
	switch {
	case err != nil:
		return pass(name, "not told by this kernel")
	case source == "acpi_pm" || source == "hpet" || source == "jiffies" || source == "refined-jiffies":
		available, _ := fs.ReadFile(root, dir+"available_clocksource")
		return warn(name, source+" is slow to read", "choose another of "+strings.Join(strings.Fields(string(available)), ", ")+": echo NAME > /"+dir+"current_clocksource")
	}
	return pass(name, source)
}

// fileLimit returns how many descriptors the process may open. Go has raised
// the soft limit to the hard one at the start.
func fileLimit() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return limit.Max
}

// filesWanted is enough for 512 hosts at 8 descriptors each (assumed).
const filesWanted = 4096

func checkFiles(limit uint64) check {
	const name = "open files"
	if limit < filesWanted {
		return warn(name, fmt.Sprintf("limit of %d: labs of more than about %d nodes do not fit", limit, limit/8), "ulimit -Hn "+strconv.Itoa(filesWanted)+", as root")
	}
	if limit > 1<<31 {
		return pass(name, "no limit")
	}
	return pass(name, fmt.Sprintf("limit of %d", limit))
}

// namespacesWanted is enough for 512 hosts.
const namespacesWanted = 600

func checkNamespaceLimit(root fs.FS) check {
	const name = "namespaces"
	text, err := fs.ReadFile(root, "proc/sys/user/max_net_namespaces")
	limit, convErr := strconv.Atoi(strings.TrimSpace(string(text)))
	fix := fmt.Sprintf("sysctl -w user.max_net_namespaces=%d", 4*namespacesWanted)
	switch {
	case err != nil || convErr != nil:
		return pass(name, "no limit is told by this kernel")
	case limit == 0:
		return fail(name, "user.max_net_namespaces is 0: none may be made", fix)
	case limit < namespacesWanted:
		return warn(name, fmt.Sprintf("user.max_net_namespaces is %d: larger labs do not fit", limit), fix)
	}
	return pass(name, fmt.Sprintf("limit of %d", limit))
}

// checkNamespaceDir looks at the directory of named namespaces, as iproute2 and
// this program make it.
func checkNamespaceDir(root fs.FS) check {
	const name = "/run/netns"
	info, err := fs.Stat(root, strings.TrimPrefix(name, "/"))
	if err != nil {
		return pass(name, "not there yet: the first live run makes it")
	}
	if !info.IsDir() {
		return fail(name, "not a directory", "rm "+name)
	}
	mounts, _ := fs.ReadFile(root, "proc/self/mountinfo")
	for line := range strings.Lines(string(mounts)) {
		// proc_pid_mountinfo(5): the fifth field is where, the seventh and those behind it are optional.
		if f := strings.Fields(line); len(f) > 6 && f[4] == name {
			if strings.Contains(line, " shared:") {
				return pass(name, "a shared mount")
			}
			return pass(name, "a private mount: root's live runs make it shared")
		}
	}
	return pass(name, "a directory: the first live run makes it a shared mount")
}

// checkBridge says that a common cause of lost packets is none here.
func checkBridge(root fs.FS) check {
	const name = "bridge-nf"
	text, err := fs.ReadFile(root, "proc/sys/net/bridge/bridge-nf-call-iptables")
	if err == nil && strings.TrimSpace(string(text)) == "1" {
		return pass(name, "on, but labs have no bridge")
	}
	return pass(name, "off")
}

// checkLabs looks for labs that killed runs left behind, those of root, too.
func checkLabs(rooted bool) check {
	const name = "labs"
	entries, err := journal.List(journal.Config{Rooted: rooted})
	fix := "inalab gc"
	if err == nil && !rooted && journal.Root(true) != journal.Root(false) {
		var ofRoot []journal.Entry
		ofRoot, err = journal.List(journal.Config{Rooted: true})
		if countState(ofRoot, journal.Stale) > 0 {
			fix = "sudo inalab gc"
		}
		entries = append(entries, ofRoot...)
	}
	stale, unknown := countState(entries, journal.Stale), countState(entries, journal.Unknown)
	switch {
	case err != nil:
		return warn(name, err.Error(), "look at "+journal.Root(rooted))
	case stale > 0:
		return warn(name, fmt.Sprintf("%d left behind by killed runs", stale), fix)
	case unknown > 0:
		return warn(name, fmt.Sprintf("%d with a journal that cannot be read", unknown), "inalab gc says which")
	}
	return pass(name, fmt.Sprintf("%d running, none left behind", len(entries)))
}

func countState(entries []journal.Entry, s journal.State) (n int) {
	for _, e := range entries {
		if e.State == s {
			n++
		}
	}
	return n
}
