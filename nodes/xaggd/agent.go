package xaggd

import (
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/rates"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// agent is what all agents have: a store, a negotiator, and control messages.
type agent struct {
	cfg       *Common
	store     Store
	state     xagg.Config // of the store
	node      *rates.Node // nil: outside the tree
	self      role
	iteration uint16 // at hand
	polls     units.Time
	late      delayed
	timing    timing
	count     sansio.Tally

	to        []sansio.Port
	templates map[netip.Addr][]byte // of control messages; looked up, never ranged
	scratch   []byte
}

// role is the place of an agent in the tree.
type role uint8

const (
	workerRole role = iota
	serverRole
	rootRole
)

func newAgent(cfg *Common, self role, store Store, state xagg.Config) agent {
	return agent{
		cfg: cfg, store: store, state: state, self: self, iteration: cfg.FirstIteration, polls: units.Never,
		to: []sansio.Port{cfg.Port}, templates: map[netip.Addr][]byte{},
	}
}

// negotiator returns the configuration of a negotiator of this agent.
func (a *agent) negotiator() rates.Config {
	return rates.Config{
		ID: rates.ID(a.cfg.ID), Tree: a.cfg.Tree, Ingress: a.cfg.Ingress, Egress: a.cfg.Egress,
		Resend: a.cfg.Resend, LossShare: a.cfg.LossShare, Floor: a.cfg.Floor,
	}
}

// later reports whether iteration a comes after b; iterations wrap at 16 bits.
func later(a, b uint16) bool { return int16(a-b) > 0 }

// each hands the control messages of some trains to take, and counts all else.
func (a *agent) each(in []sansio.Arrival, take func(src netip.Addr, m *xaggctl.Message)) {
	var m xaggctl.Message
	for i := range in {
		t := &in[i].Train
		ip, udp, ok := t.UDP()
		if !ok || udp.DstPort() != xaggctl.Port || ip.Dst() != a.cfg.Addr {
			a.count.Add(DropForeign, uint64(t.Frames()))
			continue
		}
		for f := range t.Frames() {
			switch problem := m.Read(t.Payload(f)); {
			case problem != xaggctl.OK:
				a.count.Add(string(problem), 1)
			case m.Job != a.cfg.Job:
				a.count.Add(DropJob, 1)
			default:
				take(ip.Src(), &m)
			}
		}
	}
}

// from reports whether a message of a peer comes from its address.
func (a *agent) from(p *Peer, src netip.Addr) bool {
	if src != p.Addr {
		a.count.Add(DropAddress, 1)
	}
	return src == p.Addr
}

// current reports whether a message is of an edge as it is, and of the iteration at hand.
func (a *agent) current(m *xaggctl.Message, since uint16) bool {
	switch {
	case m.Tree != since:
		a.count.Add(DropOldTree, 1)
	case later(m.Iteration, a.iteration):
		a.count.Add(DropEarly, 1)
	case m.Iteration != a.iteration:
		a.count.Add(DropStale, 1)
	default:
		return true
	}
	return false
}

// send sends a control message. Sender and job are filled in.
func (a *agent) send(p *Peer, m *xaggctl.Message, eff *sansio.Effects) {
	m.Job, m.Host = a.cfg.Job, a.cfg.ID
	template := a.templates[p.Addr]
	if template == nil || inet.Ether(template).Dst() != p.MAC {
		template = inet.UDPHeader(inet.Flow{
			SrcMAC: a.cfg.MAC, DstMAC: p.MAC, Src: a.cfg.Addr, Dst: p.Addr, SrcPort: xaggctl.Port, DstPort: xaggctl.Port,
		})
		a.templates[p.Addr] = template
	}
	a.scratch = m.Append(a.scratch[:0])
	payload := eff.Body(len(a.scratch))
	copy(payload, a.scratch)
	eff.Emit(a.to, template, payload)
	a.count.Add(CountControl, 1)
}

// reconfigure hands the store what changed.
func (a *agent) reconfigure() {
	if err := a.store.Reconfigure(a.state); err != nil {
		a.count.Add(CountStoreFailed, 1)
	}
}

// move makes an iteration the one at hand.
func (a *agent) move(iteration uint16) {
	a.iteration = iteration
	a.state.Window.Current = iteration
	a.reconfigure()
	a.count.Add(CountOpened, 1)
}

// drain takes the check queue.
func (a *agent) drain() []xagg.Check {
	list, err := a.store.Drain(nil)
	if err != nil {
		a.count.Add(CountStoreFailed, 1)
	}
	return list
}

// counters returns those of the agent and of its negotiator. Those of the store are its host's to tell.
func (a *agent) counters() []sansio.Count {
	var out sansio.Tally
	out.Merge(a.count.List())
	out.Merge(a.nodeDrops())
	return out.List()
}

// nodeDrops returns what the negotiator did not use.
func (a *agent) nodeDrops() []sansio.Count {
	var out sansio.Tally
	if a.node == nil {
		return nil
	}
	d := a.node.Drops()
	for _, c := range [...]sansio.Count{{Name: DropStranger, N: d.Stranger}, {Name: DropOldTree, N: d.OldTree}, {Name: DropPhase, N: d.Refused}} {
		if c.N > 0 {
			out.Add(c.Name, c.N)
		}
	}
	return out.List()
}
