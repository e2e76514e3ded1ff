package xaggd

import (
	"fmt"
	"net/netip"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	"github.com/inalab/inalab/nodes/xagg/groups"
	"github.com/inalab/inalab/switchd/program/xagg"
)

var (
	_ worker.IntegerCollective = (*Worker)(nil)
	_ worker.Waiter            = (*Worker)(nil)
)

const (
	us = units.Microsecond
	ms = units.Millisecond
)

var group = netip.MustParseAddr("239.253.0.1")

// shape is a tree by the parent of each host. Host 0 is the root; workers are those that nobody is below.
type shape []int

// star, kary and testbed are the shapes of tests: the last is the paper's (Fig 12).
func star(workers int) shape { return append(shape{-1}, make([]int, workers)...) }

var (
	kary    = shape{-1, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6} // binary, 8 workers
	testbed = shape{-1, 0, 0, 1, 1, 1, 2, 2, 2, 0}
	chain   = shape{-1, 0, 1, 2, 3, 3, 2}
)

func (s shape) below(h int) (list []int) {
	for c, p := range s {
		if p == h {
			list = append(list, c)
		}
	}
	return list
}

func (s shape) workers() (list []int) {
	for h := range s {
		if h > 0 && len(s.below(h)) == 0 {
			list = append(list, h)
		}
	}
	return list
}

// covers returns the ids of all below a host.
func (s shape) covers(h int) (ids uint32) {
	for _, c := range s.below(h) {
		ids |= 1<<c | s.covers(c)
	}
	return ids
}

func peer(h int) Peer {
	return Peer{Node: fmt.Sprintf("h%d", h), ID: 1 << h, MAC: inet.MAC{2, 0, 0, 0, 0, byte(h)}, Addr: netip.AddrFrom4([4]byte{10, 0, 0, byte(h + 1)})}
}

func peers(list []int) (out []Peer) {
	for _, h := range list {
		out = append(out, peer(h))
	}
	return out
}

func (s shape) children(h int) (out []Child) {
	for _, c := range s.below(h) {
		out = append(out, Child{Peer: peer(c), Below: s.covers(c)})
	}
	return out
}

// params describe a run.
type params struct {
	tree     shape
	spares   int // servers outside the tree
	gens     int
	tensor   int
	common   func(h int, c *Common)
	worker   func(h int, c *WorkerConfig)
	ready    func(w, g int) units.Time
	delay    units.Duration // of a link
	rate     func(h int) (up, down units.Rate)
	seed     rng.Root
	loss     float64
	twice    float64
	late     units.Duration // of a frame, at most: more than others, so that it is overtaken
	drop     func(now units.Time, h int, up bool, f sansio.Train) bool
	integers bool
	first    uint16            // iteration
	conduct  *conductor.Config // its hosts are filled in; spares are its servers
}

// rig is a job on one switch, in memory.
type rig struct {
	params
	net     sansiotest.Network
	root    *Root
	servers map[int]*Server
	agents  map[int]*Worker
	hosts   map[int]*sansiotest.Host
	ints    map[int]*sansiotest.Ints
	recs    map[int]*sansiotest.Recorder
	stores  map[int]*xagg.Aggregator
	nodes   map[int]*probe
	order   []int                // of workers
	see     func(now units.Time) // after every call of a host
}

// probe is a host's machine, which tells when it was called.
type probe struct {
	sansio.Machine
	rig  *rig
	dead bool // it takes and sends nothing any more
}

func (p *probe) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	if p.dead {
		return
	}
	p.Machine.Handle(now, in, eff)
	p.rig.seen(now)
}

func (p *probe) Expire(now units.Time, eff *sansio.Effects) {
	if p.dead {
		return
	}
	p.Machine.Expire(now, eff)
	p.rig.seen(now)
}

func (p *probe) NextDeadline() units.Time {
	if p.dead {
		return units.Never
	}
	return p.Machine.NextDeadline()
}

// restart makes the host's machine anew.
func (p *probe) restart(t rapid.TB, h int) {
	t.Helper()
	m, err := p.rig.host(h)
	if err != nil {
		t.Fatal(err)
	}
	p.Machine, p.dead = m, false
}

func (r *rig) seen(now units.Time) {
	if r.see != nil {
		r.see(now)
	}
}

// fabric is one switch: frames go to the host with their address, those to the group to all workers.
type fabric struct {
	sansio.Untimed
	members []sansio.Port // of the group
}

func (f *fabric) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		dst := inet.IPv4(in[i].Train.Header[inet.EtherLen:]).Dst()
		if dst == group {
			eff.Send(f.members, in[i].Train)
			continue
		}
		h := sansio.Port(dst.As4()[3] - 1)
		eff.Send([]sansio.Port{h}, in[i].Train)
	}
}

