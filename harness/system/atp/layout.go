package atp

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/nodes/gradient"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/topo/plan"
)

// packet is the bytes of an IP packet.
func (s System) packet() int { return inet.IPv4Len + inet.UDPLen + wire.DeepPayloadLen(s.deep) }

// port is the UDP port of packets.
func (s System) port() uint16 { return wire.PortOf(s.deep) }

// Layout lays the system over the hosts and switches of a job.
func (s System) Layout(j *job.Job) (job.Layout, error) {
	if err := s.check(j); err != nil {
		return job.Layout{}, err
	}
	up, err := s.setUps(j)
	if err != nil {
		return job.Layout{}, err
	}
	p := up[0].placement
	s.deep = p.levels
	programs, err := up.programs(program.Config{Aggregators: s.aggregators(j), Age: s.Age})
	if err != nil {
		return job.Layout{}, err
	}
	pipe, notes := s.Pipe.choose(j, programs, s.deep)
	pipe.put(j, programs)
	s.Pipe = pipe
	l := job.Layout{
		Programs: programs, Engines: up.engines(), Trees: up.trees(), ECN: true,
		Port: s.port(), ServerPort: s.port(), Packet: s.packet(), Window: s.streams() * s.span(j),
		Time: s.time(j, p), Block: wire.Values, Saturates: true, Uneven: s.aggregators(j) > 0, Timeout: s.timeout(j), TimeoutRule: s.timeoutRule(j), Notes: append(notes, s.notes(j)...),
	}
	for w := range j.Hosts() {
		l.Cores = append(l.Cores, s.core(j, up, w))
	}
	s.staff(j, up, &l)
	l.Again = s.again(j, up)
	return l, nil
}

// check says why a job cannot be laid out.
func (s System) check(j *job.Job) error {
	if err := s.checkColocated(j); err != nil {
		return err
	}
	if need := s.Servers(len(j.Hosts())); j.Servers != need {
		has := fmt.Sprintf("topology %s has", j.Plan.Name)
		if j.On != nil {
			has = "those that are named are"
		}
		return fmt.Errorf("atp needs %d hosts for parameter servers behind the workers, but %s %d: set atp.server-count, give it as many hosts, or set atp.servers=colocated, which needs none", need, has, j.Servers)
	}
	if err := s.checkMoves(); err != nil {
		return err
	}
	if s.Copy > 0 && !j.Virtual {
		return errors.New("atp.copy is modelled under the virtual clock only: live servers copy as fast as they can: use --clock virtual, or atp.copy=none")
	}
	if s.Ring > 0 && s.Copy == 0 {
		return errors.New("atp.ring is of frames that wait to be copied: set atp.copy too, as in 60Gbit/s")
	}
	if err := s.checkParts(j); err != nil {
		return err
	}
	if err := s.checkStreams(j); err != nil {
		return err
	}
	n := s.numbers()[0].Size
	if need := max(4*s.span(j), 2*s.aggregators(j)+2); int(n) < need {
		return fmt.Errorf("%d threads to %d servers leave each of their streams %d sequence numbers, and %d packets in flight with %d aggregators need %d: set fewer of atp.threads, atp.server-count or atp.span", s.threads(), s.servers(), n, s.span(j), s.aggregators(j), need)
	}
	return nil
}

// checkMoves says why indexes cannot move as they are to.
func (s System) checkMoves() error {
	switch {
	case s.ByPlace && s.Indexing != host.ByPosition:
		return errors.New("atp.moves=place is for places of windows, which have indexes with atp.indexing=position alone: use that, or atp.moves=index")
	case s.Rehash == server.Recycle && !s.ByPlace:
		return errors.New("atp.rehash=recycle gives an index that packets left to others, but with atp.moves=index its packets go elsewhere for ever: use atp.moves=place")
	}
	return nil
}

// checkParts says why a job has no part of a table that is divided.
func (s System) checkParts(j *job.Job) error {
	if s.Indexing != host.Static {
		return nil
	}
	if k, n := s.partOf(j), s.parts(); k < 0 || k >= n {
		return fmt.Errorf("job %d has no part of a table of %d: set atp.parts to as many as there are jobs, whose ids are %d and up", j.ID, n, job.DefaultID)
	}
	if s.part(j) < s.streams() {
		return fmt.Errorf("%d aggregators divided by %d leave a job of %d streams too few: a stream needs one at least: set more atp.aggregators, or another atp.indexing", s.aggregators(j), s.parts(), s.streams())
	}
	return nil
}

// partOf returns which part of the table a job has.
func (System) partOf(j *job.Job) int { return int(j.ID) - job.DefaultID }

// numbers are the sequence numbers of the streams.
func (s System) numbers() []wire.Numbers {
	return wire.Split(cmp.Or(s.SequenceBits, wire.SequenceBits), s.streams())
}

// groupOf returns the multicast group of a server's parameter packets.
func groupOf(j *job.Job, k int) netip.Addr { return plan.Group(uint16(k)<<8 | uint16(j.ID)) }

// groups are those of parameter packets, by server.
func (p *placement) groups() (out []job.Tree) {
	for k := range p.servers {
		h := &p.servers[k]
		out = append(out, job.Tree{Group: groupOf(p.j, k), From: h.Index, To: receivers(p.j, h)})
	}
	return out
}

