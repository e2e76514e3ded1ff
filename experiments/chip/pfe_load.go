package chip

import (
	"fmt"

	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
)

const (
	pfeServers  = 4 // on one PFE: Trio §6.3
	pfeLinkRate = 100 * units.GbitPerSecond
)

// pfeLoad is Trio-ML traffic: servers that each keep a window of packets in flight
// and always have more.
type pfeLoad struct {
	grads, window int
	warmup, count int            // blocks that are not measured, and that are
	apart         units.Duration // by which each server is slower than the one before
}

// pfeRig is that traffic and the PFE, with nothing between but links:
//
//	server --> 100 Gbit/s --> PFE --> 100 Gbit/s --> each server
//
// A server answers a result with its next packet, the time of its software later.
// Its cores are not in the way: they take any number of packets at a time. Packets
// carry lengths only.
type pfeRig struct {
	load    pfeLoad
	engine  *microcode.Engine
	eff     sansio.Effects
	servers []pfeServer
	body    []byte     // of every packet, one after the other
	done    int        // blocks
	last    units.Time // when the latest of them was
}

// pfeServer is one server with its two links.
type pfeServer struct {
	header   []byte         // of its packets
	packet   units.Duration // one on a link
	link     units.Duration // delay of a link
	host     units.Duration // from a result to the packet that it makes room for
	up, down units.Time     // until when the links are busy
	next     uint32         // block of the next packet that arrives
	arrivals fifo           // of packets at the PFE
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

func (f *fifo) pop() { f.head++ }

// front returns the first, units.Never if there is none.
func (f *fifo) front() units.Time {
	if f.head == len(f.times) {
		return units.Never
	}
	return f.times[f.head]
}

// newPFERig returns the rig with the first windows on the links.
func newPFERig(m *Machine, load pfeLoad) (*pfeRig, error) {
	engine, err := m.engine(max(load.window, program.DefaultBlockMax), pfeServers)
	if err != nil {
		return nil, err
	}
	r := &pfeRig{load: load, engine: engine, body: make([]byte, wire.HeaderLen)}
	for w := range pfeServers {
		s := pfeServer{header: trioHeader(w, load.grads), link: m.link, host: 2*m.host + units.Duration(w)*load.apart}
		s.packet = pfeLinkRate.TimeToSend(trioFrame(load.grads))
		for range load.window {
			s.send(0)
		}
		r.servers = append(r.servers, s)
	}
	return r, nil
}

// engine returns the PFE with one job of so many sources, at the ports of their
// numbers. Nothing ages.
func (m *Machine) engine(blocks, n int) (*microcode.Engine, error) {
	job := program.Job{ID: rig.JobID, Sources: rig.Sources(n), Out: rig.TrioDown(), BlockMax: blocks}
	for w := range n {
		job.To = append(job.To, sansio.Port(w))
	}
	return microcode.New(
		program.Config{Node: "pfe", NoAging: true, Late: m.late, Jobs: []program.Job{job}},
		microcode.Options{Program: m.prog, PPEs: m.Ppes, Threads: m.Threads, Timing: &m.timing, Memory: m.Memory},
	)
}

// trioHeader is the headers of a server's packets of so many gradients.
func trioHeader(server, grads int) []byte {
	h := inet.UDPHeader(rig.TrioUp(server))
	inet.SetUDPBody(h, wire.HeaderLen+4*grads)
	return h
}

// trioFrame is what such a packet takes of an Ethernet.
func trioFrame(grads int) units.Bytes {
	return units.Bytes(inet.UDPHeaders+wire.HeaderLen+4*grads) + units.EthernetFraming
}

// send puts a packet on the link that may leave from a time on.
func (s *pfeServer) send(ready units.Time) {
	s.up = max(s.up, ready).Add(s.packet)
	s.arrivals.push(s.up.Add(s.link))
}

// result takes a result that left the PFE, and sends the next packet.
func (s *pfeServer) result(now units.Time) {
	s.down = max(s.down, now).Add(s.packet)
	s.send(s.down.Add(s.link + s.host))
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

// arrive hands over the next packet of a server.
func (r *pfeRig) arrive(now units.Time, server int) {
	s := &r.servers[server]
	s.arrivals.pop()
	train := trioTrain(s.header, r.body, server, s.next, r.load.grads)
	s.next++
	r.engine.Handle(now, []sansio.Arrival{{Port: sansio.Port(server), Train: train}}, &r.eff)
}

// trioTrain makes a packet in body, of lengths only behind the header of Trio-ML.
func trioTrain(header, body []byte, server int, block uint32, grads int) sansio.Train {
	wire.Header{Job: rig.JobID, Block: block, Source: uint8(server), SrcCnt: 1, Grads: uint16(grads)}.Put(body)
	return sansio.Train{Header: header, Body: body, Pad: 4 * grads}
}

// collect takes results to the servers.
func (r *pfeRig) collect(now units.Time) {
	for i := range r.eff.Sends {
		for _, port := range r.eff.Sends[i].To {
			r.servers[port].result(now)
		}
		r.done++
		r.last = now
	}
	r.eff.Reset()
}