func newRig(t rapid.TB, p params) *rig {
	t.Helper()
	r := &rig{
		params: p, servers: map[int]*Server{}, agents: map[int]*Worker{}, hosts: map[int]*sansiotest.Host{}, ints: map[int]*sansiotest.Ints{},
		recs: map[int]*sansiotest.Recorder{}, stores: map[int]*xagg.Aggregator{}, nodes: map[int]*probe{}, order: p.tree.workers(),
	}
	if r.tensor == 0 {
		r.tensor = 2100 * 32
	}
	middle := &fabric{}
	center := r.net.Add(middle)
	for h := range len(p.tree) + p.spares {
		machine, err := r.host(h)
		if err != nil {
			t.Fatal(err)
		}
		r.nodes[h] = &probe{Machine: machine, rig: r}
		if r.agents[h] != nil {
			middle.members = append(middle.members, sansio.Port(h))
		}
		r.connect(t, h, r.net.Add(r.nodes[h]), center)
	}
	return r
}

// host makes the machine of a host: its store before its agent.
func (r *rig) host(h int) (sansio.Machine, error) {
	c := Common{
		Node: peer(h).Node, ID: peer(h).ID, MAC: peer(h).MAC, Addr: peer(h).Addr, Root: peer(0),
		Job: 7, Values: 32, Fragments: Fragments(r.tensor, 32), Ingress: 10 * units.GbitPerSecond, Egress: 10 * units.GbitPerSecond,
		FirstIteration: r.first, Gradients: groups.Config{Again: 2 * ms}, Results: groups.Config{Again: 2 * ms}, Resend: 3 * ms, Poll: 200 * us, Burst: 20 * us,
	}
	if r.common != nil {
		r.common(h, &c)
	}
	switch {
	case h >= len(r.tree):
		cfg := ServerConfig{Common: c, Spare: true, Hosts: r.everybody(), Reports: 5 * ms, Load: idle}
		return r.server(h, cfg)
	case h == 0:
		cfg := RootConfig{Common: c, Children: r.tree.children(0), Workers: peers(r.order), Group: group, Hosts: r.everybody(), Conductor: r.plane(), Iterations: r.gens}
		store, err := r.store(h, cfg.Store())
		if err != nil {
			return nil, err
		}
		r.root, err = NewRoot(cfg, Twin{store})
		return xagg.NewHost(store, r.root), err
	case len(r.tree.below(h)) > 0:
		return r.server(h, ServerConfig{Common: c, Parent: peer(r.tree[h]), Children: r.tree.children(h), Hosts: r.everybody()})
	}
	return r.workerHost(h, c)
}

// idle is the load of a server that does nothing.
var idle = xaggctl.Load{Total: 64 * units.GiB, Bandwidth: 10 * units.GbitPerSecond, Cores: 8}

// plane returns the configuration of the management plane.
func (r *rig) plane() *conductor.Config {
	if r.conduct == nil {
		return nil
	}
	host := func(h int) conductor.Host {
		p := peer(h)
		return conductor.Host{Name: p.Node, ID: p.ID, MAC: p.MAC, Addr: p.Addr}
	}
	c := *r.conduct
	c.Job, c.Model, c.PS, c.Period, c.Resend, c.Startup = 7, units.MiB, host(0), 5*ms, 3*ms, 20*ms
	for _, h := range r.order {
		c.Workers = append(c.Workers, host(h))
	}
	for i := range r.spares {
		c.Servers = append(c.Servers, conductor.Server{Host: host(len(r.tree) + i), Bandwidth: idle.Bandwidth, Cores: 8, Memory: idle.Total})
	}
	return &c
}

func (r *rig) everybody() []Peer {
	var all []int
	for h := range len(r.tree) + r.spares {
		all = append(all, h)
	}
	return peers(all)
}

func (r *rig) server(h int, cfg ServerConfig) (sansio.Machine, error) {
	store, err := r.store(h, cfg.Store())
	if err != nil {
		return nil, err
	}
	r.servers[h], err = NewServer(cfg, Twin{store})
	return xagg.NewHost(store, r.servers[h]), err
}

func (r *rig) workerHost(h int, c Common) (sansio.Machine, error) {
	w, rec := slices.Index(r.order, h), &sansiotest.Recorder{}
	cfg := WorkerConfig{
		Common: c, Worker: w, Workers: len(r.order), Tensor: r.tensor, Parent: peer(r.tree[h]), Group: group,
		Scaling: gradient.Fixed{Factor: 1e8}, Recorder: rec, Integers: r.integers, Measure: r.conduct != nil,
	}
	if r.worker != nil {
		r.worker(h, &cfg)
	}
	store, err := r.store(h, cfg.Store())
	if err != nil {
		return nil, err
	}
	agent, err := NewWorker(cfg, Twin{store})
	if err != nil {
		return nil, err
	}
	var core sansiotest.Core = agent
	if r.integers {
		r.ints[h] = &sansiotest.Ints{IntCore: agent, Tensor: func(gen int) []int32 { return ints(w, gen, r.tensor) }}
		core = r.ints[h]
	}
	r.agents[h], r.recs[h] = agent, rec
	r.hosts[h] = &sansiotest.Host{Core: core, Tensors: sansiotest.Tensors(7, w, r.gens, agent.held(), func(int, int) float64 { return 1 })}
	if r.ready != nil {
		r.hosts[h].Ready = func(g int) units.Time { return r.ready(w, g) }
	}
	return xagg.NewHost(store, r.hosts[h]), nil
}