// Numbers tells iterations and blocks from the sequence numbers of a job.
func (s System) Numbers(j *job.Job) job.Numbers {
	up, err := s.setUps(j)
	if err != nil { // the job was laid out
		return nil
	}
	s.deep = up[0].levels
	return host.NewNaming(s.core(j, up, 0), j.Iterations)
}

// core describes a worker.
func (s System) core(j *job.Job, up setUps, w int) host.Config {
	h := &j.Hosts()[w]
	c := host.Config{
		Node: h.Name, Worker: w, Workers: len(j.Hosts()), Job: j.ID, Tensor: j.Params,
		Indexing: s.Indexing, Aggregators: s.aggregators(j), Aligned: s.Aligned, ByPlace: s.ByPlace,
		Threads: s.Threads, Window: s.window(j), Span: s.span(j), LeastWindow: s.LeastWindow, Fixed: s.Fixed,
		Doubling: s.Doubling, Avoidance: s.Avoidance, EachMark: s.EachMark, Resend: s.Resend, Alone: s.ExpectedOnly, Keep: s.Keep, Timeout: s.timeout(j),
		SequenceBits: s.SequenceBits, Age: s.Age, Integers: j.Elements > 0, Scaling: gradient.Fixed{Factor: float64(s.Factor)}, Sample: j.Sample,
	}
	if s.Indexing == host.Static {
		c.Part = s.part(j)
		c.Base = s.partOf(j) * c.Part
	}
	if j.Scale > 1 { // as many pieces as at full scale
		c.Cut = max(wire.Values, host.DefaultTensor/j.Scale)
	}
	c.Servers = up[0].toServers(w)
	for _, next := range up[1:] {
		c.Setups = append(c.Setups, host.Setup{Job: next.j.ID, Servers: next.toServers(w)})
	}
	return c
}

// server describes a server.
func (s System) server(j *job.Job, up setUps, k int) server.Config {
	p := up[0].placement
	h := &p.servers[k]
	c := server.Config{
		Node: serverName(j, h), Workers: len(j.Hosts()), Job: j.ID, Flow: job.FromHost(h, groupOf(j, k), s.port()),
		Span: s.span(j), Racks: p.places[k].racks(), Levels: p.levels, Paths: p.places[k].paths(),
		Rehash: s.Rehash, ByPlace: s.ByPlace, Aggregators: s.aggregators(j),
		Superset: s.Superset, Copy: s.copyRate(j), Ring: s.ring(j),
	}
	c.From = up.addresses()
	for _, next := range up[1:] {
		at := next.places[k]
		c.Setups = append(c.Setups, server.Setup{Job: next.j.ID, Group: groupOf(next.j, k), Racks: at.racks(), Paths: at.paths()})
	}
	if s.Indexing == host.ByPosition {
		c.Places = s.streams() * s.span(j)
	}
	for t, n := range s.numbers() {
		if t%s.servers() == k {
			c.Streams = append(c.Streams, n)
		}
	}
	return c
}

// copyRate is that of a server at the scale of a job.
func (s System) copyRate(j *job.Job) units.Rate {
	if s.Copy == 0 {
		return 0
	}
	return max(1, s.Copy/units.Rate(j.Scale))
}

// ring is the bytes of frames that wait to be copied.
func (s System) ring(j *job.Job) int {
	if s.Ring == 0 {
		return 0
	}
	return s.scaled(j, s.Ring) * (inet.EtherLen + s.packet())
}

// notes says what is larger than its share by the scale.
func (s System) notes(j *job.Job) (out []string) {
	if s.Unscaled && j.Scale > 1 {
		out = append(out, fmt.Sprintf("window, span and table of aggregators as they are, not divided by %d: they hide the round-trip time, which does not shrink with link rates", j.Scale))
	}
	full := s
	full.Unscaled = true
	for _, n := range []struct {
		what      string
		here, all int
	}{
		{"window", s.window(j), full.window(j)}, {"table of aggregators", s.aggregators(j), full.aggregators(j)},
	} {
		if !s.Unscaled && n.here*j.Scale > n.all+j.Scale-1 {
			out = append(out, fmt.Sprintf("%s of %d where %d divided by %d is %d: it hides the round-trip time, which does not shrink with link rates", n.what, n.here, n.all, j.Scale, (n.all+j.Scale-1)/j.Scale))
		}
	}
	switch {
	case s.deep > 0:
		out = append(out, fmt.Sprintf("frames of %d bytes in place of %d: the header has %d levels, whose fields are named (A.2) and laid out here", inet.EtherLen+s.packet(), inet.EtherLen+System{}.packet(), s.deep))
	case s.Levels == AllLevels:
		out = append(out, "two levels: no packet has more than two switches on its way to a server")
	}
	if d := s.inFlight(j); j.Virtual && s.Timeout == 0 && d > host.DefaultTimeout {
		out = append(out, fmt.Sprintf("timeout of %v in place of %v: so long take the packets that workers may have in flight on the line of a server", d, host.DefaultTimeout))
	}
	return out
}
