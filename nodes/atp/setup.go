package atp

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// setUps puts down the servers of all set-ups.
func (c *Core) setUps() {
	all := append([]Setup{{c.cfg.Job, c.cfg.Servers}}, c.cfg.Setups...)
	for _, of := range all {
		var servers []server
		for i := range of.Servers {
			servers = append(servers, newServer(of.Job, &of.Servers[i]))
		}
		c.setups = append(c.setups, servers)
	}
}

// validateSetups checks the set-ups that may follow.
func (c *Config) validateSetups() error {
	if c.Setup < 0 || c.Setup > len(c.Setups) {
		return fmt.Errorf("a worker of set-up %d, of which there are %d beyond the first", c.Setup, len(c.Setups))
	}
	if c.Setup > 0 && c.Integers {
		return fmt.Errorf("a worker of set-up %d that sends integers: only workers that train come and go", c.Setup)
	}
	if n, all := c.mostOfGeneration(), int(wire.Split(c.SequenceBits, max(1, c.streams()))[0].Size); len(c.Setups) > 0 && n > all {
		return fmt.Errorf("up to %d packets of a stream in a generation, which has %d sequence numbers: a worker that is started again could not tell where to go on: take fewer threads or servers, or a shorter tensor", n, all)
	}
	ids := map[uint8]bool{c.Job: true}
	for i, s := range c.Setups {
		if ids[s.Job] {
			return fmt.Errorf("set-up %d has job id %d again: give each one of its own", i+1, s.Job)
		}
		ids[s.Job] = true
		if len(s.Servers) != len(c.Servers) {
			return fmt.Errorf("set-up %d has %d servers of %d: they stay the same", i+1, len(s.Servers), len(c.Servers))
		}
		for k := range s.Servers {
			if s.Servers[k].Flow.Dst != c.Servers[k].Flow.Dst {
				return fmt.Errorf("server %d is at %v in set-up %d, and at %v before: servers stay where they are", k, s.Servers[k].Flow.Dst, i+1, c.Servers[k].Flow.Dst)
			}
			if s.Servers[k].Upper.Levels != c.levels() {
				return fmt.Errorf("set-up %d, server %d: headers of %d levels, and of %d before: all set-ups have as many", i+1, k, s.Servers[k].Upper.Levels, c.levels())
			}
			if err := s.Servers[k].validate(); err != nil {
				return fmt.Errorf("set-up %d, server %d: %w", i+1, k, err)
			}
		}
	}
	return nil
}

// mostOfGeneration bounds the packets from the first of a generation, in a stream, to the last that may be sent
// before that is over for all workers. Threads are given evenly much, but for a cut.
func (c *Config) mostOfGeneration() int {
	blocks := 0
	for _, n := range c.tensors() {
		blocks += (n + block - 1) / block
	}
	return (blocks+c.Threads-1)/max(1, c.Threads) + c.Cut/block + c.Span + 2*c.Aggregators
}

// join makes a core one that asks for where to go on before it sends.
func (c *Core) join() {
	for i := range c.streams {
		s := &c.streams[i]
		s.direct(c.cfg.Setup)
		s.asks = true
	}
}

// Resume makes a worker that was started again take part from generation gen on, which it begins
// next: what was aggregated of that one it does not send, and so gets no parameters of. Its mean is
// not to be used, then.
func (c *Core) Resume(gen int) {
	for number := range gen {
		g := &generation{number: number}
		c.layOut(g)
		c.shareAll(g)
	}
	for i := range c.streams {
		s := &c.streams[i]
		for len(s.parts) > 0 {
			s.pass()
		}
		s.expected = s.next
		s.sweeps.used = false
	}
}

// first records what a worker that was started again sends in its first generation, before anybody can
// have the sums. What it sends again has the bits that it had before: the same gradient of the same model.
func (c *Core) first(g *generation) {
	if c.begun || c.cfg.Setup == 0 {
		return
	}
	g.joined = true
	for i := range g.tensors {
		t := &g.tensors[i]
		for b := range t.blocks {
			c.quantise(t, b)
		}
	}
	if c.cfg.Recorder != nil {
		c.cfg.Recorder.Sent(g.number, g.q)
	}
}

// strange says why a packet of a job's id is dropped.
func (c *Core) strange(s *stream, id uint8) string {
	for k := range s.setup {
		if c.setups[k][0].header.Job == id {
			return DropEarlier
		}
	}
	return DropForeign
}

