package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/running"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/control"
)

// askPatience bounds a request (assumed): a switch waits a second for its own loop, for each
// of those that ask at a time, and one whose machine is overloaded needs several.
const askPatience = 20 * time.Second

// runningSwitch is a switch of a lab that runs.
type runningSwitch struct {
	lab  journal.Entry
	name string
}

// find returns the switch that the flags mean.
func (f switchFlags) find() (runningSwitch, error) {
	lab, err := findLab(f.lab, byFlag)
	if err != nil {
		return runningSwitch{}, err
	}
	names, err := control.Switches(lab.Dir)
	if errors.Is(err, fs.ErrPermission) {
		return runningSwitch{}, notOurs(lab)
	}
	if err != nil {
		return runningSwitch{}, usage(fmt.Errorf("lab %s has ended: %w", lab.Lab, err))
	}
	name, err := choose(f.node, names, words{
		flag: "--switch", none: fmt.Sprintf("lab %s has no switch that can be asked: it is coming up, or ending", lab.Lab),
		unknown: fmt.Sprintf("lab %s has no switch", lab.Lab), several: fmt.Sprintf("lab %s has %d switches", lab.Lab, len(names)),
	})
	return runningSwitch{lab, name}, err
}

// How a lab is named on a command line.
const (
	byFlag     = "--lab"
	byArgument = "its name as an argument"
)

// findLab returns a lab that runs; without a name, the only one. How says how one is named.
func findLab(name, how string) (journal.Entry, error) {
	labs, err := running.List()
	if err != nil {
		return journal.Entry{}, err
	}
	var names []string
	for _, e := range labs {
		names = append(names, e.Lab)
	}
	name, err = choose(name, names, words{
		flag: how, none: "no lab runs: start one with \"inalab up FILE\", or \"inalab run straggler\" in another terminal",
		unknown: "no lab that runs is called", several: fmt.Sprintf("%d labs run", len(names)),
	})
	if err != nil {
		return journal.Entry{}, err
	}
	return labs[slices.Index(names, name)], nil
}

// words say what is to be chosen.
type words struct{ flag, none, unknown, several string }

// choose returns the name that was given, if it is one of those that there are, or
// the only one.
func choose(given string, names []string, w words) (string, error) {
	switch all := strings.Join(names, ", "); {
	case len(names) == 0:
		return "", usage(errors.New(w.none))
	case given == "" && len(names) == 1:
		return names[0], nil
	case given == "":
		return "", usage(fmt.Errorf("%s: choose one of %s with %s", w.several, all, w.flag))
	case !slices.Contains(names, given):
		return "", usage(fmt.Errorf("%s %q: there are %s%s", w.unknown, given, all, suggest.DidYouMean(given, names)))
	}
	return given, nil
}

// ask sends one request and returns the answer. A switch that is busy has not
// carried it out, and is asked again as long as there is time.
func (s runningSwitch) ask(ctx context.Context, r control.Request) (control.Response, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, askPatience, fmt.Errorf("switch %s did not answer within %v", s.name, askPatience))
	defer cancel()
	return control.Patiently(ctx, func() (control.Response, error) { return s.askOnce(ctx, r) })
}

func (s runningSwitch) askOnce(ctx context.Context, r control.Request) (control.Response, error) {
	c, err := control.Dial(ctx, control.SocketPath(s.lab.Dir, s.name))
	if errors.Is(err, fs.ErrPermission) {
		return control.Response{}, notOurs(s.lab)
	}
	if err != nil {
		return control.Response{}, fmt.Errorf("lab %s, switch %s: %w", s.lab.Lab, s.name, err)
	}
	defer c.Close()
	return c.Do(ctx, r)
}

// notOurs is the error of a lab whose sockets are not for the caller.
func notOurs(lab journal.Entry) error {
	return withCode(exitPreflight, fmt.Errorf("lab %s belongs to uid %d: run this as that user or as root", lab.Lab, lab.Owner.UID))
}
