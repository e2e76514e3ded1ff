package reference

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/netip"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// tree is a switch with hosts, and switches below it.
type tree struct {
	hosts int // of each job
	below []tree
}

// netParams describes a network.
type netParams struct {
	tree     tree
	jobs     int
	slots    int
	phases   int   // that each slot has
	perJob   int   // phases of a tensor; the next has the next job byte, and ids from 0
	first    uint8 // job byte of the first tensor
	faithful bool

	// uses are the phases of each slot, by tensor and slot, in place of phases and perJob: a
	// worker begins a tensor when it is through with the one before in all slots, as the public
	// client does. nil: slots go on by themselves.
	uses [][]int
}

// place is where a phase of a slot is: the nth of a tensor.
type place struct{ tensor, nth int }

// places returns those of a slot's phases.
func (p *netParams) places(slot int) (out []place) {
	if p.uses == nil {
		for i := range p.phases {
			out = append(out, place{i / p.perJob, i % p.perJob})
		}
		return out
	}
	for tensor, phases := range p.uses {
		for nth := range phases[slot] {
			out = append(out, place{tensor, nth})
		}
	}
	return out
}

// network is a tree of programs with conforming workers, whose links hold every
// frame until somebody says what becomes of it.
type network struct {
	netParams
	t      rapid.TB
	progs  []*Program
	links  []*link
	hosts  []*host
	ofJob  []int // number of workers
	leaves map[outlet]*link
	eff    sansio.Effects
	wrong  []string
	at     [][]place                     // phases, by slot
	until  int                           // tensors that workers may begin; all of them at first
	take   func(h *host, payload []byte) // of results, in place of hosts; nil: none
}

// use is a slot of a job.
type use struct{ job, slot int }

// outlet is a port of a switch.
type outlet struct {
	sw   int
	port sansio.Port
}

// link is one direction of a cable; at its end is a port of a switch, or a host.
type link struct {
	name    string
	frames  []frame
	carried int // frames that ever were on it
	to      outlet
	host    *host
}

func (l *link) put(f frame) {
	l.frames = append(l.frames, f)
	l.carried++
}

// frame is a packet on a link. What it is of is that of the packet that made a switch
// send it.
type frame struct {
	header, body []byte
	use
	phase int
}

// host is the smallest worker that obeys Algorithm 4: for each slot one packet in
// flight, sent again and again until its result is here.
type host struct {
	job, worker int
	phase       []int
	begun       []int // phases that it has sent a packet of
	up          *link
	flow        inet.Flow
}

const upPort sansio.Port = 1000 // of every switch, to the one above it

func switchAddr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 8, 0, byte(i)}) }

func switchMAC(i int) inet.MAC { return inet.MAC{2, 8, 0, 0, 0, byte(i)} }

func newNetwork(t rapid.TB, p netParams) *network {
	n := &network{netParams: p, t: t, ofJob: make([]int, p.jobs), leaves: map[outlet]*link{}, until: math.MaxInt}
	for slot := range p.slots {
		n.at = append(n.at, p.places(slot))
	}
	n.addSwitch(p.tree, -1)
	return n
}

// addSwitch makes a switch and all below it, and returns its index.
func (n *network) addSwitch(at tree, above int) int {
	index := len(n.progs)
	n.progs = append(n.progs, nil)
	cfg := switchml.Config{Node: fmt.Sprintf("s%d", index), Router: switchAddr(index), MAC: switchMAC(index), Faithful: n.faithful}
	port := sansio.Port(0)
	for id := range n.jobs {
		j := switchml.Job{ID: uint8(id + 1), Elements: elements, Slots: n.slots, FirstByte: n.first}
		if above >= 0 {
			j.Parent = &switchml.Parent{MAC: switchMAC(above), Addr: switchAddr(above), Port: upPort, UDP: between(id)}
		}
		for range at.hosts {
			h := n.addHost(id, outlet{index, port})
			j.Workers = append(j.Workers, switchml.Worker{ID: uint8(h.worker), MAC: h.flow.SrcMAC, Addr: h.flow.Src, Port: port})
			port++
		}
		cfg.Jobs = append(cfg.Jobs, j)
	}
	for _, b := range at.below {
		child := n.addSwitch(b, index)
		for id := range cfg.Jobs {
			cfg.Jobs[id].Workers = append(cfg.Jobs[id].Workers, switchml.Worker{ID: uint8(200 + child), MAC: switchMAC(child), Addr: switchAddr(child), Port: port, UDP: between(id)})
		}
		n.cable(outlet{child, upPort}, outlet{index, port}, fmt.Sprintf("s%d->s%d", child, index))
		n.cable(outlet{index, port}, outlet{child, upPort}, fmt.Sprintf("s%d->s%d", index, child))
		port++
	}
	p, err := New(cfg)
	if err != nil {
		n.t.Fatal(err)
	}
	n.progs[index] = p
	return index
}

// between returns the UDP port of a job between switches.
func between(id int) uint16 { return wire.Port + uint16(id) }

