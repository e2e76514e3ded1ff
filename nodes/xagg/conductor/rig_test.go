package conductor

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/manager"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// What the network of a rig does, and its nodes.
const (
	rigPeriod   = 10 * ms
	mostDelay   = 8  // ms: less than a report's period
	elements    = 5  // of a gradient
	restartTime = 50 // ms that a server is away at least: longer than packets live
)

// element is an element of the data plane: a bitmap as package xagg keeps it, and how often the values
// of each worker are in it.
type element struct {
	iteration uint16
	bitmap    uint32
	values    [32]int
}

// node is a host of a rig, with a store and an agent that are as simple as can be.
type node struct {
	*host
	place  xaggctl.Place
	sums   xagg.Table
	number uint32 // of its last order
	tree   uint16 // of its last order
	store  [elements]element
	known  [elements]bool // the parent has it
	report uint32
	full   bool // overloaded
	mute   bool // slow: nothing passes between it and the root but data
	deaf   bool // no order arrives
	back   int  // step at which it starts again; 0: it is up
}

// packet is what nodes send to each other, and the root to them.
type packet struct {
	at       int
	to, from uint32
	control  []byte // or else data, or the word that data is there
	index    int
	known    bool
	data     element
}

// rig is a conductor with nodes over a network that loses, delays and duplicates.
type rig struct {
	fatal     func(format string, args ...any)
	rand      *rand.Rand
	c         *Conductor
	nodes     []*node
	packets   []packet
	step      int // ms
	faulty    bool
	iteration uint16
	strangers int
	notes     []string
}

func newRig(fatal func(string, ...any), cfg Config, seed uint64) *rig {
	cfg.Period, cfg.Startup, cfg.Resend = rigPeriod, 5*rigPeriod, 2*rigPeriod
	c, err := New(0, cfg)
	if err != nil {
		fatal("%v", err)
	}
	r := &rig{fatal: fatal, rand: rand.New(rand.NewPCG(seed, 14)), c: c, faulty: true, iteration: 65533}
	for _, h := range c.hosts {
		r.nodes = append(r.nodes, &node{host: h})
	}
	return r
}

func (r *rig) now() units.Time { return units.Time(r.step) * units.Time(ms) }

func (r *rig) node(id uint32) *node {
	return r.nodes[slices.IndexFunc(r.nodes, func(n *node) bool { return n.ID == id })]
}

// send puts a packet on its way, or loses it, or sends it twice.
func (r *rig) send(p packet) {
	for copies := 1 + r.chance(20); copies > 0; copies-- {
		if r.chance(5) == 0 {
			p.at = r.step + 1 + r.rand.IntN(mostDelay)
			r.packets = append(r.packets, p)
		}
	}
}

// chance returns 1 once in n times, and 0 when the network is sound.
func (r *rig) chance(n int) int {
	if r.faulty && r.rand.IntN(n) == 0 {
		return 1
	}
	return 0
}

// tick lets a millisecond pass.
func (r *rig) tick() {
	r.step++
	r.deliver()
	if r.c.NextDeadline() <= r.now() {
		r.c.Expire(r.now())
		if r.c.NextDeadline() <= r.now() {
			r.fatal("at %d ms the deadline is %v, after Expire", r.step, r.c.NextDeadline())
		}
	}
	for _, n := range r.nodes {
		r.live(n)
	}
	r.turn()
	r.conduct()
}

// conduct carries orders out: those of the root at once.
func (r *rig) conduct() {
	for list := r.c.Orders(); len(list) > 0; list = r.c.Orders() {
		for _, o := range list {
			if o.To.ID == r.c.cfg.PS.ID {
				r.order(r.nodes[0], &o.Message)
				continue
			}
			r.send(packet{to: o.To.ID, from: r.c.cfg.PS.ID, control: o.Message.Append(nil)})
		}
	}
	for _, n := range r.c.Notes() {
		r.notes = append(r.notes, n.Text)
	}
}

// deliver hands over what has arrived, in any order.
func (r *rig) deliver() {
	var later, here []packet
	for _, p := range r.packets {
		if p.at > r.step {
			later = append(later, p)
		} else {
			here = append(here, p)
		}
	}
	r.packets = later
	r.rand.Shuffle(len(here), func(i, j int) { here[i], here[j] = here[j], here[i] })
	for i := range here {
		if n := r.node(here[i].to); n.back == 0 {
			r.receive(n, &here[i])
		}
	}
}

func (r *rig) receive(n *node, p *packet) {
	switch {
	case p.control != nil && (n.mute || n.deaf):
	case p.control != nil:
		r.control(n, p.control)
	case p.known:
		if n.place.Parent.Host == p.from && p.data.iteration == r.iteration {
			n.known[p.index] = true
		}
	default:
		r.add(n, p)
	}
}

// control takes a message of the management plane as it was on the wire.
func (r *rig) control(n *node, b []byte) {
	var m xaggctl.Message
	if problem := m.Read(b); problem != xaggctl.OK {
		r.fatal("% x: %s", b, problem)
	}
	switch m.Kind {
	case xaggctl.Tree:
		r.order(n, &m)
	case xaggctl.TreeAck:
		r.c.Acknowledge(r.now(), m.Host, m.Number)
	case xaggctl.Report:
		r.c.Report(r.now(), &m)
	case xaggctl.Round:
		r.c.Round(r.now(), &m)
	}
}