func ints(w, gen, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i*(w+1) + gen)
	}
	return out
}

func (r *rig) store(h int, cfg xagg.Config) (*xagg.Aggregator, error) {
	store, err := xagg.New(cfg)
	r.stores[h] = store
	return store, err
}

// connect joins a host to the switch: by wires that spoil frames, or by links with a rate.
func (r *rig) connect(t rapid.TB, h int, host, center sansiotest.NodeID) {
	up, down := r.wire(h, true), r.wire(h, false)
	if r.rate == nil {
		r.net.Connect(host, 0, center, sansio.Port(h), up, down)
		return
	}
	link := func(rate units.Rate, way string) sansiotest.NodeID {
		l, err := impair.New(impair.Config{
			Name: fmt.Sprintf("%s of host %d", way, h), Out: 1, Params: impair.Params{Rate: rate, Delay: r.delay, Queue: 64 * units.MiB},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r.net.Add(l)
	}
	u, d := r.rate(h)
	in, out := link(u, "up"), link(d, "down")
	r.net.Connect(out, 1, host, 0, nil, nil) // the far direction of each is replaced by the next line
	r.net.Connect(host, 0, in, 0, nil, nil)
	r.net.Connect(in, 1, center, sansio.Port(h), nil, nil)
	r.net.Connect(center, sansio.Port(h), out, 0, nil, nil)
}

// wire is one direction of a host's link.
func (r *rig) wire(h int, up bool) *sansiotest.Wire {
	draw := func(what string) *rng.Stream { return r.seed.Stream(fmt.Sprintf("%s of host %d up %v", what, h, up)) }
	losses, copies, late := draw("losses"), draw("copies"), draw("late")
	return &sansiotest.Wire{
		Delay: r.delay,
		Drop: func(f sansio.Train) bool {
			return r.drop != nil && r.drop(r.net.Now(), h, up, f) || losses.Bernoulli(r.loss)
		},
		Copies: func(sansio.Train) []units.Duration {
			out := []units.Duration{0}
			if r.late > 0 && late.Bernoulli(0.1) {
				out[0] = units.Duration(late.IntN(int(r.late)))
			}
			if copies.Bernoulli(r.twice) {
				out = append(out, units.Duration(copies.IntN(int(max(r.late, 1)))))
			}
			return out
		},
	}
}

// limit is more than any test takes.
const limit = units.Time(20 * units.Second)

// run goes on until all workers are finished, and holds their sums against what they sent.
func (r *rig) run() error {
	for at := units.Time(0); !r.finished(); at = at.Add(5 * ms) {
		if at > limit {
			return fmt.Errorf("at %v not all workers are finished: %s", at, r.state())
		}
		if pending, err := r.net.Run(at); err != nil {
			return err
		} else if !pending && !r.finished() {
			return fmt.Errorf("at %v nothing is pending: %s", at, r.state())
		}
	}
	return r.check()
}

func (r *rig) finished() bool {
	for _, h := range r.order {
		if !r.hosts[h].Done() {
			return false
		}
	}
	return true
}

// state tells how far everybody is.
func (r *rig) state() (s string) {
	for _, h := range r.order {
		w := r.agents[h]
		s += fmt.Sprintf("\n worker %d: generation %d, rate %v, to send %v, waits for %v, %v", h, r.hosts[h].Gen(), w.node.Rate(), w.sending.pending(), w.Waiting(3), w.Counters())
	}
	for h := range len(r.tree) + r.spares {
		if x := r.servers[h]; x != nil {
			s += fmt.Sprintf("\n server %d: iteration %d, complete %v, parent has all %v, %v", h, x.iteration, x.complete, x.taken, x.Counters())
		}
	}
	s += fmt.Sprintf("\n tree %s, %v, %s", r.root.Tree(), r.root.Notes(), r.root.Stall(r.net.Now()))
	return s + fmt.Sprintf("\n root: iteration %d, complete %v, %v", r.root.iteration, r.root.complete, r.root.Counters())
}

// check compares the sums that workers got with a dumb sum.
func (r *rig) check() error {
	for g := range r.gens {
		var want []int32
		for w, h := range r.order {
			sent := ints(w, g, r.tensor)
			if !r.integers {
				sent = r.recs[h].Out[g]
			}
			if want == nil {
				want = make([]int32, len(sent))
			}
			for i, v := range sent {
				want[i] += v
			}
		}
		for _, h := range r.order {
			var got []int32
			if r.integers {
				got = r.ints[h].Got[g]
			} else {
				got = r.recs[h].In[g]
			}
			if !slices.Equal(got, want) {
				return fmt.Errorf("worker %d has other sums of generation %d than were sent", h, g)
			}
		}
	}
	return nil
}
