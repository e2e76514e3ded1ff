package netns

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
)

// belongings is what labs could leave behind. Others on this machine make
// namespaces and links too: only those that carry a name of ours are counted.
type belongings struct {
	Namespaces, Mounts, Links, Files, Children []string
	Goroutines                                 int
}

// checkLeaks fails the test if, at its end, there is more than now.
func checkLeaks(t *testing.T, labs ...string) {
	t.Helper()
	before := look(t, labs)
	t.Cleanup(func() {
		deadline := time.Now().Add(5 * time.Second)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			after := look(t, labs)
			after.Goroutines = max(after.Goroutines, before.Goroutines) // of earlier tests, ended since
			diff := cmp.Diff(before, after)
			if diff == "" {
				return
			}
			if time.Now().After(deadline) {
				t.Errorf("left behind (-before +after):\n%s", diff)
				return
			}
			<-tick.C
		}
	})
}

func look(t *testing.T, labs []string) belongings {
	t.Helper()
	ours := func(s string) bool {
		return slices.ContainsFunc(labs, func(lab string) bool {
			return strings.Contains(s, namePrefix+lab+"-") || s == aliasPrefix+lab
		})
	}
	b := belongings{Goroutines: runtime.NumGoroutine(), Files: openFiles(t), Children: children(t)}
	names, _ := filepath.Glob(Dir + "/*")
	for _, n := range names {
		if ours(n) {
			b.Namespaces = append(b.Namespaces, n)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		if ours(line) {
			b.Mounts = append(b.Mounts, line)
		}
	}
	for _, l := range links(t) {
		if ours(l.Attrs().Alias) {
			b.Links = append(b.Links, l.Attrs().Name)
		}
	}
	return b
}

func links(t *testing.T) []netlink.Link {
	t.Helper()
	for range dumpRetries {
		list, err := netlink.LinkList()
		if errors.Is(err, netlink.ErrDumpInterrupted) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	t.Fatal("link dump was interrupted again and again")
	return nil
}

// openFiles lists descriptors, less those that the Go runtime opens when it
// first waits for one.
func openFiles(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && target != "anon_inode:[eventpoll]" && target != "anon_inode:[eventfd]" {
			files = append(files, e.Name()+" "+target)
		}
	}
	return files
}

func children(t *testing.T) []string {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	var pids []string
	for _, f := range tasks {
		text, _ := os.ReadFile(f) // a thread that has ended has no children
		pids = append(pids, strings.Fields(string(text))...)
	}
	slices.Sort(pids)
	return pids
}

// exists reports whether a process runs and is no zombie.
func exists(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(text), ") Z ")
}

// eventually waits for a condition that another process brings about.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); !cond(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("not so after 10 s: %s", what)
		}
	}
}