func (n *network) cable(from, to outlet, name string) *link {
	l := &link{name: name, to: to}
	n.links, n.leaves[from] = append(n.links, l), l
	return l
}

func (n *network) addHost(job int, at outlet) *host {
	h := &host{job: job, worker: n.ofJob[job], phase: make([]int, n.slots), begun: make([]int, n.slots)}
	n.ofJob[job]++
	who := len(n.hosts)
	h.flow = inet.Flow{SrcMAC: workerMAC(who), DstMAC: switchMAC(at.sw), Src: workerAddr(who), Dst: switchAddr(at.sw), SrcPort: clientPort, DstPort: wire.Port}
	h.up = &link{name: fmt.Sprintf("h%d->s%d", who, at.sw), to: at}
	down := n.cable(at, outlet{}, fmt.Sprintf("s%d->h%d", at.sw, who))
	down.host = h
	n.links, n.hosts = append(n.links, h.up), append(n.hosts, h)
	return h
}

// value is what a worker adds in a phase of a slot.
func (h *host) value(worker, slot int) int32 { return sample(1000*h.job+worker, slot, h.phase[slot]) }

// exponentOf is what a worker has in a phase, the last one the most.
func exponentOf(worker, phase int) int8 { return int8(worker - phase%100) }

// header returns the header of the packet in flight.
func (n *network) header(h *host, slot int) wire.Header {
	p := h.phase[slot]
	at := n.at[slot][p]
	return wire.Header{
		Type: wire.TypeConsume, Size: 1, Job: n.first + uint8(at.tensor), PacketID: uint32(at.nth*n.slots + slot),
		Set: uint8(p % 2), Slot: uint16(slot), E0: exponentOf(h.worker, p),
	}
}

// send puts a worker's packet in flight on its link, for the first time or again.
func (n *network) send(h *host, slot int) {
	if !n.mayBegin(h, slot) {
		return
	}
	h.begun[slot] = h.phase[slot] + 1
	n.forget(h.job)
	body := make([]byte, wire.HeaderLen)
	n.header(h, slot).Put(body)
	for range elements {
		body = binary.BigEndian.AppendUint32(body, uint32(h.value(h.worker, slot)))
	}
	header := inet.UDPHeader(h.flow)
	inet.SetUDPBody(header, len(body))
	h.up.put(frame{header, body, use{h.job, slot}, h.phase[slot]})
}

// tensor returns the tensor that a worker is in, in a slot.
func (n *network) tensor(h *host, slot int) int {
	if p := h.phase[slot]; p < len(n.at[slot]) {
		return n.at[slot][p].tensor
	}
	return math.MaxInt
}

// mayBegin reports whether a worker can be in its phase of a slot.
func (n *network) mayBegin(h *host, slot int) bool {
	at := n.tensor(h, slot)
	for other := range n.slots {
		if n.uses != nil && n.tensor(h, other) < at {
			return false
		}
	}
	return at < n.until
}

// forget loses what nobody waits for, and is of so many tensors ago as the switch can tell: so
// long no packet is on its way (assumed).
func (n *network) forget(job int) {
	last, first := 0, math.MaxInt
	for _, h := range n.hosts {
		for slot := range n.slots {
			if at := n.tensor(h, slot); h.job == job && at < n.until {
				last, first = max(last, at), min(first, at)
			}
		}
	}
	for _, l := range n.links {
		l.frames = slices.DeleteFunc(l.frames, func(f frame) bool {
			at := n.at[f.slot][f.phase].tensor
			return f.job == job && at < first && at <= last-2*quarter
		})
	}
}

// sendAll has every worker send what it waits for.
func (n *network) sendAll() {
	for _, h := range n.hosts {
		for slot := range n.slots {
			n.send(h, slot)
		}
	}
}

// arrive takes a frame to the end of a link. Whatever the switch sends is on links
// then.
func (n *network) arrive(l *link, f frame) {
	switch {
	case l.host != nil && n.take != nil:
		n.take(l.host, f.body)
		return
	case l.host != nil:
		n.result(l.host, f)
		return
	}
	p := n.progs[l.to.sw]
	header, body := append([]byte(nil), f.header...), append([]byte(nil), f.body...)
	if layout, problem := inet.Parse(append(header, body...)); problem != inet.OK || p.Claims(dataplane.Frame{Own: true, Header: header, Layout: layout}) != dataplane.Mine {
		n.t.Fatalf("%s: a frame that is not claimed: %q", l.name, problem)
	}
	p.Handle(0, []sansio.Arrival{{Port: l.to.port, Train: sansio.Train{Header: header, Body: body, Seg: len(body)}}}, &n.eff)
	clear(body) // borrowed until here
	for _, s := range n.eff.Sends {
		out := n.leaves[outlet{l.to.sw, s.To[0]}]
		for i := range s.Train.Frames() {
			t := s.Train.Frame(i, nil)
			out.put(frame{append([]byte(nil), t.Header...), append([]byte(nil), t.Body...), f.use, f.phase})
		}
	}
	n.eff.Reset()
}

