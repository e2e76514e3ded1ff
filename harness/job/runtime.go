package job

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/inalab/inalab/switchd/control"
)

// Runtime is a system whose jobs may be given to a running switch, and taken from it.
// The switch has them laid out by its own system.
type Runtime interface {
	System
	control.Layouter
	// JobOptions returns the options of "inalab switch job add" that are the system's
	// own, all at their defaults.
	JobOptions() RuntimeOptions
}

// RuntimeOptions are options of the command line, and the job that they ask for.
type RuntimeOptions interface {
	// Describe says in a paragraph what a job of the system is, and gives examples of
	// its options.
	Describe() (text string, examples []string)
	// Register adds the options, whose usage need not say whose they are. The command
	// refuses one that another system has, or all jobs.
	Register(*pflag.FlagSet)
	// Request returns the job, which crosses to the switch as JSON for LayOut; given
	// says which options, common ones too, were given.
	Request(common RuntimeRequest, given func(option string) bool) (any, error)
}

// RuntimeRequest is what all jobs on a running switch have.
type RuntimeRequest struct {
	ID      int
	Sources []int  // hosts by number
	PFE     string // that has the whole job; empty: those that it needs
}

// ErrNoSources is returned where a job lacks its sources.
var ErrNoSources = errors.New("the job has no sources")

// Runtimes returns the systems whose jobs come and go, one for each protocol.
func Runtimes(list []System) (out []Runtime) {
	seen := map[string]bool{}
	for _, s := range list {
		if r, ok := s.(Runtime); ok && !seen[r.Protocol()] {
			seen[r.Protocol()] = true
			out = append(out, r)
		}
	}
	return out
}
