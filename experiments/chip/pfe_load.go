package chip

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
	"github.com/inalab/inalab/switchd/trio"
)

const (
	pfeServers  = 4 // on one PFE: Trio §6.3
	pfeLinkRate = 100 * units.GbitPerSecond
)

// pfeLoad is Trio-ML traffic: servers that each keep a window of packets in flight
// and always have more.
type pfeLoad struct {
	grads, window int
	warmup, count int            // blocks that are not measured, and that are; a window and one more at least
	apart         units.Duration // by which each server is slower than the one before
}

// pfeRig is that traffic and the PFE, with nothing between but links:
//
//	server --> 100 Gbit/s --> PFE --> 100 Gbit/s --> each server
//
// A server answers a result with its next packet, the time of its software later.
// Its cores are not in the way: they take any number of packets at a time. Packets
// carry unstored values.
type pfeRig struct {
	load    pfeLoad
	engine  *microcode.Engine
	eff     sansio.Effects
	servers []pfeServer
	results []units.Time // when blocks were done
}

// pfeServer is one server with its two links.
type pfeServer struct {
	packet   units.Duration // one on a link
	link     units.Duration // delay of a link
	host     units.Duration // from a result to the packet that it makes room for
	up, down units.Time     // until when the links are busy
	next     uint32         // block of the next packet that arrives
	arrivals []units.Time   // of packets at the PFE, in order
}

