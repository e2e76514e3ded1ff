package netns

import (
	"fmt"
	"os"
	"runtime"

	"github.com/inalab/inalab/harness/journal"
)

// Options says how labs are made and where their journals are. The zero value
// is right outside tests.
type Options struct {
	// StateDir is the root directory of journals; empty means [journal.Root].
	StateDir string
	// Threads is how many OS threads make namespaces and links; 0 means one a
	// processor, at most 4, since the kernel's rtnl lock serialises most of it.
	Threads int
}

const (
	maxDefaultThreads = 4
	maxThreads        = 64
)

func (o *Options) normalise() error {
	if o.Threads == 0 {
		o.Threads = min(runtime.GOMAXPROCS(0), maxDefaultThreads)
	}
	if o.Threads < 0 || o.Threads > maxThreads {
		return fmt.Errorf("threads %d: use 1 to %d, or 0 for the default", o.Threads, maxThreads)
	}
	return nil
}

// journal returns the configuration of the journal. Inside a user namespace
// the program is not rooted even though it may do everything there.
func (o Options) journal() journal.Config {
	return journal.Config{Root: o.StateDir, Rooted: os.Getenv(envEntered) == "" && CanRoot() == nil}
}
