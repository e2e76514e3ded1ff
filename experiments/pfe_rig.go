package experiments

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/program/triomc"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
)

// pfeServers is how many servers Trio §6.3 has on one PFE.
const pfeServers = 4

// pfeLoad is Trio-ML traffic of §6.3: servers that each keep a window of blocks in
// flight and have always more.
type pfeLoad struct {
	grads, window int
	warmup, count int // blocks that are not measured, and that are
}

// pfeRig is that traffic and the PFE, with nothing between but links:
//
//	server --> 100 Gbit/s --> PFE --> 100 Gbit/s --> each server
//
// A server answers a result with its next packet, the time of its host later. Hosts
// are not in the way: they take any number of packets at a time. Packets carry
// lengths only.
type pfeRig struct {
	load    pfeLoad
	engine  *triomc.Engine
	eff     sansio.Effects
	servers [pfeServers]pfeServer
	link    pfeLink
	body    []byte // of every packet, one after the other
	done    int    // blocks
	last    units.Time
}

// pfeServer is one server with its two links.
type pfeServer struct {
	header   []byte
	up, down units.Time // until when the link is busy
	next     uint32     // block to send
	arrivals fifo       // of packets on the link up, at the PFE
}

// pfeLink is what packets and results take outside the PFE.
type pfeLink struct {
	packet units.Duration // on a link, serialised
	delay  units.Duration // of a link
	host   units.Duration // from a result to the packet that it makes room for
}

// fifo are times in order.
type fifo struct {
	times []units.Time
	head  int
}

func (f *fifo) push(t units.Time) {
	if f.head > len(f.times)/2 {
		f.times = f.times[:copy(f.times, f.times[f.head:])]
		f.head = 0
	}
	f.times = append(f.times, t)
}

func (f *fifo) front() units.Time {
	if f.head == len(f.times) {
		return units.Never
	}
	return f.times[f.head]
}

func newPFERig(e *Env, prog *isa.Program, m pfeMachine, load pfeLoad) (*pfeRig, error) {
	job := program.Job{ID: rigJob, Sources: sources(pfeServers), Out: trioDown(), BlockMax: max(load.window, program.DefaultBlockMax)}
	for w := range pfeServers {
		job.To = append(job.To, sansio.Port(w))
	}
	engine, err := triomc.New(
		program.Config{Node: "pfe", NoAging: true, Jobs: []program.Job{job}},
		triomc.Options{Program: prog, PPEs: m.ppes, Threads: m.threads, Timing: &m.timing, Memory: m.memory},
	)
	if err != nil {
		return nil, err
	}
	r := &pfeRig{load: load, engine: engine, body: make([]byte, wire.HeaderLen)}
	frame := units.Bytes(inet.UDPHeaders+wire.HeaderLen+4*load.grads) + units.EthernetFraming
	r.link = pfeLink{
		packet: (100 * units.GbitPerSecond).TimeToSend(frame), delay: micro(e.Constants.Get("link.delay")),
		host: 2 * micro(e.Constants.Get("dpdk.latency")),
	}
	for w := range r.servers {
		s := &r.servers[w]
		s.header = inet.UDPHeader(trioUp(w))
		inet.SetUDPBody(s.header, wire.HeaderLen+4*load.grads)
		for range load.window {
			s.send(0, &r.link)
		}
	}
	return r, nil
}

// send puts a packet on the link that may leave from a time on.
func (s *pfeServer) send(ready units.Time, l *pfeLink) {
	s.up = max(s.up, ready).Add(l.packet)
	s.arrivals.push(s.up.Add(l.delay))
}

// result takes a result that left the PFE, and sends the next packet.
func (s *pfeServer) result(now units.Time, l *pfeLink) {
	s.down = max(s.down, now).Add(l.packet)
	s.send(s.down.Add(l.delay+l.host), l)
}

// until runs until so many blocks are done.
func (r *pfeRig) until(blocks int) error {
	for r.done < blocks {
		at, from := r.engine.NextDeadline(), -1
		for w := range r.servers {
			if t := r.servers[w].arrivals.front(); t < at {
				at, from = t, w
			}
		}
		switch {
		case at == units.Never:
			return fmt.Errorf("%d of %d blocks are done, and nothing is under way: %v", r.done, blocks, r.engine.Counters())
		case from < 0:
			r.engine.Expire(at, &r.eff)
		default:
			r.arrive(at, from)
		}
		r.collect(at)
	}
	return nil
}

// arrive hands over the packet of a server that comes next.
func (r *pfeRig) arrive(now units.Time, server int) {
	s := &r.servers[server]
	wire.Header{Job: rigJob, Block: s.next, Source: uint8(server), SrcCnt: 1, Grads: uint16(r.load.grads)}.Put(r.body)
	s.arrivals.head++
	s.next++
	r.engine.Handle(now, []sansio.Arrival{{Port: sansio.Port(server), Train: sansio.Train{Header: s.header, Body: r.body, Pad: 4 * r.load.grads}}}, &r.eff)
}

func (r *pfeRig) collect(now units.Time) {
	for i := range r.eff.Sends {
		for _, port := range r.eff.Sends[i].To {
			r.servers[port].result(now, &r.link)
		}
		r.done++
		r.last = now
	}
	r.eff.Reset()
}

// pfePoint is what was measured of a load.
type pfePoint struct {
	load    pfeLoad
	all     units.Duration // mean of all packets, from arrival to the end of the thread
	adding  units.Duration // that of packets that do not complete a block
	waiting units.Duration // for a thread, in these
	took    units.Duration // of the measured blocks, from result to result
	snap    trio.Snapshot  // of the whole run
}

// rate is gradients per microsecond of latency, the right axis of Fig 15.
func (p *pfePoint) rate() float64 { return float64(p.load.grads) / p.all.Seconds() * 1e-6 }

// throughput is that of all servers' gradients, in bits a second.
func (p *pfePoint) throughput() float64 {
	return float64(pfeServers*p.load.count*p.load.grads) * 32 / p.took.Seconds()
}

// latency of packets by what became of them.
func spent(s *trio.Snapshot, fate trio.Fate) (l trio.Latency) {
	for _, w := range s.Work {
		if w.Fate == fate.String() {
			return w.Inside
		}
	}
	return l
}

// measurePFE runs a load and measures what comes behind its warm-up.
func measurePFE(e *Env, prog *isa.Program, m pfeMachine, load pfeLoad) (pfePoint, error) {
	r, err := newPFERig(e, prog, m, load)
	if err != nil {
		return pfePoint{}, err
	}
	if err := r.until(load.warmup); err != nil {
		return pfePoint{}, err
	}
	before, from := r.engine.Snapshot(), r.last
	if err := r.until(load.warmup + load.count); err != nil {
		return pfePoint{}, err
	}
	p := pfePoint{load: load, took: r.last.Sub(from), snap: r.engine.Snapshot()}
	mean := func(of ...trio.Latency) units.Duration { // pairs: at the end, and before
		sum, n := units.Duration(0), uint64(0)
		for i := 0; i < len(of); i += 2 {
			sum, n = sum+of[i].Sum-of[i+1].Sum, n+of[i].N-of[i+1].N
		}
		return sum / units.Duration(max(n, 1))
	}
	adding, result := []trio.Latency{spent(&p.snap, trio.Consumed), spent(&before, trio.Consumed)}, []trio.Latency{spent(&p.snap, trio.Created), spent(&before, trio.Created)}
	p.adding, p.all = mean(adding...), mean(append(adding, result...)...)
	p.waiting = mean(p.snap.Wait, before.Wait)
	return p, nil
}
