package atp

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	wire "github.com/inalab/inalab/internal/wire/atp"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/topo/plan"
)

// places say who has which bits in the packets to one server: whom the second bitmap names, in
// its order.
type places struct {
	list []place
	home *plan.Switch // the server's
	two  bool         // it is the second edge switch, which adds what comes from the places
	deep *ways        // where there are more than two levels: then it says all that the list does
}

// place is a bit of the second bitmap.
type place struct {
	sw      *plan.Switch
	workers []int // by bit of the first bitmap
	direct  bool  // it is one worker behind the server's switch
	local   bool  // it is the worker on the server's host, whose packets no switch sees
}

// placesFor returns those of the packets to a server.
func (s System) placesFor(j *job.Job, to *plan.Host) (*places, error) {
	home, _ := j.Plan.Switch(to.Switch)
	p := &places{home: home}
	racks, local := racksOf(j, to)
	p.two = s.Levels != RackLevel && slices.ContainsFunc(racks, func(r place) bool { return r.sw != home })
	for _, r := range racks {
		switch n := len(r.workers); {
		case !p.two || r.sw != home:
			p.list = append(p.list, r)
			if n > wire.MaxFanIn {
				return nil, fmt.Errorf("%d workers of the job are behind switch %s: a packet of ATP names at most %d of one switch (§3.4): spread them over more racks", n, r.sw.Name, wire.MaxFanIn)
			}
		default:
			for _, w := range r.workers {
				p.list = append(p.list, place{sw: home, workers: []int{w}, direct: true})
			}
		}
	}
	p.list = append(p.list, local...)
	if n := len(p.list); n > wire.MaxFanIn {
		return nil, fmt.Errorf("racks of the job and workers behind %s, the switch of server %s, are %d together: a packet of ATP names at most %d (§3.4): put more workers into the other racks, or the server elsewhere", home.Name, to.Name, n, wire.MaxFanIn)
	}
	return p, nil
}

// racksOf returns the switches of the workers, in the order of their first workers, and aside from them the
// worker on the host of a server.
func racksOf(j *job.Job, server *plan.Host) (out, local []place) {
	for w, h := range j.Hosts() {
		if h.Index == server.Index {
			local = []place{{workers: []int{w}, local: true}}
			continue
		}
		k := slices.IndexFunc(out, func(p place) bool { return p.sw.Name == h.Switch })
		if k < 0 {
			sw, _ := j.Plan.Switch(h.Switch)
			k, out = len(out), append(out, place{sw: sw})
		}
		out[k].workers = append(out[k].workers, w)
	}
	return out, local
}

// server describes the server to a worker.
func (p *places) server(w int) (out host.Server) {
	if p.deep != nil {
		return p.deep.server(w)
	}
	all := len(p.sources())
	for bit, at := range p.list {
		if k := slices.Index(at.workers, w); k >= 0 {
			if at.local {
				all = 1
			}
			out.Bitmaps = [2]uint32{1 << k, 1 << bit}
			out.FanIns = [2]uint8{uint8(len(at.workers)), uint8(all)}
			out.Direct = at.direct
		}
	}
	return out
}

// sources returns the places whose packets pass switches.
func (p *places) sources() []place {
	if n := len(p.list); n > 0 && p.list[n-1].local {
		return p.list[:n-1]
	}
	return p.list
}

// racks describes the workers to the server.
func (p *places) racks() (out []server.Rack) {
	if p.deep != nil {
		return nil
	}
	for bit, at := range p.list {
		out = append(out, server.Rack{Bit: uint8(bit), Direct: at.direct, Local: at.local, Workers: numbers(at.workers)})
	}
	return out
}

// paths describes the workers to the server of a job of more than two levels.
func (p *places) paths() [][]uint8 {
	if p.deep == nil {
		return nil
	}
	return p.deep.down()
}

// numbers returns workers as masks have them: [job.Spec] has fewer than 256.
func numbers(workers []int) (out []uint8) {
	for _, w := range workers {
		out = append(out, uint8(w))
	}
	return out
}
