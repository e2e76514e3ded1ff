package xaggd

import (
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	"github.com/inalab/inalab/nodes/xagg/groups"
	"github.com/inalab/inalab/nodes/xagg/rates"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// Defaults of what the paper does not say.
const (
	// DefaultPoll is how often an agent looks into the check queue (assumed).
	DefaultPoll = 1 * units.Millisecond
	// DefaultBurst is the time whose packets leave together: timers of hosts are no finer (assumed).
	DefaultBurst = 100 * units.Microsecond
	// settlePolls is how often check queues are looked into before a worker asks for results: a gradient
	// that was lost above is asked for and sent again meanwhile, so that not all workers ask for its
	// result (assumed).
	settlePolls = 2
	// DefaultLossPeriod is the statistical period of §IV-C (assumed).
	DefaultLossPeriod = 100 * units.Millisecond
	// DefaultAgents is the send agents of a worker: the paper has "multiple processes" (assumed).
	DefaultAgents = 4
	// MaxAgents bounds the send agents of a worker (assumed).
	MaxAgents = 64
)

// Peer is a host of the job, as it is sent to.
type Peer struct {
	Node string     `json:",omitempty"` // its name, for messages to users
	ID   uint32     // host id, one bit (XAgg §IV-A)
	MAC  inet.MAC   // of the next hop towards it
	Addr netip.Addr // IPv4
}

// Child is a host below in the tree, with all hosts below that one.
type Child struct {
	Peer
	Below uint32 `json:",omitempty"` // host ids of all below it; 0: a worker
	Since uint16 `json:",omitempty"` // version of the tree that made the edge; 0: Common.Tree
}

// Common is what all agents are told.
type Common struct {
	Node string     // name, of events
	ID   uint32     // own host id, one bit
	MAC  inet.MAC   // own
	Addr netip.Addr // own, IPv4
	Port sansio.Port
	Root Peer // the PS; of the root itself not used

	Job            uint16
	FirstIteration uint16 `json:",omitempty"` // on the wire, of generation 0; it wraps (for tests)
	Values         int    // of each packet; 0: wire.Values, the paper's 256
	Fragments      uint32 // packets of a gradient, N of Algorithm 1
	Tree           uint16 // version that made the edges; 0: 1

	Ingress, Egress units.Rate // idle bandwidth of the link, for inequality (1): bit/s of frames with framing. Egress 0 of the root bounds nothing

	Gradients, Results groups.Config  // groups on the way up and down. Packets and Group need not be given; Results.Settle 0 is two of Poll
	Resend             units.Duration `json:",omitempty"` // of rate messages; 0: rates.DefaultResend
	LossShare          float64        `json:",omitempty"` // 0: rates.DefaultLossShare
	LossPeriod         units.Duration `json:",omitempty"` // 0: DefaultLossPeriod
	Floor              units.Rate     `json:",omitempty"` // of a rate that was cut; 0: rates.DefaultFloor
	Initial, Update    rates.Delays   // what negotiation takes beside the messages; zero: nothing
	Poll               units.Duration `json:",omitempty"` // 0: DefaultPoll
	Burst              units.Duration `json:",omitempty"` // 0: DefaultBurst
	Checks             int            `json:",omitempty"` // entries of the store's check queue; 0: xagg.DefaultChecks

	Trace trace.Sink `json:"-"`
}

// WorkerConfig describes a worker of a job.
type WorkerConfig struct {
	Common
	Worker, Workers int
	Tensor          int            // elements of a gradient; Fragments follows from it
	Agents          int            `json:",omitempty"` // send agents, each with a part of the gradient; 0: DefaultAgents
	Parent          Peer           // the node above
	Hosts           []Peer         `json:",omitempty"` // that may become its parent, as it sends to them; others as the order has them
	Measure         bool           `json:",omitempty"` // the root is told t1 and t2 of generation 0 (XAgg §V)
	Start           units.Duration // of the training, from which t1 counts: since the epoch of the run
	Group           netip.Addr     // IPv4 multicast group of results

	Scaling  gradient.Fixed    // 0: 1e8 (XAgg §IV-A)
	Integers bool              `json:",omitempty"` // the tensor is int32 already
	Sample   gradient.Sampling // of a run that carries unstored values in the other packets
	Recorder gradient.Recorder `json:"-"`
}

// ServerConfig describes an aggregating server, which may begin outside the tree.
type ServerConfig struct {
	Common
	Parent   Peer
	Children []Child
	Hosts    []Peer         `json:",omitempty"` // that may become neighbours, if the tree changes
	Load     xaggctl.Load   `json:",omitzero"`  // to report until [Server.SetLoad] says another one
	Reports  units.Duration `json:",omitempty"` // between reports of load to the root; 0: none
	Spare    bool           `json:",omitempty"` // it begins outside the tree, without Parent and Children, and waits for a [Place]
}

// RootConfig describes the parameter server.
type RootConfig struct {
	Common
	Children []Child
	Hosts    []Peer `json:",omitempty"` // that may become children, if the tree changes; those of Conductor need not be given
	// Conductor decides on the tree, and Children are those before its first orders. nil: the tree stays.
	Conductor *conductor.Config `json:",omitempty"`
	// Iterations of the job: after so many nothing opens, and the management plane rests, so that servers may
	// end. 0: nobody knows.
	Iterations int `json:",omitempty"`
	// ResultRate is that of results that are sent again: as much as the slowest link to a worker carries.
	// 0: Egress, or Ingress where that is 0, too.
	ResultRate units.Rate `json:",omitempty"`
	Workers    []Peer     // of the job, for results
	Group      netip.Addr // IPv4 multicast group of results
	GroupMAC   inet.MAC   // zero: that which follows from Group (RFC 1112)
}

// Store returns the configuration of the worker's store, before the first iteration.
func (c WorkerConfig) Store() xagg.Config {
	c.resolve()
	s := c.Common.store()
	s.Parent, s.Group = c.Root.ID, c.Group
	return s
}

// Store returns the configuration of the server's store, before the first iteration.
func (c ServerConfig) Store() xagg.Config {
	c.resolve()
	s := c.Common.store()
	s.Children, s.Up = storeChildren(c.Children), c.Parent.next()
	if c.Spare {
		s.Children = storeChildren([]Child{{Peer: c.Root}}) // which sends no gradients: a store keeps elements only if it begins with a child
	}
	return s
}

// Store returns the configuration of the root's store, before the first iteration.
func (c RootConfig) Store() xagg.Config {
	c.resolve()
	s := c.Common.store()
	s.Children, s.Down = storeChildren(c.Children), xagg.Next{MAC: c.GroupMAC, Addr: c.Group}
	return s
}

func (p *Peer) next() xagg.Next { return xagg.Next{MAC: p.MAC, Addr: p.Addr} }

// store returns what the stores of all agents have.
func (c *Common) store() xagg.Config {
	return xagg.Config{
		Values: c.Values, Fragments: c.Fragments, Job: c.Job, Host: c.ID, MAC: c.MAC, Addr: c.Addr,
		Window: xagg.Window{Current: c.FirstIteration}, Checks: c.Checks,
	}
}

func storeChildren(list []Child) (out []xagg.Child) {
	for _, c := range list {
		out = append(out, xagg.Child{ID: c.ID, Below: c.Below})
	}
	return out
}

// Fragments returns how many packets of so many values a tensor makes; 0 values are the paper's 256.
func Fragments(tensor, values int) uint32 {
	if values == 0 {
		values = wire.Values
	}
	return uint32((tensor + values - 1) / values)
}
