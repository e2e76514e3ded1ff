package switchml

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/topo/plan"
)

// placement lays a job over the forwarding engines of one switch, for the job of a run
// and for one that is added later. Where workers are at ports of several PFEs, each of
// these aggregates and is one worker of the top one.
type placement struct {
	sw     *plan.Switch
	record program.Job // what all engines have of the job; its parent is that of the top one
	peers  []peer      // at the other ends of the switch's ports
}

// peer is a worker of an engine: a host's, or an engine below.
type peer struct {
	name   string
	engine bool // below: it gets a number that no host has
	program.Worker
}

// part is what one engine does for the job.
type part struct {
	pfe     int
	sources map[uint8]string // who is behind each source
	program.Job
}

// udpBetween is the port of a job between engines.
func udpBetween(id uint8) uint16 { return wire.Port + uint16(id) }

// parts returns the parts of all engines, the top level last. up is the PFE that leads
// on to the parent; negative: the switch is the root.
func (p *placement) parts(up int) (out []part, err error) {
	of := make([][]peer, job.PFEs(p.sw))
	var used []int
	for _, w := range p.peers {
		pfe := max(0, p.sw.Ports[w.Port].PFE)
		if len(of[pfe]) == 0 {
			used = append(used, pfe)
		}
		of[pfe] = append(of[pfe], w)
	}
	top, udp := p.top(used, up), udpBetween(p.record.ID)
	var inside []peer
	for pfe := range of {
		if pfe == top || len(of[pfe]) == 0 {
			continue
		}
		self := insideAddr(pfe)
		leaf, err := p.part(pfe, of[pfe], &program.Parent{MAC: inet.MAC(p.sw.MAC), Addr: p.sw.Router, Port: dataplane.Fabric(top), UDP: udp, Self: self})
		if err != nil {
			return nil, err
		}
		out = append(out, leaf)
		inside = append(inside, peer{name: job.EngineNode(p.sw, pfe), engine: true, Worker: program.Worker{
			MAC: inet.MAC(p.sw.MAC), Addr: self, Port: dataplane.Fabric(pfe), UDP: udp,
		}})
	}
	last, err := p.part(top, of[top], p.record.Parent, inside...)
	return append(out, last), err
}

// top returns the PFE of the upper level.
func (p *placement) top(used []int, up int) int {
	switch {
	case p.sw.Chassis == nil:
		return 0
	case up >= 0:
		return up
	case len(used) == 1:
		return used[0]
	}
	return p.sw.Chassis.Top
}

// insideAddr is the address of a forwarding engine at another of its chassis: of
// the loopback network, which never leaves a node (RFC 1122 §3.2.1.3).
func insideAddr(pfe int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, 0, byte((pfe + 1) >> 8), byte(pfe + 1)})
}

// part is that of one engine. Engines below it come after the hosts, with numbers that
// no host has.
func (p *placement) part(pfe int, peers []peer, above *program.Parent, inside ...peer) (part, error) {
	out := part{pfe: pfe, sources: map[uint8]string{}, Job: p.record}
	out.Parent, out.Workers = above, nil
	for _, w := range peers {
		if w.engine {
			inside = append(inside, w)
		} else {
			out.add(w)
		}
	}
	for i, w := range inside {
		w.ID = uint8(program.MaxWorkers - 1 - i)
		out.add(w)
	}
	if n := len(out.Workers); n > program.MaxWorkers {
		return out, fmt.Errorf("%s would aggregate for %d workers and switches: at most %d are possible; use more levels", job.EngineNode(p.sw, pfe), n, program.MaxWorkers)
	}
	slices.SortStableFunc(out.Workers, func(a, b program.Worker) int { return int(a.ID) - int(b.ID) })
	return out, nil
}

func (p *part) add(w peer) {
	p.sources[w.ID] = w.name
	p.Workers = append(p.Workers, w.Worker)
}
