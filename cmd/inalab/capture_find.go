package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/control"
)

// target is what is captured: taps at a node of a lab.
type target struct {
	name     string // as it was given
	lab      journal.Entry
	taps     capture.Lab
	switches []string // control sockets
	space    string   // network namespace of the node; empty: there is no way in
}

// findTarget finds NODE or NODE:PORT in a lab.
func findTarget(lab journal.Entry, name string) (t target, err error) {
	node, port, one := strings.Cut(name, ":")
	if one && port == "" {
		return t, fmt.Errorf("%q names no port behind the colon: write %s for all of them, or one of them", name, node)
	}
	nodes := nodesOf(lab)
	if !slices.Contains(nodes, node) {
		return t, fmt.Errorf("lab %s has no node %q: there are %s%s", lab.Lab, node, strings.Join(nodes, ", "), suggest.DidYouMean(node, nodes))
	}
	t = target{name: name, lab: lab, space: spaceOf(lab, node)}
	all, known, err := capture.ReadLab(lab.Dir)
	if err != nil {
		return t, err
	}
	if !known {
		if all, err = lookAround(t, node); err != nil {
			return t, err
		}
	}
	t.taps = capture.Lab{Sources: all.Sources}
	var ports []string
	for _, tap := range all.Taps {
		if tap.Node != node {
			continue
		}
		ports = append(ports, tap.Iface)
		if !one || port == tap.Iface || port == tap.Port {
			t.taps.Taps = append(t.taps.Taps, tap)
		}
	}
	switch {
	case len(ports) == 0:
		return t, fmt.Errorf("node %s of lab %s has no port to capture at", node, lab.Lab)
	case len(t.taps.Taps) == 0:
		return t, fmt.Errorf("node %s has no port %q: there are %s%s", node, port, strings.Join(ports, ", "), suggest.DidYouMean(port, ports))
	}
	t.switches, err = t.controls()
	return t, err
}

// controls returns the control sockets of the switches at taps. One that is missing, or
// another user's, leaves packets without comments.
func (t target) controls() (out []string, err error) {
	names, err := control.Switches(t.lab.Dir)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("lab %s has ended: %w", t.lab.Lab, err)
	}
	for _, tap := range t.taps.Taps {
		if path := control.SocketPath(t.lab.Dir, tap.Node); slices.Contains(names, tap.Node) && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out, nil
}

// nodesOf lists the nodes of a lab, in the order in which they were made.
func nodesOf(lab journal.Entry) (out []string) {
	for _, r := range lab.Records {
		if r.Kind == journal.KindNamespace && !slices.Contains(out, r.Node) {
			out = append(out, r.Node)
		}
	}
	return out
}

// spaceOf returns where the namespace of a node can be entered: where it is bound or, of a lab
// in a user namespace, by a process in it.
func spaceOf(lab journal.Entry, node string) string {
	for _, r := range lab.Records {
		switch {
		case r.Node != node:
		case r.Kind == journal.KindNamespace && lab.Owner.Rooted:
			return r.Path
		case r.Kind == journal.KindProcess && !lab.Owner.Rooted && r.Process.Alive():
			return fmt.Sprintf("/proc/%d/ns/net", r.Process.PID)
		}
	}
	return ""
}

// gone reports whether the namespace has lost its name, or its process, with the lab.
func (t target) gone() bool {
	_, err := os.Lstat(t.space)
	return err != nil
}

// allowed says why packets cannot be captured here.
func (t target) allowed() error {
	switch err := canCapture(); {
	case err != nil:
		return withCode(exitPreflight, fmt.Errorf("capturing needs root: %w: run sudo inalab capture ..., or capture a run of your own with inalab run --pcap", err))
	case t.space == "":
		return usage(fmt.Errorf("lab %s is in a user namespace, and no process of it is on this node: capture at the switch", t.lab.Lab))
	}
	return nil
}
