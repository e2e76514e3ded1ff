package ring

import (
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/streams"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/ring"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/topo"
)

// neighbour is the way of a chunk from a worker to the next.
type neighbour struct {
	line  units.Duration // the chunk on the worker's own line
	slice units.Duration // until the next worker has what it sends on first
	chunk units.Duration // until it has all
}

// time is that of an all-reduce in whole frames, acknowledgements left out: a switch sends a frame on when it has all
// of it, and a worker sends a chunk on when it has a slice.
func (r System) time(j *job.Job) units.Duration {
	hosts := j.Hosts()
	n := len(hosts)
	next := make([]neighbour, n)
	bytes := host.MessageBytes(j.Params, n)
	for i := range hosts {
		next[i] = nextOf(j, r.Transport, j.Way(&hosts[i], &hosts[(i+1)%n]), bytes)
	}
	return follow(next)
}

// nextOf is the way of a chunk of so many bytes.
func nextOf(j *job.Job, t stream.Transport, way []topo.LinkSpec, bytes int) neighbour {
	f := streams.FramingOf(j, t)
	return neighbour{
		line:  f.Pass(way[:1], bytes, bytes) - way[0].Delay,
		slice: f.Pass(way, bytes, min(bytes, host.SliceBytes)),
		chunk: f.Pass(way, bytes, bytes),
	}
}

// turns is how many all-reduces are followed: ways of unequal length have workers begin later than others, until all
// take the same time (assumed: six workers on two leaves take three).
const turns = 6

// follow is what an all-reduce takes of several in a row.
func follow(next []neighbour) units.Duration {
	begins := make([]units.Duration, len(next))
	first := slices.Max(reduce(next, begins))
	for range turns - 1 {
		reduce(next, begins)
	}
	return (slices.Max(begins) - first) / (turns - 1)
}

// reduce has workers that begin at given times go through all steps, and returns when each is done, in the same memory. A
// worker begins with a step when its line is free, and it has the first slice of the step before.
func reduce(next []neighbour, begins []units.Duration) []units.Duration {
	n := len(next)
	before := make([]units.Duration, n)
	for range 2*(n-1) - 1 {
		copy(before, begins)
		for i := range begins {
			prev := (i + n - 1) % n
			begins[i] = max(before[i]+next[i].line, before[prev]+next[prev].slice)
		}
	}
	copy(before, begins)
	for i := range begins {
		prev := (i + n - 1) % n
		begins[i] = max(before[i], before[prev]+next[prev].chunk)
	}
	return begins
}
