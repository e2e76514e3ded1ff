package netns

import (
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Bounds of the wait for programs that the kernel is about to detach, as their process was killed
// just now. Assumed: it does so within milliseconds.
const (
	detachTimeout = time.Second
	detachPoll    = 10 * time.Millisecond
)

// programs returns the XDP programs on the interfaces of namespaces, in their order, which no process of
// the lab has attached: those of the lab went with their processes, since it pins none.
func programs(nodes []place) (list []Program) {
	for limit := time.Now().Add(detachTimeout); ; {
		list = nil
		for _, n := range nodes {
			list = append(list, programsAt(n)...)
		}
		if len(list) == 0 || time.Now().After(limit) {
			return list
		}
		<-time.After(detachPoll)
	}
}

// programsAt returns those of one namespace. What cannot be looked into has none: a lab may have been killed
// before a namespace was bound.
func programsAt(n place) (list []Program) {
	space, err := netns.GetFromPath(n.path)
	if err != nil {
		return nil
	}
	defer space.Close()
	nl, err := netlink.NewHandleAt(space, unix.NETLINK_ROUTE)
	if err != nil {
		return nil
	}
	defer nl.Close()
	links, err := nl.LinkList()
	if err != nil {
		return nil
	}
	for _, link := range links {
		if a := link.Attrs(); a.Xdp != nil && a.Xdp.Attached {
			list = append(list, Program{n.node, a.Name, a.Xdp.ProgId})
		}
	}
	return list
}
