package ps

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/tensor"
)

// Config describes one host of a job. Worker w is on host w; server s is there
// too, or if servers are dedicated on host Workers+s.
type Config struct {
	Node      string
	Host      int
	Workers   int  // at least 1
	Servers   int  // at least 1; colocated: at most Workers
	Dedicated bool `json:",omitempty"` // servers have hosts of their own
	Cross     bool `json:",omitempty"` // colocated: the shard of a host's own server crosses the network too
	Tensor    int  // elements, at least Servers
	Partition int  `json:",omitempty"` // bytes of a shard that a server takes, adds and answers at once, a multiple of 4; zero: 32 KiB
	Sample    int  `json:",omitempty"` // virtual runs: one element of so many carries a value ([tensor.NewCut]); 0 and 1: all do
	Fixed     gradient.Fixed
	Recorder  gradient.Recorder `json:"-"`
}

// none is the number of a worker or server that a host does not have.
const none = -1

// Hosts returns how many hosts the job has.
func (c Config) Hosts() int {
	if c.Dedicated {
		return c.Workers + c.Servers
	}
	return c.Workers
}

// Values returns how many elements carry values: the length of gradients, sums
// and recorded tensors.
func (c Config) Values() int { return c.cut().Values() }

func (c Config) cut() tensor.Cut { return tensor.NewCut(c.Tensor, c.Servers, c.Sample) }

// worker returns the number of the worker on this host, or none.
func (c Config) worker() int {
	if c.Host < c.Workers {
		return c.Host
	}
	return none
}

// server returns the number of the server on this host, or none.
func (c Config) server() int {
	switch s := c.Host - c.Workers; {
	case c.Dedicated && s >= 0:
		return s
	case !c.Dedicated && c.Host < c.Servers:
		return c.Host
	}
	return none
}

// hostOf returns the host of a server.
func (c Config) hostOf(server int) int {
	if c.Dedicated {
		return c.Workers + server
	}
	return server
}

// local reports whether a worker and a server talk inside their host.
func (c Config) local(worker, server int) bool {
	return !c.Dedicated && !c.Cross && worker == server
}

// Peers returns the streams of the host, by port. Workers open. The stream of a
// host to itself ([Config.Cross]) needs a switch that sends packets back where they
// came from, as a router does.
func (c Config) Peers() (out []stream.Peer) {
	// Number of a worker's end: by server. Of a server's end: behind these, by worker.
	ofWorker := func(server int) uint16 { return stream.Port + uint16(server) }
	ofServer := func(worker int) uint16 { return stream.Port + uint16(c.Servers+worker) }
	for _, s := range c.remoteServers() {
		out = append(out, stream.Peer{Host: c.hostOf(s), Local: ofWorker(s), Remote: ofServer(c.worker())})
	}
	for _, w := range c.remoteWorkers() {
		out = append(out, stream.Peer{Host: w, Local: ofServer(w), Remote: ofWorker(c.server()), Passive: true})
	}
	return out
}

// remoteServers returns the servers that the worker here has streams to.
func (c Config) remoteServers() (out []int) {
	for s := range c.Servers {
		if c.worker() != none && !c.local(c.worker(), s) {
			out = append(out, s)
		}
	}
	return out
}

// remoteWorkers returns the workers that the server here has streams to.
func (c Config) remoteWorkers() (out []int) {
	for w := range c.Workers {
		if c.server() != none && !c.local(w, c.server()) {
			out = append(out, w)
		}
	}
	return out
}

// maxEnds bounds workers and servers together, whose numbers stand for ports.
const maxEnds = 1<<16 - int(stream.Port)

func (c Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Workers < 1 || c.Servers < 1 || c.Workers+c.Servers > maxEnds {
		fault("%d workers and %d servers: there must be one of each, and at most %d together", c.Workers, c.Servers, maxEnds)
	}
	if !c.Dedicated && c.Servers > c.Workers {
		fault("%d servers beside %d workers: a colocated server has the number of its host's worker", c.Servers, c.Workers)
	}
	if c.Dedicated && c.Cross {
		fault("no shard of a dedicated server stays on a host: Cross is for colocated ones")
	}
	if c.Host < 0 || c.Host >= c.Hosts() {
		fault("host %d of %d", c.Host, c.Hosts())
	}
	if c.Tensor < c.Servers || c.Sample < 0 {
		fault("tensor of %d elements, one value of %d: every one of %d servers needs an element", c.Tensor, c.Sample, c.Servers)
	}
	if c.Partition < 0 || c.Partition%4 != 0 {
		fault("partitions of %d bytes: they hold whole elements of 4 bytes", c.Partition)
	}
	return errors.Join(errs...)
}

// sliceBytes is what a server sends on when it has come from all workers, where nobody says.
// Assumed, the same as in package ring.
const sliceBytes = 32 << 10

// slice returns the bytes that a server answers at once.
func (c Config) slice() int { return cmp.Or(c.Partition, sliceBytes) }
