package tcpagg

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/tensor"
)

// Config describes one host of a job: a worker, if its number is below Workers, else a server, the
// last of which is the PS.
type Config struct {
	Node     string
	Host     int
	Workers  int               // at least 1
	Parents  []int             // of each host; -1 of the PS
	Direct   bool              `json:",omitempty"` // sums go from the PS to each worker by a stream of its own
	Tensor   int               // elements, at least 1
	Sample   int               `json:",omitempty"` // virtual runs: one element of so many carries a value ([tensor.NewCut]); 0 and 1: all do
	Fixed    gradient.Fixed    // zero: the factor 1e8, which XAgg uses (§IV-A)
	Recorder gradient.Recorder `json:"-"`
}

// none is the parent of the PS.
const none = -1

// Values returns how many elements carry values: the length of gradients, sums and recorded tensors.
func (c Config) Values() int { return c.cut().Values() }

func (c Config) cut() tensor.Cut { return tensor.NewCut(c.Tensor, 1, c.Sample) }

// part is the whole tensor.
func (c Config) part() tensor.Part { return c.cut().Part(0, 1) }

func (c Config) ps() int { return len(c.Parents) - 1 }

// children returns the hosts whose parent a host is.
func (c Config) children(host int) (out []int) {
	for h, p := range c.Parents {
		if p == host {
			out = append(out, h)
		}
	}
	return out
}

// distant returns the workers that have a stream to the PS beside that to their parent.
func (c Config) distant() (out []int) {
	for w := range c.Workers {
		if c.Direct && c.Parents[w] != c.ps() {
			out = append(out, w)
		}
	}
	return out
}

// Numbers of ends of streams: of the end at the child, of a worker's end of a stream to the PS, and
// of an end at a parent or at the PS, by the host at the other end.
const (
	upPort     = stream.Port
	directPort = stream.Port + 1
)

func downPort(host int) uint16 { return stream.Port + 2 + uint16(host) }

// Peers returns the streams of the host, by port. The end that is further from the PS opens.
func (c Config) Peers() (out []stream.Peer) {
	up := func(to int, local uint16) {
		out = append(out, stream.Peer{Host: to, Local: local, Remote: downPort(c.Host)})
	}
	down := func(to int, remote uint16) {
		out = append(out, stream.Peer{Host: to, Local: downPort(to), Remote: remote, Passive: true})
	}
	if p := c.Parents[c.Host]; p != none {
		up(p, upPort)
	}
	for _, h := range c.children(c.Host) {
		down(h, upPort)
	}
	for _, w := range c.distant() {
		switch c.Host {
		case w:
			up(c.ps(), directPort)
		case c.ps():
			down(w, directPort)
		}
	}
	return out
}

// Busiest returns how many times a tensor crosses the busiest link of a host in one direction, in an
// all-reduce.
func (c Config) Busiest() int {
	most := 1
	for h := range c.ps() + 1 {
		most = max(most, c.Crossings(h))
	}
	return most
}

// Crossings returns how many times a tensor crosses the link of a host in the direction in which it does so
// more often, in an all-reduce.
func (c Config) Crossings(host int) int {
	in := len(c.children(host))
	switch {
	case host < c.Workers:
		return 1
	case host == c.ps() && c.Direct:
		return max(in, c.Workers)
	case host == c.ps():
		return in
	case c.Direct:
		return max(in, 1)
	}
	return in + 1 // to the parent and the children, and from both
}

// maxHosts bounds hosts, whose numbers stand for ports.
const maxHosts = 1<<16 - int(stream.Port) - 2

func (c Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Tensor < 1 || c.Sample < 0 {
		fault("tensor of %d elements, one value of %d: there must be an element, and no negative share", c.Tensor, c.Sample)
	}
	hosts := len(c.Parents)
	if c.Workers < 1 || c.Workers >= hosts || hosts > maxHosts {
		fault("%d workers of %d hosts: there must be a worker and a PS, and at most %d hosts", c.Workers, hosts, maxHosts)
		return errors.Join(errs...)
	}
	if c.Host < 0 || c.Host >= hosts {
		fault("host %d of %d", c.Host, hosts)
	}
	for h, p := range c.Parents {
		switch {
		case h == c.ps() && p != none:
			fault("host %d, the last one, is the PS, and has parent %d: it must be %d", h, p, none)
		case h != c.ps() && (p < c.Workers || p >= hosts || p == h):
			fault("host %d has parent %d: it must be another of the servers, %d to %d", h, p, c.Workers, c.ps())
		case h >= c.Workers && len(c.children(h)) == 0:
			fault("server %d has no children: leave it out", h)
		}
	}
	if errs == nil {
		errs = append(errs, c.circles())
	}
	return errors.Join(errs...)
}

// circles says which hosts do not reach the PS.
func (c Config) circles() error {
	for h := range c.Parents {
		at := h
		for range c.Parents {
			if at != c.ps() {
				at = c.Parents[at]
			}
		}
		if at != c.ps() {
			return fmt.Errorf("parents of host %d do not reach the PS: they form a circle", h)
		}
	}
	return nil
}

// sliceBytes is what a server sends on when it has come from all children. Assumed: about a jumbo
// frame, so that a slice waits little at each level of the tree.
const sliceBytes = 8 << 10

// Kinds of messages.
const (
	kindUp = iota
	kindDown
)
