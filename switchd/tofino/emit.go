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
	if wholeUDP(h, k.Len()) && (k.partial || h[udpSum] == 0 && h[udpSum+1] == 0) {
		f.template = c.template(p.exit, h[:inet.UDPHeaders])
		f.payload, f.unstored = c.body(k)
	} else {
		p.exit.latest, f.template = nil, nil
		f.train = c.frame(k)
	}
	c.end(k)
}

// wholeUDP reports whether a packet starts with UDP in IPv4 without options, and its
// lengths are those of the packet.
func wholeUDP(front []byte, total int) bool {
	if len(front) < inet.UDPHeaders {
		return false
	}
	l, problem := inet.ParseHeader(front[:inet.UDPHeaders], total)
	return problem == inet.OK && l.Proto == inet.ProtoUDP && l.Body == inet.UDPHeaders && l.End == total &&
		inet.UDP(front[l.Transport:]).Len() == total-l.Transport
}

// template returns the header that [sansio.Effects.Emit] wants: that of the last frame of
// this port, if this one differs from it in lengths and sums only, so that both can be
// one train. With an identification of its own a packet stays alone, since trains
// count these on.
func (c *Chip) template(x *exit, header []byte) []byte {
	if x.latest != nil && sameFlow(x.latest, header) {
		return x.latest
	}
	x.latest = c.eff.Header(inet.UDPHeaders)
	copy(x.latest, header)
	inet.SetUDPBody(x.latest, 0)
	inet.UDP(x.latest[inet.UDPHeaders-inet.UDPLen:]).SetChecksum(0)
	return x.latest
}

// udpSum is the offset of the checksum of UDP in IPv4 without options.
const udpSum = inet.UDPHeaders - 2

// sameFlow reports whether headers agree in all but lengths and sums, and have no
// identification.
func sameFlow(a, b []byte) bool {
	const total, id, sum, addresses, length = 16, 18, 24, 26, 38 // offsets of IPv4 and UDP fields behind Ethernet
	return b[id] == 0 && b[id+1] == 0 && bytes.Equal(a[:total], b[:total]) && bytes.Equal(a[id:sum], b[id:sum]) &&
		bytes.Equal(a[addresses:length], b[addresses:length])
}

// payload is where the payload of a packet is in the memory of a call's effects.
type payload struct {
	call     uint64
	bytes    []byte
	unstored int
}

// body returns the payload of a UDP packet in memory of the effects. Copies of a packet
// whose payloads are the same share it: their tails are, so the fronts decide.
func (c *Chip) body(k *packet) (content []byte, unstored int) {
	of := k
	if k.of != nil {
		of = k.of
	}
	front, tail := k.Front()[inet.UDPHeaders:], k.Tail()
	total := len(front) + len(tail)
	s := &of.payload
	if s.call == c.call && len(s.bytes)+s.unstored == total && s.starts(front) {
		return s.bytes, s.unstored
	}
	n := c.content(front, tail)
	b := c.eff.Body(n)
	copy(b[copy(b, front):], tail)
	*s = payload{c.call, b, total - n}
	return b, s.unstored
}

// starts reports whether a payload starts with bytes of a packet of the same length.
func (s *payload) starts(front []byte) bool {
	n := min(len(front), len(s.bytes))
	return bytes.Equal(s.bytes[:n], front[:n]) && vec.Zero(front[n:])
}

// content returns the bytes of a payload that are to be stored. Under the virtual
// clock packets may carry unstored values; what a program makes of their zeros is zero,
// and leaves unstored, too: everything behind as many bytes as those packets had. In
// a chip that has seen no such packet all is content.
func (c *Chip) content(front, tail []byte) int {
	n, total := c.stored-inet.UDPHeaders, len(front)+len(tail)
	if c.stored == 0 || n < 0 || n >= total {
		return total
	}
	if !vec.Zero(front[min(n, len(front)):]) || !vec.Zero(tail[max(0, n-len(front)):]) {
		return total
	}
	return n
}

// frame returns the train of a packet of any other kind.
func (c *Chip) frame(k *packet) sansio.Train {
	front := k.Front()
	frame := c.eff.Body(k.Len())
	copy(frame[copy(frame, front):], k.Tail())
	sum := sansio.ChecksumAsIs
	if k.partial {
		sum = sansio.ChecksumPartial
	}
	t := sansio.NewTrain(frame, 0, sum)
	l, problem := inet.Parse(frame)
	if problem != inet.OK {
		t.Checksum = sansio.ChecksumAsIs // nothing that a sum could be filled into
		return t
	}
	t.Memory = c.eff.Owner(t.Body)
	ip := inet.IPv4(frame[inet.EtherLen:])
	ip.UpdateChecksum()
	if k.partial && l.End == len(frame) {
		sansio.FillPartial(t.Header, len(t.Body))
	}
	return t
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
