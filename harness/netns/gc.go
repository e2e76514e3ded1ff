package netns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/inalab/inalab/harness/journal"
)

// killTimeout bounds the wait for the end of a killed process.
const killTimeout = 5 * time.Second

// Report says what a collection did.
type Report struct {
	Collected []Collected     // stale labs, removed
	Kept      []journal.Entry // live labs, and those whose journal cannot be read
}

// Collected is one lab that was removed.
type Collected struct {
	Lab        string
	Owner      journal.Owner
	Processes  int // killed
	Namespaces int // dropped
	Programs   []Program
}

// Program is an XDP program that somebody else put on an interface of a lab. It went with
// the interface; if it is pinned or its process lives it is still loaded.
type Program struct {
	Node, Iface string
	ID          uint32 // in the kernel
}

// place is where the namespace of a node is bound.
type place struct{ node, path string }

// GC removes what labs left behind whose owner has gone: their processes, by
// pid and start time, and their namespaces. Live labs, and whatever no journal
// names, are not touched. It goes on to the end and joins the errors.
func GC(opts Options) (Report, error) {
	var report Report
	entries, err := journal.Collect(opts.journal(), func(e journal.Entry) error {
		c, err := collect(e)
		if err == nil {
			report.Collected = append(report.Collected, c)
		}
		return err
	})
	for _, e := range entries {
		if e.State != journal.Stale {
			report.Kept = append(report.Kept, e)
		}
	}
	return report, err
}

// List returns the labs that have a journal, of the caller or, with root, of all
// users.
func List(opts Options) ([]journal.Entry, error) {
	return journal.List(opts.journal())
}

// Stale returns the labs that [GC] would remove.
func Stale(opts Options) ([]journal.Entry, error) {
	entries, err := List(opts)
	return slices.DeleteFunc(entries, func(e journal.Entry) bool { return e.State != journal.Stale }), err
}

// collect removes one stale lab, last made first.
func collect(e journal.Entry) (Collected, error) {
	c := Collected{Lab: e.Lab, Owner: e.Owner}
	if !e.Survives() {
		return c, nil
	}
	var errs []error
	var paths []string
	var places []place
	for _, r := range slices.Backward(e.Records) {
		switch r.Kind {
		case journal.KindProcess:
			killed, err := killRecorded(r)
			if killed {
				c.Processes++
			}
			errs = append(errs, err)
		case journal.KindNamespace:
			// Without root it was bound in a mount namespace that has gone.
			if !e.Owner.Rooted {
				continue
			}
			if r.Path != Path(e.Lab, r.Node) || !nodeName.MatchString(r.Node) {
				errs = append(errs, fmt.Errorf("journal names %q, which is no namespace of this lab", r.Path))
				continue
			}
			paths, places = append(paths, r.Path), append(places, place{r.Node, r.Path})
		}
	}
	c.Programs = programs(places)
	var err error
	c.Namespaces, err = dropAll(existing(paths))
	return c, errors.Join(append(errs, err)...)
}

func killRecorded(r journal.Record) (bool, error) {
	if r.Process == nil || r.Process.PID <= 1 {
		return false, fmt.Errorf("journal names no process for node %q", r.Node)
	}
	return r.Process.Kill(killTimeout)
}

// existing returns the paths where something is: a collection may have been
// interrupted, and a lab may have been killed before it was whole.
func existing(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		_, err := os.Lstat(path)
		return errors.Is(err, fs.ErrNotExist)
	})
}
