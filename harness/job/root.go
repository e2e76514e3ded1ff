package job

import (
	"slices"

	"github.com/inalab/inalab/topo/plan"
)

// Root returns the switch that all workers are nearest to: the one whose furthest
// worker is the least links away. Of several, jobs take one after the other.
func (j *Job) Root() *plan.Switch {
	furthest := make([]int, len(j.Plan.Switches))
	known := map[string]bool{}
	for _, h := range j.Hosts() {
		if known[h.Switch] {
			continue
		}
		known[h.Switch] = true
		sw, _ := j.Plan.Switch(h.Switch)
		for i, d := range linksFrom(j.Plan, sw.Index) {
			furthest[i] = max(furthest[i], d)
		}
	}
	least := slices.Min(furthest)
	var roots []int
	for i, d := range furthest {
		if d == least {
			roots = append(roots, i)
		}
	}
	return &j.Plan.Switches[roots[int(j.ID-DefaultID)%len(roots)]]
}

// linksFrom returns how many links each switch is from one of them.
func linksFrom(p *plan.Plan, from int) []int {
	out := slices.Repeat([]int{-1}, len(p.Switches))
	out[from] = 0
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, port := range p.Switches[queue[0]].Ports {
			if at := port.PeerSwitch; at != plan.None && out[at] < 0 {
				out[at] = out[queue[0]] + 1
				queue = append(queue, at)
			}
		}
	}
	return out
}