// result is "upon receive" of Algorithm 4: a worker goes on, if it is the packet
// that it waits for.
func (n *network) result(h *host, f frame) {
	got, problem := wire.Parse(f.body)
	layout, bad := inet.Parse(append(append([]byte(nil), f.header...), f.body...))
	if problem != wire.OK || bad != inet.OK {
		n.t.Fatalf("a worker is sent %q, %q", problem, bad)
	}
	back := inet.FlowOf(f.header, layout)
	if back.Src != h.flow.Dst || back.Dst != h.flow.Src || back.DstMAC != h.flow.SrcMAC || back.SrcPort != wire.Port || back.DstPort != clientPort {
		n.t.Fatalf("a worker is sent %+v", back)
	}
	slot := int(got.Slot)
	if h.begun[slot] == h.phase[slot] { // nothing is in flight
		return
	}
	want := n.header(h, slot)
	if got.Job != want.Job || got.PacketID != want.PacketID || got.Set != want.Set {
		return
	}
	var sum int32
	for w := range n.ofJob[h.job] {
		sum += h.value(w, slot)
	}
	first, last := int32(binary.BigEndian.Uint32(f.body[wire.HeaderLen:])), int32(binary.BigEndian.Uint32(f.body[len(f.body)-4:]))
	if e := exponentOf(n.ofJob[h.job]-1, h.phase[slot]); first != sum || last != sum || got.E0 != e {
		n.wrong = append(n.wrong, fmt.Sprintf("job %d, worker %d, slot %d, phase %d: %d with exponent %d, want %d with %d", h.job, h.worker, slot, h.phase[slot], first, got.E0, sum, e))
	}
	h.phase[slot]++
	n.send(h, slot)
}

// fates are what a chooser may do to links.
type fates struct {
	reorder, duplicate, lose bool
}

// step does one thing: a frame comes to its end, in order or not, and may stay to
// come again, or is lost; or a worker sends again. choose returns 0 to k-1.
func (n *network) step(f fates, choose func(k int) int) {
	var busy []*link
	for _, l := range n.links {
		if len(l.frames) > 0 {
			busy = append(busy, l)
		}
	}
	if len(busy) == 0 || choose(6) == 0 {
		n.send(n.hosts[choose(len(n.hosts))], choose(n.slots))
		return
	}
	l := busy[choose(len(busy))]
	i := 0
	if f.reorder {
		i = choose(len(l.frames))
	}
	at := l.frames[i]
	fate := choose(8)
	if !f.duplicate || fate != 0 {
		l.frames = append(l.frames[:i:i], l.frames[i+1:]...)
	}
	if !f.lose || fate != 1 {
		n.arrive(l, at)
	}
}

// heal loses what is on its way, and from then on nothing: in every round of
// retransmissions those furthest behind must get on. It reports whether all got to the end.
func (n *network) heal() bool {
	for _, l := range n.links {
		l.frames = nil
	}
	most := 0 // rounds, one behind another
	for slot := range n.slots {
		if phases := len(n.at[slot]); n.uses != nil {
			most += phases
		} else {
			most = max(most, phases)
		}
	}
	for range most + 1 {
		n.sendAll()
		n.drain(nil)
		if n.finished() {
			return true
		}
	}
	return false
}

func (n *network) finished() bool {
	return !slices.ContainsFunc(n.hosts, func(h *host) bool {
		for slot := range n.slots {
			if n.tensor(h, slot) < n.until {
				return true
			}
		}
		return false
	})
}

// drain brings every frame to its end, and what comes of it, but for those that
// lose picks by link and place on it; nil: none.
func (n *network) drain(lose func(l *link, nth int) bool) {
	for moved := true; moved; {
		moved = false
		for _, l := range n.links {
			frames, first := l.frames, l.carried-len(l.frames)
			l.frames = nil
			for i, f := range frames {
				moved = true
				if lose == nil || !lose(l, first+i) {
					n.arrive(l, f)
				}
			}
		}
	}
}

// apart returns how many phases workers of a slot are apart at most.
func (n *network) apart() (most int) {
	for _, a := range n.hosts {
		for _, b := range n.hosts {
			for slot := range n.slots {
				if a.job == b.job {
					most = max(most, a.phase[slot]-b.phase[slot])
				}
			}
		}
	}
	return most
}

// dropped adds up a counter over all switches.
func (n *network) dropped(name string) (sum uint64) {
	for _, p := range n.progs {
		sum += p.count.Get(name)
	}
	return sum
}

// traced has the switches tell a sink.
func (n *network) traced(s trace.Sink) {
	for _, p := range n.progs {
		p.cfg.Trace = s
	}
}

// firstByte draws a job byte, often one where a quarter of them ends.
func firstByte(t *rapid.T) uint8 {
	return rapid.OneOf(rapid.Uint8(), rapid.Map(rapid.IntRange(1, 4), func(n int) uint8 { return uint8(quarter*n - 1) })).Draw(t, "first byte")
}
