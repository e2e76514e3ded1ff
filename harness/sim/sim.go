package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vtime"
)

// ErrStalled is returned when nothing can happen any more and the run is not done.
var ErrStalled = errors.New("nothing can happen any more")

// maxAtOneInstant bounds what may happen without time passing: more means
// machines that answer each other for ever.
const maxAtOneInstant = 10_000_000

// NodeID is the index of a node.
type NodeID int32

// Network is a set of machines and the wires between their ports.
type Network struct {
	nodes []node
	queue vtime.Queue
	inbox fifo
	eff   sansio.Effects
	now   units.Time

	steps   uint64 // calls into machines
	events  uint64 // taken from the queue
	instant int    // calls since time last moved
	limit   int    // of these; zero means maxAtOneInstant

	moved   units.Time // of the latest call into a machine that is no host computing
	alarm   units.Time // onAlarm is called once before the first event at or after it
	onAlarm func()
	sampled bool // iterations ended at this instant

	onWire func(from NodeID, port sansio.Port, t *sansio.Train) // nil: nobody looks
}

type node struct {
	name    string
	machine sansio.Machine
	own     func() units.Time // the deadline of a host's own work, which moves nothing; nil: there is none
	peers   []peer            // by port
	next    units.Time        // deadline that waits in the queue
	frames  uint64            // that it sent by a wire
}

type peer struct {
	node NodeID
	port sansio.Port
}

const nobody NodeID = -1

// AddNode adds a machine.
func (n *Network) AddNode(name string, m sansio.Machine) NodeID {
	n.nodes = append(n.nodes, node{name: name, machine: m, next: units.Never})
	return NodeID(len(n.nodes) - 1)
}

// Connect joins two ports by an ideal wire. A port has one wire.
func (n *Network) Connect(a NodeID, pa sansio.Port, b NodeID, pb sansio.Port) error {
	if err := n.attach(a, pa, peer{b, pb}); err != nil {
		return err
	}
	return n.attach(b, pb, peer{a, pa})
}

func (n *Network) attach(at NodeID, port sansio.Port, p peer) error {
	nd := &n.nodes[at]
	for int(port) >= len(nd.peers) {
		nd.peers = append(nd.peers, peer{node: nobody})
	}
	if nd.peers[port].node != nobody {
		return fmt.Errorf("connecting port %d of %s: it has a wire already", port, nd.name)
	}
	nd.peers[port] = p
	return nil
}

// Options says when a run ends and where its samples go.
type Options struct {
	Until     units.Time                    // the run fails when it gets here; zero means never
	Done      func() bool                   // asked after every instant; the run ends when it is true
	OnSamples func(NodeID, []result.Sample) // takes what a node recorded; nil: samples are dropped
	Between   func()                        // called after an instant in which iterations ended; nil: nobody
	Watch     Stopwatch                     // nil: nobody takes the time
}

// Stopwatch takes the wall time of a run's events. It runs from Start to Stop,
// and a run starts and stops it several times: what machines compute (gradients,
// checks) is left out, and so is all before the first event.
type Stopwatch interface {
	Start()
	Stop()
}

// Run runs the machines from time 0 until Done.
func (n *Network) Run(ctx context.Context, opt Options) error {
	n.eff.Keeping, n.alarm = true, units.Never
	for i := range n.nodes {
		n.schedule(NodeID(i))
	}
	if opt.Watch != nil {
		opt.Watch.Start()
		defer opt.Watch.Stop()
	}
	for !opt.Done() {
		if err := n.instantOf(ctx, opt); err != nil {
			return err
		}
		if n.sampled {
			n.sampled = false
			if opt.Between != nil {
				opt.Between()
			}
		}
	}
	return nil
}

// instantOf runs the next event and all that follows from it at its instant.
func (n *Network) instantOf(ctx context.Context, opt Options) error {
	if n.queue.Len() == 0 {
		return fmt.Errorf("at %v of virtual time: %w", n.now, ErrStalled)
	}
	ev := n.queue.Pop()
	n.events++
	nd := &n.nodes[ev.Target]
	if nd.next != ev.At {
		return nil // the deadline has moved
	}
	if opt.Until != 0 && ev.At > opt.Until {
		return fmt.Errorf("reached %v of virtual time: %w", opt.Until, context.DeadlineExceeded)
	}
	if ev.At > n.now {
		n.now, n.instant = ev.At, 0
	}
	if ev.At >= n.alarm {
		n.alarm = units.Never
		n.onAlarm()
	}
	if nd.own == nil || nd.own() != ev.At {
		n.moved = n.now
	}
	nd.next = units.Never
	nd.machine.Expire(n.now, &n.eff)
	if err := n.carryOut(NodeID(ev.Target), opt); err != nil {
		return err
	}
	for n.inbox.len() > 0 {
		if err := n.deliver(opt); err != nil {
			return err
		}
	}
	if n.steps%1024 == 0 {
		return ctx.Err()
	}
	return nil
}

// deliver hands the first waiting trains of one node over.
func (n *Network) deliver(opt Options) error {
	to, batch := n.inbox.take()
	n.moved = n.now
	n.nodes[to].machine.Handle(n.now, batch, &n.eff)
	err := n.carryOut(to, opt)
	n.inbox.release()
	return err
}

// carryOut does what the machine of a node wants, by the duties of a driver.
func (n *Network) carryOut(at NodeID, opt Options) error {
	n.steps++
	if n.instant++; n.instant > cmp.Or(n.limit, maxAtOneInstant) {
		return fmt.Errorf("at %v of virtual time: machines answer each other without time passing; the last was %s", n.now, n.nodes[at].name)
	}
	nd := &n.nodes[at]
	for i := range n.eff.Sends {
		s := &n.eff.Sends[i]
		for _, p := range s.To {
			if int(p) < len(nd.peers) && nd.peers[p].node != nobody {
				nd.frames += uint64(s.Train.Frames())
				if n.onWire != nil {
					n.onWire(at, p, &s.Train)
				}
				n.inbox.put(nd.peers[p], &s.Train)
			}
		}
	}
	n.compute(opt.Watch)
	if len(n.eff.Samples) > 0 {
		n.sampled = true
		if opt.OnSamples != nil {
			opt.OnSamples(at, n.eff.Samples)
		}
	}
	n.eff.Reset()
	n.schedule(at)
	return nil
}

// compute does the work that stands in the effects.
func (n *Network) compute(watch Stopwatch) {
	if len(n.eff.Computes) == 0 {
		return
	}
	if watch != nil {
		watch.Stop()
		defer watch.Start()
	}
	for _, c := range n.eff.Computes {
		c.Run()
	}
}

// schedule puts the node's deadline into the queue if it is not there.
func (n *Network) schedule(at NodeID) {
	nd := &n.nodes[at]
	if d := nd.machine.NextDeadline(); d != nd.next {
		nd.next = d
		if d != units.Never {
			n.queue.Push(max(d, n.now), int32(at))
			nd.next = max(d, n.now)
		}
	}
}
