package tofino

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// Reasons for which packets are dropped, in addition to those of package vm.
const (
	DropNoPort        = "tofino-no-such-port"
	DropTooLong       = "tofino-frame-too-long"
	DropProgram       = "tofino-dropped-by-program"
	DropEgress        = "tofino-dropped-by-egress"
	DropNoDestination = "tofino-no-destination"
	DropNoGroup       = "tofino-no-such-multicast-group"
	DropNoSession     = "tofino-no-such-mirror-session"
	DropPasses        = "tofino-too-many-passes"
	DropTwice         = "tofino-resubmitted-twice"
	DropInside        = "tofino-resubmitted-at-an-inside-port"
	DropInput         = "tofino-input-buffer-full"
	DropMirror        = "tofino-mirror-buffer-full" // of a copy that is not made
	DropQueue         = "tofino-queue-full"
	DropBuffer        = "tofino-packet-buffer-full"
)

// ingress takes a packet through the ingress of its port, and on: at once to the
// traffic manager, or by an event.
func (c *Chip) ingress(k *packet) {
	if k.passes >= c.cfg.Passes {
		c.drop(k, DropPasses)
		return
	}
	k.passes++
	c.stats.ingress++
	if c.code.Mirrors() || c.code.Resubmits() {
		c.original.SetCopy(&k.Packet, MaxFrame)
		c.original.Own()
	}
	if w := c.ports[k.port].input; w != nil && !k.resubmitted {
		w.pass(c.now, onLine(k))
	}
	pipe := k.port.Pipe()
	c.in = vm.In{Port: uint16(k.port), Time: c.now, Resubmitted: k.resubmitted, Resubmit: k.data}
	c.draw(pipe, k.port, fit.Ingress)
	reason := c.pass.Ingress(c.pipes[pipe], &k.Packet, &c.in, &k.verdict)
	c.observe(c.pass, k, pipe, fit.Ingress, reason)
	if reason != vm.OK {
		c.drop(k, string(reason))
		return
	}
	c.judge(k)
}

// judge does with a packet what its ingress wants. Where the documents differ, a packet that is
// dropped is not resubmitted (TNA's include file, drop_ctl; TNA 5.6 resubmits it).
func (c *Chip) judge(k *packet) {
	v := &k.verdict
	dropped := v.Drop&dropBit != 0
	if v.Resubmit && !dropped {
		c.resubmit(k)
		return
	}
	if v.Mirror != 0 {
		c.mirror(k)
	}
	if dropped {
		c.drop(k, c.dropName(c.pass, DropProgram))
		return
	}
	c.proceed(k, stepManager)
}

// dropName returns the counter of a drop by the program, in a pass.
func (c *Chip) dropName(s *vm.Pass, otherwise string) string {
	if c.reason != fit.NoField {
		if v := s.Field(c.reason); v < uint64(len(c.cfg.DropNames)) && c.cfg.DropNames[v] != "" {
			return c.cfg.DropNames[v]
		}
	}
	return otherwise
}

// egress takes a packet through the egress of the port that it will leave by. It
// reports false where that is its end.
func (c *Chip) egress(k *packet, p *port) bool {
	if !k.verdict.Bypass {
		c.stats.egress++
		pipe := p.dev.Pipe()
		c.draw(pipe, p.dev, fit.Egress)
		dropped, reason := c.pass.Egress(c.pipes[pipe], &k.Packet, &k.out)
		c.observe(c.pass, k, pipe, fit.Egress, reason)
		switch {
		case reason != vm.OK:
			c.drop(k, string(reason))
			return false
		case dropped:
			c.drop(k, c.dropName(c.pass, DropEgress))
			return false
		}
	}
	if k.Len() > MaxFrame {
		c.drop(k, DropTooLong)
		return false
	}
	return true
}

// reenter prepares a packet that leaves by a port into the ingress of that port.
func (k *packet) reenter(p *port) {
	k.port, k.step = p.dev, stepIngress
	k.resubmitted, k.data, k.out = false, 0, vm.Out{}
	p.stat.in++
	p.stat.inBytes += bytesOf(k)
}

// Observer is told of passes. It must not keep what it gets, and changes nothing.
type Observer interface{ Passed(o *Observation) }

// Observation is one pass that has just been done.
type Observation struct {
	At      units.Time
	Side    fit.Side
	Pipe    int     // from 0
	Port    DevPort // of the ingress, that the packet came by; of the egress, that it leaves by
	Passes  int     // of the packet through an ingress, this one included
	Reason  vm.Reason
	Frame   uint64      // number of the frame that arrived, in the order of arrival; of a copy that of the original
	Verdict *vm.Verdict // of the ingress that was last
	Packet  *vm.Packet  // as it is behind the deparser
	*vm.Pass
}

// tells reports whether the observer wants to know of a pass, if it does without some.
func (c *Chip) tells(s *vm.Pass, side fit.Side, v *vm.Verdict) bool {
	return side == fit.Ingress && (v.Drop != 0 || !v.Bypass || s.Slots[c.telling.Off] != 0)
}

// unread returns what the chip reads of the metadata behind a pass that the observer is not told of; false: it is told, and
// may read all.
func (c *Chip) unread(side fit.Side, v *vm.Verdict, known func(fit.FieldID) (uint64, bool)) (read []fit.FieldID, ok bool) {
	if c.reason != fit.NoField {
		read = append(read, c.reason)
	}
	switch {
	case c.cfg.Observer == nil:
		return read, true
	case c.telling == nil:
		return nil, false
	case side == fit.Ingress:
		telling, err := c.code.Field(c.cfg.Telling)
		n, fixed := known(telling)
		return append(read, telling), err == nil && fixed && n == 0 && v.Drop == 0 && v.Bypass
	}
	return read, true // of the egress it is told nothing
}

func (c *Chip) observe(s *vm.Pass, k *packet, pipe int, side fit.Side, reason vm.Reason) {
	if c.cfg.Observer == nil || c.telling != nil && reason == vm.OK && !c.tells(s, side, &k.verdict) {
		return
	}
	port := k.port
	if side == fit.Egress {
		port = DevPort(k.out.Port)
	}
	w := &c.watched
	w.At, w.Side, w.Pipe, w.Port, w.Passes, w.Reason = c.now, side, pipe, port, k.passes, reason
	w.Verdict, w.Packet, w.Pass, w.Frame = &k.verdict, &k.Packet, s, k.frame
	c.cfg.Observer.Passed(w)
}