// newPFERig returns the rig with the first windows on the links.
func newPFERig(m *Machine, load pfeLoad) (*pfeRig, error) {
	engine, err := m.engine(max(load.window, program.DefaultBlockMax), pfeServers)
	if err != nil {
		return nil, err
	}
	r := &pfeRig{load: load, engine: engine}
	for w := range pfeServers {
		s := pfeServer{link: m.link, host: 2*m.host + units.Duration(w)*load.apart}
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
	job := rig.TrioJob(n, rig.Ports(n)...)
	job.BlockMax = blocks
	return m.load(program.Config{NoAging: true, Jobs: []program.Job{job}}, nil)
}

// load returns the PFE with jobs of Trio-ML.
func (m *Machine) load(cfg program.Config, o trio.Observer) (*microcode.Engine, error) {
	timing := m.timing
	cfg.Node, cfg.Late = "pfe", m.late
	return microcode.New(cfg, microcode.Options{Program: m.prog, PPEs: m.PPEs, Threads: m.Threads, Timing: &timing, Memory: m.Memory, Observer: o})
}

// trioFrame is what a packet of so many gradients takes of an Ethernet.
func trioFrame(grads int) units.Bytes {
	return units.Bytes(inet.UDPHeaders+wire.HeaderLen+4*grads) + units.EthernetFraming
}

// send puts a packet on the link that may leave from a time on.
func (s *pfeServer) send(ready units.Time) {
	s.up = max(s.up, ready).Add(s.packet)
	s.arrivals = append(s.arrivals, s.up.Add(s.link))
}

// result takes a result that left the PFE, and sends the next packet.
func (s *pfeServer) result(now units.Time) {
	s.down = max(s.down, now).Add(s.packet)
	s.send(s.down.Add(s.link + s.host))
}

// until runs until so many blocks are done.
func (r *pfeRig) until(blocks int) error {
	for len(r.results) < blocks {
		at, from := r.engine.NextDeadline(), -1
		for w := range r.servers {
			if a := r.servers[w].arrivals; len(a) > 0 && a[0] < at {
				at, from = a[0], w
			}
		}
		switch {
		case at == units.Never:
			return fmt.Errorf("%d of %d blocks are done, and nothing is under way: %v", len(r.results), blocks, r.engine.Counters())
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
	s.arrivals = s.arrivals[1:]
	r.engine.Handle(now, []sansio.Arrival{trioPacket(server, s.next, r.load.grads)}, &r.eff)
	s.next++
}

// trioPacket is one of a server at the port of its number, of unstored values.
func trioPacket(server int, block uint32, grads int) sansio.Arrival {
	return sansio.Arrival{Port: sansio.Port(server), Train: rig.TrioLengths(wire.Header{Block: block, Source: uint8(server), Grads: uint16(grads)})}
}

// collect takes results to the servers.
func (r *pfeRig) collect(now units.Time) {
	for i := range r.eff.Sends {
		for _, port := range r.eff.Sends[i].To {
			r.servers[port].result(now)
		}
		r.results = append(r.results, now)
	}
	r.eff.Reset()
}

// pfeRun is one load on one machine.
type pfeRun struct {
	machine Machine
	load    pfeLoad
}

// pfePoint is what was measured of a run. Latency is time in the PFE, from the
// arrival of a packet to the end of its thread (ambiguity trio.latency-definition).
type pfePoint struct {
	pfeRun
	all     units.Duration // mean latency of all packets; one completes the block and builds the result
	adding  units.Duration // mean latency of those that do not
	waiting units.Duration // of it, for a thread; of all packets
	round   units.Duration // in which every place of the window comes round, mean
	end     trio.Snapshot  // of the whole run
}

// rate is gradients per microsecond of latency: the right axis of Fig 15.
func (p *pfePoint) rate(latency units.Duration) float64 {
	return float64(p.load.grads) / latency.Seconds() * 1e-6
}

// throughput is that of all servers' gradients, in bits a second.
func (p *pfePoint) throughput() float64 {
	return 32 * float64(pfeServers*p.load.window*p.load.grads) / p.round.Seconds()
}

// round returns the mean time between a result and the one that is a window behind it, of the blocks
// that are measured. Results leave in bursts, so that a time from result to result depends on where in a
// burst it begins; a round does not.
func (r *pfeRig) round() units.Duration {
	results, n := r.results[r.load.warmup:], units.Duration(0)
	var sum units.Duration
	for i := r.load.window; i < len(results); i++ {
		sum += results[i].Sub(results[i-r.load.window])
		n++
	}
	return sum / n
}

// measure runs the load and measures what comes behind its warm-up.
func (x pfeRun) measure() (pfePoint, error) {
	r, err := newPFERig(&x.machine, x.load)
	if err != nil {
		return pfePoint{}, err
	}
	if err := r.until(x.load.warmup); err != nil {
		return pfePoint{}, err
	}
	before := r.engine.Snapshot()
	if err := r.until(x.load.warmup + max(x.load.count, x.load.window+1)); err != nil {
		return pfePoint{}, err
	}
	p := pfePoint{pfeRun: x, round: r.round(), end: r.engine.Snapshot()}
	var adding, all, waiting span
	adding.between(inside(&before, trio.Consumed), inside(&p.end, trio.Consumed))
	all = adding
	all.between(inside(&before, trio.Created), inside(&p.end, trio.Created))
	waiting.between(before.Wait, p.end.Wait)
	p.all, p.adding, p.waiting = all.mean(), adding.mean(), waiting.mean()
	return p, nil
}

// inside returns the times of packets in the PFE, by what became of them.
func inside(s *trio.Snapshot, f trio.Fate) trio.Latency {
	for _, w := range s.Work {
		if w.Fate == f.String() {
			return w.Inside
		}
	}
	return trio.Latency{}
}

// span is times that are summed.
type span struct {
	sum units.Duration
	n   uint64
}

// between adds what was measured between two looks.
func (s *span) between(before, after trio.Latency) {
	s.sum += after.Sum - before.Sum
	s.n += after.N - before.N
}

func (s *span) mean() units.Duration { return s.sum / units.Duration(max(s.n, 1)) }

// measureAll carries runs out, as many at a time as there are processors, and
// returns points in their order.
func measureAll(ctx context.Context, runs []pfeRun) ([]pfePoint, error) {
	points := make([]pfePoint, len(runs))
	err := experiment.Parallel(len(runs), func(i int) (err error) {
		if err = ctx.Err(); err == nil {
			points[i], err = runs[i].measure()
		}
		return err
	})
	return points, err
}
