package main

import (
	"fmt"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/netns"
)

// canCapture says why this process may not enter namespaces and open packet sockets.
func canCapture() error { return netns.CanCapture() }

// enter calls a function in the namespace of the node.
func (t target) enter(_ string, f func() error) error {
	return ns.WithNetNSPath(t.space, func(ns.NetNS) error { return f() })
}

// lookAround returns a tap for each Ethernet interface of a node that nothing else is known of.
func lookAround(t target, node string) (out capture.Lab, err error) {
	if err := t.allowed(); err != nil {
		return out, err
	}
	err = t.enter(node, func() error {
		links, err := netlink.LinkList()
		for _, l := range links {
			if l.Type() == "veth" {
				out.Taps = append(out.Taps, capture.Tap{Node: node, Iface: l.Attrs().Name, Engine: node})
			}
		}
		return err
	})
	if err != nil {
		return out, fmt.Errorf("looking for the ports of %s: %w", node, err)
	}
	return out, nil
}
