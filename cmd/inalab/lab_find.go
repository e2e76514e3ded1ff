package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/running"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/topo/linktext"
)

// runningLab is a lab that runs, and what it is made of.
type runningLab struct {
	journal.Entry
	State running.State
}

// findRunning returns the lab of a name, or without one the only lab that runs: its nodes, their
// namespaces and their interfaces. It may be of any kind.
func findRunning(name, how string) (runningLab, error) {
	e, err := findLab(name, how)
	if err != nil {
		return runningLab{}, err
	}
	l := runningLab{Entry: e}
	if l.State, err = running.Read(e.Dir); errors.Is(err, fs.ErrNotExist) {
		return l, usage(fmt.Errorf("lab %s is coming up, or ending: try again", e.Lab))
	}
	return l, err
}

// findUp is findRunning of a lab that is up for programs of the user's own.
func findUp(name, how string) (runningLab, error) {
	l, err := findRunning(name, how)
	if err != nil {
		return l, err
	}
	if l.State.Kind != running.Up {
		return l, usage(fmt.Errorf("lab %s goes with %s, process %d, and takes nothing: bring one up with \"inalab up FILE\"", l.Lab, kindWords[l.State.Kind], l.Owner.PID))
	}
	return l, nil
}

// kindWords say what labs are that are not up.
var kindWords = map[running.Kind]string{running.Run: "a run", running.Serve: "\"inalab switch serve\"", running.Up: "\"inalab up\""}

// node returns a node of the lab.
func (l *runningLab) node(name string) (*running.Node, error) {
	n, ok := l.State.Node(name)
	if !ok {
		names := l.State.Names("")
		hint := suggest.DidYouMean(name, names)
		if hint == "" {
			hint = ": nodes are " + linktext.Few(names)
		}
		return nil, usage(fmt.Errorf("lab %s has no node %q%s", l.Lab, name, hint))
	}
	return n, nil
}