// direct has a stream send by a set-up. Its window begins again.
func (s *stream) direct(setup int) {
	c, i := s.core, 0
	for k := range c.streams {
		if &c.streams[k] == s {
			i = k
		}
	}
	s.setup, s.server = setup, &c.setups[setup][i%len(c.cfg.Servers)]
	cfg := c.cfg
	cfg.Job = s.server.header.Job
	s.indexes = newIndexes(&cfg)[i]
	s.window = newWindow(&c.cfg, i)
	c.count.Add(CountSetups, 1)
}

// pass goes by the next packet without sending it.
func (s *stream) pass() {
	if _, sweep := s.sweeps.index(s.next); !sweep {
		f := s.cut()
		f.tensor.gen.remaining--
	}
	s.next++
}

// join asks the server where the stream goes on, until it says so.
func (s *stream) join(now units.Time, eff *sansio.Effects) {
	h := s.server.header
	h.Sequence, h.Flags = s.numbers.First, h.Flags|wire.Overflow
	payload := eff.Body(wire.DeepPayloadLen(int(h.Upper.Levels)))
	clear(payload)
	h.Put(payload)
	eff.Emit(s.core.to, s.server.template, payload)
	s.core.count.Add(CountJoins, 1)
	s.timeout = now.Add(s.core.cfg.Timeout)
}

// ready reports whether a stream may send. One that joins asks first, and leaves out what was
// aggregated before.
func (s *stream) ready(now units.Time, eff *sansio.Effects) bool {
	if s.asks {
		if s.timeout == units.Never {
			s.join(now, eff)
		}
		return false
	}
	for s.next < s.skips && len(s.parts) > 0 {
		s.pass()
		s.core.count.Add(CountTaken, 1)
		s.expected = s.next
	}
	s.resendAll(now, eff)
	return s.next >= s.reached
}

// told takes in from which number on the job goes, as it is set up under the id that the packet has.
func (s *stream) told(now units.Time, h *wire.Header, eff *sansio.Effects) {
	c := s.core
	k := s.setup
	for k < len(c.setups) && c.setups[k][0].header.Job != h.Job {
		k++
	}
	from, ok := s.numbers.Packet(h.Sequence, s.expected)
	if s.asks { // it may be anywhere in the generation
		from, ok = s.numbers.Next(h.Sequence, s.expected), true
	}
	switch {
	case k == len(c.setups):
		c.count.Add(c.strange(s, h.Job), 1)
		return
	case !ok || from < s.expected, k == s.setup && !s.asks:
		c.count.Add(DropDuplicate, 1)
		return
	case s.asks && !c.begun:
		return // it asks when it begins
	}
	if k > s.setup {
		s.direct(k)
	}
	if s.asks {
		s.asks, s.skips, s.timeout = false, from, units.Never
	} else {
		s.rewind(from)
	}
	s.event(now, trace.Retransmit, s.expected, SetUp)
	s.pump(now, eff)
}

// rewind has all that lacks its parameters sent again, as the window allows. What the server has
// answered is sent as a resend, as always; nobody has added any of the rest under the new id, so that
// it is as if it was sent first.
func (s *stream) rewind(from uint64) {
	s.reached, s.from = max(s.reached, s.next), from
	for packet := s.expected; packet < s.reached; packet++ {
		f := s.at(packet)
		f.resent, f.lost, f.since = false, false, 0
		f.floats = f.floats && (packet < from || f.received)
	}
	s.repairs = span{}
	s.next, s.inFlight, s.disorder, s.timeout = s.expected, 0, 0, units.Never
	s.window.round = s.next + uint64(s.window.size)
}

// resendAll sends what was sent in an earlier set-up, as far as the window allows.
func (s *stream) resendAll(now units.Time, eff *sansio.Effects) {
	for ; s.next < s.reached; s.next++ {
		switch f := s.at(s.next); {
		case f.received:
			if s.expected == s.next {
				s.expected++
			}
		case s.inFlight >= s.window.size:
			return
		default:
			s.resume(now, s.next, f, eff)
		}
	}
}

// resume sends a packet for the first time under the id of the set-up at hand.
func (s *stream) resume(now units.Time, packet uint64, f *fragment, eff *sansio.Effects) {
	if _, sweep := s.sweeps.index(packet); !sweep {
		f.index = s.indexes.of(packet)
	}
	if packet == s.expected {
		s.timeout = now.Add(s.core.cfg.Timeout)
	}
	s.inFlight++
	if packet < s.from {
		s.again(now, packet, SetUp, eff)
		return
	}
	s.event(now, trace.Sent, packet, SetUp)
	s.send(packet, 0, eff)
}
