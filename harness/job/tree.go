package job

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/forward"
	"github.com/inalab/inalab/topo/plan"
)

// Tree is a multicast group that forwarding planes replicate from one host to others, or from a
// switch. It is set up with the lab: there is no IGMP.
type Tree struct {
	Group netip.Addr
	From  int    // host of the plan that sends to the group
	Root  string // switch whose engine sends to the group, in place of a host; empty: a host does
	To    []int  // hosts of the plan that are its members
}

// GroupsOf returns the multicast groups that a host of the plan is a member of.
func (j *Job) GroupsOf(host int) (out []netip.Addr) {
	if j.Layout.Group.IsValid() {
		out = append(out, j.Layout.Group)
	}
	for _, t := range j.Layout.Trees {
		if slices.Contains(j.members(&t), host) {
			out = append(out, t.Group)
		}
	}
	return out
}

// members returns the hosts that a tree leads to: beside those that the system says, where a
// worker may come up later.
func (j *Job) members(t *Tree) []int {
	out := slices.Clone(t.To)
	for _, h := range j.spares {
		if !slices.Contains(out, h.Index) {
			out = append(out, h.Index)
		}
	}
	return out
}

// plant returns the groups of the job's trees, by switch.
func (j *Job) plant() ([][]forward.Group, error) {
	out := make([][]forward.Group, len(j.Plan.Switches))
	for _, t := range j.Layout.Trees {
		root := t.Root
		if root == "" {
			if t.From < 0 || t.From >= len(j.Plan.Hosts) {
				return nil, fmt.Errorf("multicast group %v comes from host %d, but topology %s has hosts 0 to %d", t.Group, t.From, j.Plan.Name, len(j.Plan.Hosts)-1)
			}
			root = j.Plan.Hosts[t.From].Switch
		}
		hops, err := j.Plan.Tree(j.members(&t), root)
		if err != nil {
			return nil, fmt.Errorf("multicast group %v: %w", t.Group, err)
		}
		for _, h := range hops {
			sw, _ := j.Plan.Switch(h.Switch)
			out[sw.Index] = append(out[sw.Index], forward.Group{Addr: t.Group, Ports: portsOf(h)})
		}
	}
	return out, nil
}

// Down returns the ports by which a switch sends to a group of all workers, and to the hosts where
// one may come up later.
func (j *Job) Down(root *plan.Switch) ([]sansio.Port, error) {
	var workers Tree
	for _, h := range j.Hosts() {
		workers.To = append(workers.To, h.Index)
	}
	hops, err := j.Plan.Tree(j.members(&workers), root.Name)
	if err != nil {
		return nil, err
	}
	return portsOf(hops[0]), nil
}

// portsOf returns the ports by which a switch replicates.
func portsOf(h plan.TreeHop) []sansio.Port {
	out := make([]sansio.Port, len(h.Ports))
	for i, p := range h.Ports {
		out[i] = sansio.Port(p)
	}
	return out
}

// groups returns the multicast groups that a switch forwards, of all jobs.
func (s *Set) groups(sw int) (out []forward.Group) {
	for _, j := range s.Jobs {
		out = append(out, j.groups[sw]...)
	}
	return out
}

// groups returns all multicast groups of a layout.
func (l *Layout) groups() (out []netip.Addr) {
	if l.Group.IsValid() {
		out = append(out, l.Group)
	}
	for _, t := range l.Trees {
		out = append(out, t.Group)
	}
	return out
}
