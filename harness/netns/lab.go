package netns

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/inalab/inalab/harness/journal"
)

// Lab is a lab that is up. Its methods may be called from several goroutines,
// but nothing may use the namespaces once Down was called.
type Lab struct {
	name    string
	journal *journal.Journal  // nil: it is another process's
	dir     string            // of one that is
	nodes   map[string]string // name -> path

	mu    sync.Mutex // guards paths
	paths []string   // what is bound, in the order of creation
}

// Journal returns the journal, where whoever starts a process for the lab
// records it; nil if the lab is another process's.
func (l *Lab) Journal() *journal.Journal { return l.journal }

// Dir returns a private directory that goes with the lab.
func (l *Lab) Dir() string {
	if l.journal == nil {
		return l.dir
	}
	return l.journal.Dir()
}

// Path returns where the node's namespace is bound, for setns(2); empty if the
// lab has no such node.
func (l *Lab) Path(node string) string { return l.nodes[node] }

// Down removes every namespace of the lab, to the end, whatever fails on the
// way, and waits until the kernel has removed the links. Stop the lab's
// processes first: a namespace lives as long as a process is inside, and Down
// says so. If all went well the journal is removed, else it stays for [GC].
// Down of a lab that is down does nothing.
func (l *Lab) Down() error {
	if l.journal == nil {
		return nil
	}
	l.mu.Lock()
	paths := slices.Clone(l.paths)
	slices.Reverse(paths)
	l.paths = nil
	l.mu.Unlock()
	if _, err := dropAll(paths); err != nil {
		return errors.Join(fmt.Errorf("take lab %s down: %w", l.name, err), l.journal.Abandon())
	}
	return l.journal.Release()
}
