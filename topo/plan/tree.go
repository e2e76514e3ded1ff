package plan

import (
	"fmt"
	"slices"
)

// TreeHop is what one switch does with a frame of a multicast tree.
type TreeHop struct {
	Switch string
	In     int   // port by which the frame comes; None at the root
	Ports  []int // by which it leaves, ascending
}

// Tree returns the multicast tree that starts at the switch root and reaches
// each of the hosts, given by index, exactly once. Switches come in the order
// in which a frame reaches them, root first; those with nobody to serve are
// left out. Paths are shortest, and of equal ones the first in the order of
// ports is taken, so that branches share links. Read backwards, from Ports to
// In, it is the tree by which results of the hosts come together at the root.
//
// A host that is itself a source gets its copy too: the papers' results go to
// all workers.
func (p *Plan) Tree(hosts []int, root string) ([]TreeHop, error) {
	sw, ok := p.Switch(root)
	if !ok {
		return nil, fmt.Errorf("plan multicast tree: unknown switch %q", root)
	}
	walk := walkFrom(fabricEdges(p.Switches), sw.Index)
	out := make([][]int, len(p.Switches)) // by switch: ports that somebody needs, perhaps twice
	for _, h := range hosts {
		if h < 0 || h >= len(p.Hosts) {
			return nil, fmt.Errorf("plan multicast tree: host index %d: must be 0..%d", h, len(p.Hosts)-1)
		}
		at, _ := p.Switch(p.Hosts[h].Switch)
		graft(out, walk, at.Index, p.Hosts[h].SwitchPort)
	}
	return p.hopsOf(out, walk), nil
}

// walk is a breadth-first walk over all switches.
type walk struct {
	order []int // switches, nearest first
	via   []branch
}

// branch says how the walk came to a switch.
type branch struct {
	parent  int // None at the root
	outPort int // of the parent; None at the root
	inPort  int // of this switch; None at the root
}

func walkFrom(edges [][]edge, root int) walk {
	w := walk{order: []int{root}, via: make([]branch, len(edges))}
	seen := make([]bool, len(edges))
	seen[root] = true
	w.via[root] = branch{parent: None, outPort: None, inPort: None}
	for i := 0; i < len(w.order); i++ {
		at := w.order[i]
		for _, e := range edges[at] {
			if !seen[e.peer] {
				seen[e.peer] = true
				w.via[e.peer] = branch{parent: at, outPort: e.hop.Port, inPort: e.peerPort}
				w.order = append(w.order, e.peer)
			}
		}
	}
	return w
}

// graft adds the port of a switch to the tree, and the path from the root to
// it as far as no other branch has added it.
func graft(out [][]int, w walk, sw, port int) {
	for sw != None {
		grown := len(out[sw]) > 0
		out[sw] = append(out[sw], port)
		if grown {
			return
		}
		sw, port = w.via[sw].parent, w.via[sw].outPort
	}
}

func (p *Plan) hopsOf(out [][]int, w walk) []TreeHop {
	var hops []TreeHop
	for _, i := range w.order {
		if len(out[i]) == 0 {
			continue
		}
		slices.Sort(out[i])
		ports := slices.Compact(out[i]) // a host may be named twice
		hops = append(hops, TreeHop{Switch: p.Switches[i].Name, In: w.via[i].inPort, Ports: ports})
	}
	return hops
}