// order gives a node its place, and answers.
func (r *rig) order(n *node, m *xaggctl.Message) {
	if n.number == 0 || int32(m.Number-n.number) > 0 {
		if m.Place.Again && m.Place.Parent != n.place.Parent {
			n.known = [elements]bool{}
		}
		n.number, n.tree, n.place = m.Number, m.Tree, m.Place
		cfg := xagg.Config{}
		for _, c := range m.Place.Children {
			cfg.Children = append(cfg.Children, xagg.Child{ID: c.Host, Below: c.Below})
		}
		n.sums = cfg.Sums()
	}
	if n.role == manager.PSRole {
		r.c.Acknowledge(r.now(), n.ID, m.Number)
		return
	}
	ack := xaggctl.Message{Kind: xaggctl.TreeAck, Job: m.Job, Tree: m.Tree, Number: m.Number}
	r.tell(n, &ack)
}

// tell sends a control message to the root.
func (r *rig) tell(n *node, m *xaggctl.Message) {
	m.Host = n.ID
	if !n.mute {
		r.send(packet{to: r.c.cfg.PS.ID, from: n.ID, control: m.Append(nil)})
	}
}

// add is Algorithm 1, with the covers of package xagg.
func (r *rig) add(n *node, p *packet) {
	covers := n.sums.Covers[bits.TrailingZeros32(p.from)]
	if covers == 0 || p.data.iteration != r.iteration {
		r.strangers++
		return
	}
	e := &n.store[p.index]
	if e.bitmap == 0 || e.iteration != r.iteration {
		*e = element{iteration: r.iteration}
	}
	if e.bitmap&covers == 0 {
		e.bitmap |= covers
		for w, count := range p.data.values {
			if e.values[w] += count; e.values[w] > 1 {
				r.fatal("at %d ms %s has the values of host %d twice: %q", r.step, n.Name, w, r.notes)
			}
		}
	}
	r.send(packet{to: p.from, from: n.ID, index: p.index, known: true, data: element{iteration: r.iteration}})
}

// finished reports whether a node has an element of all its children.
func (r *rig) finished(n *node, index int) bool {
	e := &n.store[index]
	return n.sums.Required != 0 && e.iteration == r.iteration && e.bitmap != 0 && e.bitmap&n.sums.Required == n.sums.Required
}

// live does what a node does in a millisecond.
func (r *rig) live(n *node) {
	if n.back > 0 {
		if n.back > r.step {
			return
		}
		*n = node{host: n.host}
	}
	if n.role == manager.ServerRole && r.step%int(rigPeriod/ms) == bits.TrailingZeros32(n.ID)%int(rigPeriod/ms) {
		r.load(n)
	}
	if n.role == manager.WorkerRole && r.step%7 == 0 && r.c.begun {
		times := xaggctl.Times{Training: units.Duration(n.ID%7) * ms, Transfer: ms}
		r.tell(n, &xaggctl.Message{Kind: xaggctl.Round, Iteration: r.c.first, Times: times})
	}
	if index := r.rand.IntN(elements); r.c.running && n.place.Parent.Host != 0 && !n.known[index] {
		r.up(n, index)
	}
}

// up sends an element to the parent: what a worker has, or a server finished.
func (r *rig) up(n *node, index int) {
	p := packet{to: n.place.Parent.Host, from: n.ID, index: index, data: element{iteration: r.iteration}}
	switch {
	case n.role == manager.WorkerRole:
		p.data.values[bits.TrailingZeros32(n.ID)] = 1
	case r.finished(n, index):
		p.data = n.store[index]
	default:
		return
	}
	r.send(p)
}

// load sends a report.
func (r *rig) load(n *node) {
	n.report++
	l := xaggctl.Load{Total: 128 * gib, Bandwidth: 100 * g, Cores: 40}
	if n.full {
		l.Used = l.Total
	}
	r.tell(n, &xaggctl.Message{Kind: xaggctl.Report, Number: n.report, Tree: n.tree, Load: l})
}

// turn opens and closes iterations.
func (r *rig) turn() {
	if !r.c.running {
		next := r.iteration + 1
		r.conduct()
		if r.c.Open(r.now(), next) {
			r.agreed()
			r.iteration = next
			for _, n := range r.nodes {
				n.known = [elements]bool{}
			}
		}
		return
	}
	root := r.nodes[0]
	for i := range elements {
		if !r.finished(root, i) {
			return
		}
	}
	for i := range elements {
		for _, w := range r.c.cfg.Workers {
			if n := root.store[i].values[bits.TrailingZeros32(w.ID)]; n != 1 {
				r.fatal("iteration %d: the values of %s are %d times in the sum: %q", r.iteration, w.Name, n, r.notes)
			}
		}
	}
	r.c.Close(r.now(), r.iteration)
}

// agreed holds the places of all nodes to one tree.
func (r *rig) agreed() {
	seen, list := uint32(0), []*node{r.nodes[0]}
	for ; len(list) > 0; list = list[1:] {
		n := list[0]
		if seen&n.ID != 0 {
			r.fatal("%s is in the tree twice", n.Name)
		}
		seen |= n.ID
		if want := r.c.place(n.host); !samePlace(&n.place, &want) {
			r.fatal("%s has place %+v, and %+v in %s", n.Name, n.place, want, r.c.Tree())
		}
		for _, child := range n.place.Children {
			at := r.node(child.Host)
			if at.place.Parent.Host != n.ID || at.place.Parent.Since != child.Since {
				r.fatal("%s has child %+v, which has parent %+v", n.Name, child, at.place.Parent)
			}
			list = append(list, at)
		}
	}
	for _, w := range r.c.cfg.Workers {
		if seen&w.ID == 0 {
			r.fatal("%s is in no tree", w.Name)
		}
	}
}
