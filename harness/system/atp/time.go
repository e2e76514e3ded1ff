package atp

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo/plan"
)

// time is one crossing of every packet: up the lines of workers, and as many as are left of them
// up the line of a server, where they are copied. Collisions, resends and how windows grow are
// left out: it is that of a table that all packets in flight fit, or of none. A window too small for
// the round trip waits for parameters.
func (s System) time(j *job.Job, p *placement) units.Duration {
	size := inet.EtherLen + s.packet()
	blocks := (j.Params + wire.Values - 1) / wire.Values
	line, arrive := s.crossing(j, p, blocks)
	latency := units.Duration(0)
	for k, tree := range p.trees {
		levels := units.Duration(1)
		if p.places[k].two {
			levels = 2 // a pipeline has no more
		}
		latency = max(latency, j.Latency(size)+j.Climb(tree, size)+levels*s.Pipe.takes())
	}
	copied := s.copyRate(j).TimeToSend(units.Bytes(arrive * size))
	window := s.window(j)
	trip := j.FrameTime(2, size) + latency + 2*(j.Host.Latency+j.Host.Frame)
	return max(line+latency, copied, trip*units.Duration((blocks+window-1)/window))
}

// crossing returns how long packets cross the line of a host one way, of that where it takes longest, and
// how many come to the server that most come to: those of all blocks cross a worker's line, and what arrives
// there a server's. A host with both has both, without what its worker and server send each other.
func (s System) crossing(j *job.Job, p *placement, blocks int) (longest units.Duration, most int) {
	size := inet.EtherLen + s.packet()
	cross := func(h *plan.Host, packets int) {
		longest = max(longest, job.FrameTimeAt(j.RateOf(h), packets+1, size))
	}
	for _, h := range j.Hosts() {
		cross(&h, blocks)
	}
	for k := range p.servers {
		arrive := s.copies(j, p.places[k]) * ((blocks + s.servers() - 1) / s.servers())
		most = max(most, arrive)
		if s.Colocated {
			cross(&p.servers[k], blocks-blocks/s.servers()+arrive)
			continue
		}
		cross(&p.servers[k], arrive)
	}
	return longest, most
}

// copies is how many packets of a block come to a server.
func (s System) copies(j *job.Job, at *places) int {
	switch {
	case s.aggregators(j) < s.streams()*s.span(j): // not all that is in flight finds one
		if s.Colocated {
			return len(j.Hosts()) - 1
		}
		return len(j.Hosts())
	case at.two, at.deep != nil:
		return 1
	}
	return len(at.sources())
}
