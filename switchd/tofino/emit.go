package tofino

import (
	"bytes"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/internal/wire/inet"
)

// exit gathers what leaves by a front port in a call, so that frames of one header
// that follow each other there leave as one train, whatever leaves by other ports in
// between.
type exit struct {
	to     []sansio.Port
	frames []frame
	latest []byte // header template of the last frame; nil: it had none
}

func newExit(p sansio.Port) *exit { return &exit{to: []sansio.Port{p}} }

// frame is a frame that leaves: a template and a payload, or a train as it stands.
type frame struct {
	template []byte // nil: train
	payload  []byte
	unstored int
	train    sansio.Train
}

// add returns the place of one more frame.
func (x *exit) add() *frame {
	n := len(x.frames)
	if n == cap(x.frames) {
		x.frames = append(x.frames, frame{})
	}
	x.frames = x.frames[:n+1]
	return &x.frames[n]
}

// flush sends what has gathered.
func (x *exit) flush(eff *sansio.Effects) {
	for i := range x.frames {
		if f := &x.frames[i]; f.template != nil {
			eff.EmitUnstored(x.to, f.template, f.payload, f.unstored)
		} else {
			eff.Send(x.to, f.train)
		}
	}
	x.frames, x.latest = x.frames[:0], nil
}

// emit sends a packet by a front port and gives it up.
func (c *Chip) emit(k *packet, p *port) {
	c.stats.sent++
	c.stats.inside.add(c.now.Sub(k.arrived))
	if k.marked {
		if mark(k.Front()) {
			p.stat.marked++
			c.stats.marked++
		} else {
			c.stats.unmarked++
		}
	}
	f, h := p.exit.add(), k.Front()
	if t, ok := c.sealed(k); ok {
		p.exit.latest, f.template, f.train = nil, nil, t
		c.end(k)
		return
	}
	if inet.WholeUDP(h, k.Len()) && (k.partial || h[udpSum] == 0 && h[udpSum+1] == 0) {
		p.exit.latest = c.eff.Template(p.exit.latest, h[:inet.UDPHeaders])
		f.template = p.exit.latest
		f.payload, f.unstored = c.body(k)
	} else {
		p.exit.latest, f.template = nil, nil
		f.train = c.frame(k)
	}
	c.end(k)
}

// udpSum is the offset of the checksum of UDP in IPv4 without options.
const udpSum = inet.UDPHeaders - 2

// payload is where the payload of a packet is in the memory of a call's effects.
type payload struct {
	call     uint64
	bytes    []byte
	unstored int
}

// body returns the payload of a UDP packet in memory of the effects. Copies of a packet
// whose payloads are the same share it: their tails are, so the fronts decide.
func (c *Chip) body(k *packet) (content []byte, unstored int) {
	owner := k
	if k.source != nil {
		owner = k.source
	}
	front, tail := k.Front()[inet.UDPHeaders:], k.Tail()
	total := len(front) + len(tail)
	s := &owner.payload
	if s.call == c.call && len(s.bytes)+s.unstored == total && s.hasPrefix(front) {
		return s.bytes, s.unstored
	}
	n := total
	if k.unstored {
		n = sansio.Content(c.stored-inet.UDPHeaders, front, tail)
	}
	b := c.eff.Body(n)
	copy(b[copy(b, front):], tail)
	*s = payload{c.call, b, total - n}
	return b, s.unstored
}

// hasPrefix reports whether a payload starts with bytes of a packet of the same length.
func (s *payload) hasPrefix(front []byte) bool {
	n := min(len(front), len(s.bytes))
	return bytes.Equal(s.bytes[:n], front[:n]) && vec.Zero(front[n:])
}

// frame returns the train of a packet of any other kind.
func (c *Chip) frame(k *packet) sansio.Train {
	sum := sansio.ChecksumAsIs
	if k.partial {
		sum = sansio.ChecksumPartial
	}
	return c.eff.Frame(k.Front(), k.Tail(), sum)
}

// ECN code points of the type of service (RFC 3168).
const (
	ecnMask    = 3
	notCapable = 0
	ecnCE      = 3
)

// mark sets Congestion Experienced in a packet, and reports whether it could.
func mark(front []byte) bool {
	if len(front) < inet.EtherLen+inet.IPv4Len || inet.Ether(front).Type() != inet.TypeIPv4 {
		return false
	}
	tos := &front[inet.EtherLen+1]
	if *tos&ecnMask == notCapable {
		return false
	}
	*tos |= ecnCE
	return true
}
