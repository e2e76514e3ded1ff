package atp

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
)

// time is one crossing of every packet: up the lines of workers, and as many as are left of them
// up the line of a server, where they are copied. Collisions, resends and how windows grow are
// left out: it is that of a table that all packets in flight fit, or of none. A window too small for
// the round trip waits for parameters.
func (s System) time(j *job.Job, p *placement) units.Duration {
	size := inet.EtherLen + s.packet()
	blocks := (j.Params + wire.Values - 1) / wire.Values
	arrive := 0 // packets at the server that most come to
	for _, at := range p.places {
		arrive = max(arrive, s.copies(j, at)*((blocks+s.servers()-1)/s.servers()))
	}
	latency := units.Duration(0)
	for k, tree := range p.trees {
		levels := units.Duration(1)
		if p.places[k].two {
			levels = 2 // a pipeline has no more
		}
		latency = max(latency, j.Latency(size)+j.Climb(tree, size)+levels*s.Pipe.takes())
	}
	line := j.FrameTime(s.crossing(blocks, arrive)+1, size) + latency
	copied := s.copyRate(j).TimeToSend(units.Bytes(arrive * size))
	window := s.window(j)
	trip := j.FrameTime(2, size) + latency + 2*(j.Host.Latency+j.Host.Frame)
	return max(line, copied, trip*units.Duration((blocks+window-1)/window))
}

// crossing is how many packets cross the busiest line of the hosts one way: blocks of a worker, or what arrives at a
// server. A host with both has both, without what its worker and server send each other.
func (s System) crossing(blocks, arrive int) int {
	if !s.Colocated {
		return max(blocks, arrive)
	}
	elsewhere := blocks - blocks/s.servers()
	return max(blocks, elsewhere+arrive)
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
