package live

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"

	"github.com/inalab/inalab/harness/netns"
)

// belongings is what a run could leave behind. Others on this machine make
// namespaces and links too: only those that carry a lab's name are counted.
type belongings struct {
	Namespaces, Links, Files, Children []string
	Goroutines                         int
}

// checkLeaks fails the test if, at its end, there is more than now.
func checkLeaks(t *testing.T, labs ...string) {
	t.Helper()
	before := look(t, labs)
	t.Cleanup(func() {
		deadline := time.NewTimer(5 * time.Second)
		defer deadline.Stop()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			after := look(t, labs)
			after.Goroutines = max(after.Goroutines, before.Goroutines) // of earlier tests, ended since
			diff := cmp.Diff(before, after)
			if diff == "" {
				return
			}
			select {
			case <-tick.C:
			case <-deadline.C:
				t.Errorf("left behind (-before +after):\n%s", diff)
				return
			}
		}
	})
}

func look(t *testing.T, labs []string) belongings {
	t.Helper()
	b := belongings{Goroutines: runtime.NumGoroutine(), Files: openFiles(t), Children: children(t)}
	links, err := netlink.LinkList()
	for range 10 { // an interrupted dump is taken again
		if err == nil {
			break
		}
		links, err = netlink.LinkList()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, lab := range labs {
		names, err := filepath.Glob(netns.Path(lab, "*"))
		if err != nil {
			t.Fatal(err)
		}
		b.Namespaces = append(b.Namespaces, names...)
		for _, l := range links {
			if l.Attrs().Alias == "inalab:"+lab {
				b.Links = append(b.Links, l.Attrs().Name)
			}
		}
	}
	return b
}

// openFiles lists descriptors, less those that the Go runtime opens when it
// first waits for one.
func openFiles(t *testing.T) (files []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && target != "anon_inode:[eventpoll]" && target != "anon_inode:[eventfd]" {
			files = append(files, e.Name()+" "+target)
		}
	}
	return files
}

func children(t *testing.T) (pids []string) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tasks {
		text, _ := os.ReadFile(f) // a thread that has ended has no children
		pids = append(pids, strings.Fields(string(text))...)
	}
	slices.Sort(pids)
	return pids
}
