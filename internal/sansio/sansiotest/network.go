package sansiotest

import (
	"fmt"
	"slices"
	"sort"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// NodeID is the index of a machine.
type NodeID int

// Wire is one direction between two ports.
type Wire struct {
	Delay units.Duration
	// Drop decides on every frame, given as a train of one; nil: none is lost.
	Drop func(frame sansio.Train) bool
	// Mark decides on every frame that is not lost whether it says that it met
	// congestion, if it is an IPv4 packet that can be marked; nil: none does.
	Mark func(frame sansio.Train) bool
	// Copies says how much later than Delay each copy of a frame that is not lost
	// arrives: with several it is duplicated, with other delays than its neighbours'
	// it is out of order. nil: one copy, no later.
	Copies func(frame sansio.Train) []units.Duration

	Frames, Lost int // frames offered, and those of them that were lost
	Bytes        units.Bytes

	node NodeID
	port sansio.Port
}

// Network is a set of machines and wires. The zero value is empty.
type Network struct {
	nodes []node
	queue []event // in order of time, those of one instant as they were pushed
	now   units.Time
	eff   sansio.Effects
	steps int
}

type node struct {
	machine sansio.Machine
	wires   map[sansio.Port]*Wire // looked up, never ranged
	next    units.Time            // deadline that is in the queue
}

// Add adds a machine.
func (n *Network) Add(m sansio.Machine) NodeID {
	n.nodes = append(n.nodes, node{machine: m, wires: map[sansio.Port]*Wire{}, next: units.Never})
	return NodeID(len(n.nodes) - 1)
}

// Connect joins two ports. Either wire may be nil: ideal.
func (n *Network) Connect(a NodeID, pa sansio.Port, b NodeID, pb sansio.Port, ab, ba *Wire) {
	n.attach(a, pa, b, pb, ab)
	n.attach(b, pb, a, pa, ba)
}

func (n *Network) attach(from NodeID, port sansio.Port, to NodeID, at sansio.Port, w *Wire) {
	if w == nil {
		w = &Wire{}
	}
	w.node, w.port = to, at
	n.nodes[from].wires[port] = w
}

// Now returns the time of the last event.
func (n *Network) Now() units.Time { return n.now }

// maxSteps bounds a run: more means machines that answer each other for ever.
const maxSteps = 2_000_000

// Run runs until nothing is pending, or only what lies behind until. It reports
// whether anything is left.
func (n *Network) Run(until units.Time) (pending bool, err error) {
	for i := range n.nodes {
		n.schedule(NodeID(i))
	}
	for len(n.queue) > 0 && n.queue[0].at <= until {
		if n.steps++; n.steps > maxSteps {
			return true, fmt.Errorf("at %v: %d calls into machines and no end", n.now, maxSteps)
		}
		n.step()
	}
	return len(n.queue) > 0, nil
}

func (n *Network) step() {
	ev := n.pop()
	nd := &n.nodes[ev.node]
	if ev.train == nil && nd.next != ev.at {
		return // the deadline has moved
	}
	n.now = ev.at
	if ev.train == nil {
		nd.next = units.Never
		nd.machine.Expire(n.now, &n.eff)
		n.carryOut(ev.node)
		return
	}
	batch := []sansio.Arrival{{Port: ev.port, Train: *ev.train}}
	for len(n.queue) > 0 && n.queue[0].at == ev.at && n.queue[0].node == ev.node && n.queue[0].train != nil {
		more := n.pop()
		batch = append(batch, sansio.Arrival{Port: more.port, Train: *more.train})
	}
	nd.machine.Handle(n.now, batch, &n.eff)
	n.carryOut(ev.node)
	for _, a := range batch {
		poison(a.Train.Header)
		poison(a.Train.Body)
	}
}

func poison(b []byte) {
	for i := range b {
		b[i] = 0xdb
	}
}

func (n *Network) carryOut(id NodeID) {
	nd := &n.nodes[id]
	for _, s := range n.eff.Sends {
		for _, p := range s.To {
			if w := nd.wires[p]; w != nil {
				n.transmit(w, s.Train)
			}
		}
	}
	for _, c := range n.eff.Computes {
		c.Run()
	}
	n.eff.Reset()
	n.schedule(id)
}

// transmit puts a copy of the train on a wire, less the frames that are lost:
// consecutive frames stay one train, but for marks that some of them get.
func (n *Network) transmit(w *Wire, t sansio.Train) {
	frames := t.Frames()
	w.Frames += frames
	w.Bytes += t.Bytes()
	if w.Drop == nil && w.Mark == nil {
		n.copies(w, t)
		return
	}
	lo, run := 0, kept
	for i := 0; i <= frames; i++ {
		next := lost
		if i < frames {
			next = w.decide(t.Frame(i, nil))
		}
		if next != run || i == frames {
			n.move(w, &t, run, lo, i)
			lo, run = i, next
		}
	}
}

// fate is what a wire does with a frame.
type fate uint8

const (
	kept fate = iota
	lost
	marked
)

func (w *Wire) decide(frame sansio.Train) fate {
	switch {
	case w.Drop != nil && w.Drop(frame):
		w.Lost++
		return lost
	case w.Mark != nil && capable(&frame) && w.Mark(frame):
		return marked
	}
	return kept
}

// capable reports whether a frame can be marked.
func capable(t *sansio.Train) bool {
	_, problem := t.Layout()
	return problem == inet.OK && inet.IPv4(t.Header[inet.EtherLen:]).ECN() != inet.NotECT
}

// move delivers frames i to j-1 of a train, which have one fate.
func (n *Network) move(w *Wire, t *sansio.Train, run fate, i, j int) {
	if i == j || run == lost {
		return
	}
	part := t.Sub(i, j, nil)
	if run == marked {
		part.Header = slices.Clone(part.Header)
		inet.IPv4(part.Header[inet.EtherLen:]).SetECN(inet.CE)
	}
	n.copies(w, part)
}

// copies delivers a train as it is, or each of its frames as often and as late as
// the wire says.
func (n *Network) copies(w *Wire, t sansio.Train) {
	if w.Copies == nil {
		n.deliver(w, t, 0)
		return
	}
	for i := range t.Frames() {
		frame := t.Frame(i, nil)
		for _, later := range w.Copies(frame) {
			n.deliver(w, frame, later)
		}
	}
}

func (n *Network) deliver(w *Wire, t sansio.Train, later units.Duration) {
	t.Header, t.Body = append([]byte(nil), t.Header...), append([]byte(nil), t.Body...)
	n.push(event{at: n.now.Add(w.Delay + later), node: w.node, port: w.port, train: &t})
}

func (n *Network) schedule(id NodeID) {
	nd := &n.nodes[id]
	d := nd.machine.NextDeadline()
	if d != units.Never {
		d = max(d, n.now)
	}
	if d == nd.next {
		return
	}
	nd.next = d
	if d != units.Never {
		n.push(event{at: d, node: id})
	}
}

func (n *Network) push(ev event) {
	behind := sort.Search(len(n.queue), func(i int) bool { return n.queue[i].at > ev.at })
	n.queue = slices.Insert(n.queue, behind, ev)
}

func (n *Network) pop() event {
	ev := n.queue[0]
	n.queue = n.queue[1:]
	return ev
}

// event is an arrival, or without a train a deadline.
type event struct {
	at    units.Time
	node  NodeID
	port  sansio.Port
	train *sansio.Train
}
