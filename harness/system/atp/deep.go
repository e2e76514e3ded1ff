package atp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/atp"
	host "github.com/inalab/inalab/nodes/atp"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/topo/plan"
)

// ways are the fixed ways of a job's packets to one server, where all switches on them aggregate
// (appendix A.2). A switch is one level below the next on its way, and the server's has the last.
type ways struct {
	home   *plan.Switch // the server's
	levels int          // of headers: those of the longest way of the job
	below  [][]source   // by switch: whose packets come there, in the order of bits
	paths  [][]step     // by worker, from its switch up to home
}

// step is a switch on a worker's way, and the bit there of what the worker is behind.
type step struct{ sw, bit int }

// source is what a switch has a bit for: a worker, or a switch one level below.
type source struct {
	node    string
	port    int // by which its packets come
	workers []int
}

// waysTo follows the packets of all workers to a server, or says why they have no fixed ways.
func waysTo(j *job.Job, to *plan.Host) (*ways, error) {
	home, _ := j.Plan.Switch(to.Switch)
	out := &ways{home: home, below: make([][]source, len(j.Plan.Switches))}
	for w, h := range j.Hosts() {
		var path []step // none: no switch sees what a worker has for the server on its host
		if h.Index != to.Index {
			var err error
			if path, err = out.climb(j, w); err != nil {
				return nil, err
			}
		}
		out.paths = append(out.paths, path)
		out.levels = max(out.levels, len(path))
	}
	for i := range out.below {
		if n := len(out.below[i]); n > wire.MaxFanIn {
			return nil, fmt.Errorf("%d switches and workers of the job are behind switch %s: a packet of ATP names at most %d of one switch (§3.4): use a topology of smaller fan-out, or another atp.levels", n, j.Plan.Switches[i].Name, wire.MaxFanIn)
		}
	}
	return out, nil
}

// climb follows the packets of a worker from switch to switch.
func (o *ways) climb(j *job.Job, w int) (path []step, err error) {
	h := &j.Hosts()[w]
	at, _ := j.Plan.Switch(h.Switch)
	from := source{node: h.Name, port: h.SwitchPort}
	for {
		path = append(path, step{at.Index, o.join(at.Index, from, w)})
		if at == o.home {
			return path, nil
		}
		k := slices.IndexFunc(at.Routes, func(r plan.Route) bool { return r.Dst == o.home.Subnet })
		hops := at.Routes[k].Hops
		if len(hops) > 1 {
			return nil, fmt.Errorf("atp.levels=all needs one way of each packet, known ahead (§3.4, A.2), but from %s to %s there are %d of equal cost: use one spine, a tree or multi-rack, or atp.levels=two", at.Name, o.home.Name, len(hops))
		}
		port := &at.Ports[hops[0].Port]
		from = source{node: at.Name, port: port.PeerPort}
		at = &j.Plan.Switches[port.PeerSwitch]
	}
}

// join has a worker be behind a source of a switch, and returns the source's bit.
func (o *ways) join(sw int, from source, w int) (bit int) {
	list := &o.below[sw]
	bit = slices.IndexFunc(*list, func(s source) bool { return s.node == from.node })
	if bit < 0 {
		bit, *list = len(*list), append(*list, from)
	}
	(*list)[bit].workers = append((*list)[bit].workers, w)
	return bit
}

// deepen finds the ways to all servers of a job, if it has more than two levels, as it has where another set-up of it
// does: with fewer there is nothing that two levels lack.
func (p *placement) deepen() error {
	var all []*ways
	for k := range p.servers {
		w, err := waysTo(p.j, &p.servers[k])
		if err != nil {
			return err
		}
		all = append(all, w)
		p.levels = max(p.levels, w.levels)
	}
	switch {
	case p.levels <= 2:
		p.levels = 0
		return nil
	case p.levels > wire.MaxLevels:
		return fmt.Errorf("workers of topology %s are up to %d switches from a server: a packet of ATP has at most %d levels: put the server elsewhere, or use a topology of less depth or another atp.levels", p.j.Plan.Name, p.levels, wire.MaxLevels)
	}
	for _, w := range all {
		w.levels = p.levels
		p.places = append(p.places, &places{home: w.home, deep: w})
	}
	return nil
}

// level returns that of a switch on a way, so many steps from its start.
func (o *ways) level(path []step, i int) int { return o.levels - len(path) + i }

// server describes the server to a worker. Below the level of its switch a worker has the first of one bit, and so
// has at all levels the worker on the server's host.
func (o *ways) server(w int) host.Server {
	path := o.paths[w]
	h := wire.Header{Upper: wire.Upper{Levels: uint8(o.levels), Level: uint8(o.level(path, 0))}}
	if len(path) == 0 {
		h.Upper.Level = uint8(o.levels - 1)
	}
	for level := range o.levels {
		h.SetBitmap(level, 1)
		h.SetFanIn(level, 1)
	}
	for i, s := range path {
		h.SetBitmap(o.level(path, i), 1<<s.bit)
		h.SetFanIn(o.level(path, i), len(o.below[s.sw]))
	}
	return host.Server{Bitmaps: h.Bitmaps, FanIns: h.FanIns, Upper: h.Upper}
}

// down returns the bits of each worker from the server's switch down.
func (o *ways) down() (out [][]uint8) {
	for _, path := range o.paths {
		var bits []uint8
		for _, s := range slices.Backward(path) {
			bits = append(bits, uint8(s.bit))
		}
		out = append(out, bits)
	}
	return out
}

// parts fills in what a switch adds.
func (o *ways) parts(j *job.Job, sw *plan.Switch, out *program.Server) {
	if len(o.below[sw.Index]) == 0 {
		return
	}
	var l program.Level
	for bit, s := range o.below[sw.Index] {
		l.Sources = append(l.Sources, program.Source{Bit: uint8(bit), Ports: []sansio.Port{sansio.Port(s.port)}, Name: s.node, Workers: numbers(s.workers)})
	}
	level := o.levelOf(sw)
	if base := len(out.Levels); level < base {
		out.Levels[level] = l
	} else {
		out.Upper = make([]program.Level, level-base+1)
		out.Upper[level-base] = l
	}
}

// below returns whom the packets of workers come from at a switch: from themselves, or from a switch below, which
// may be another one for another server. Of two levels it returns nil.
func (p *placement) below(sw *plan.Switch) (out map[uint8]string) {
	for _, at := range p.places {
		if at.deep == nil {
			return nil
		}
		if out == nil {
			out = map[uint8]string{}
		}
		for _, s := range at.deep.below[sw.Index] {
			for _, w := range s.workers {
				out[uint8(w)] = either(out[uint8(w)], s.node)
			}
		}
	}
	return out
}

// either adds names to others that are joined by "or".
func either(had, names string) string {
	if had == "" {
		return names
	}
	for _, name := range strings.Split(names, " or ") {
		if !slices.Contains(strings.Split(had, " or "), name) {
			had += " or " + name
		}
	}
	return had
}

// levelOf returns the level of a switch that is on some way.
func (o *ways) levelOf(sw *plan.Switch) int {
	for _, path := range o.paths {
		if i := slices.IndexFunc(path, func(s step) bool { return s.sw == sw.Index }); i >= 0 {
			return o.level(path, i)
		}
	}
	panic("atp: switch " + sw.Name + " has sources, but is on no way")
}
