package impair

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo"
)

// Label says where packets of one kind name their job and slot. It names no protocol: who has packets
// says where in them these stand.
type Label struct {
	Protocol uint8     // of IPv4
	Ports    [2]uint16 // of UDP, the lowest and the highest: source or destination is one of them; zero for another protocol
	Job      Field
	Slot     Field
}

// Field is a number in the payload of UDP, or of IPv4 where the protocol is another, big-endian.
type Field struct {
	Offset int
	Bytes  int    // 1 to 4
	Mask   uint32 // of the bits that count; zero: all
}

// name is the job and slot of a packet; ok is false where it names none.
type name struct {
	job, slot uint32
	ok        bool
}

func (l *Label) validate() error {
	for _, f := range []Field{l.Job, l.Slot} {
		if f.Offset < 0 || f.Bytes < 1 || f.Bytes > 4 {
			return fmt.Errorf("label of protocol %d: a field of %d bytes at %d: it must have 1 to 4 bytes, from 0 on", l.Protocol, f.Bytes, f.Offset)
		}
	}
	if l.Ports[0] > l.Ports[1] {
		return fmt.Errorf("label of ports %d to %d: write the lowest first", l.Ports[0], l.Ports[1])
	}
	return nil
}

// labelOf returns the label that fits the packets of a train, or nil.
func labelOf(list []Label, t *sansio.Train) (*Label, inet.Layout) {
	at, problem := t.Layout()
	if problem != inet.OK {
		return nil, at
	}
	for i := range list {
		if list[i].fits(t, at) {
			return &list[i], at
		}
	}
	return nil, at
}

func (l *Label) fits(t *sansio.Train, at inet.Layout) bool {
	if at.Proto != l.Protocol {
		return false
	}
	if at.Proto != inet.ProtoUDP {
		return true
	}
	udp := inet.UDP(t.Header[at.Transport:])
	in := func(port uint16) bool { return l.Ports[0] <= port && port <= l.Ports[1] }
	return in(udp.SrcPort()) || in(udp.DstPort())
}

// read takes a number of frame i of a train: it may stand in what is kept as its header.
func (f Field) read(t *sansio.Train, from, i int) (v uint32, ok bool) {
	body := t.Payload(i)
	for k := range f.Bytes {
		at := from + f.Offset + k
		switch in := at - len(t.Header); {
		case in < 0:
			v = v<<8 | uint32(t.Header[at])
		case in < len(body):
			v = v<<8 | uint32(body[in])
		default:
			return 0, false
		}
	}
	if f.Mask != 0 {
		v &= f.Mask
	}
	return v, true
}

// nameOf returns what frame i of a train is called by its label.
func (l *Label) nameOf(t *sansio.Train, at inet.Layout, i int) (n name) {
	var ok [2]bool
	n.job, ok[0] = l.Job.read(t, at.Body, i)
	n.slot, ok[1] = l.Slot.read(t, at.Body, i)
	n.ok = ok[0] && ok[1]
	return n
}

// scripted reports whether packets are lost by name, now or after a change.
func (c *Config) scripted() bool {
	return c.Script != "" || slices.ContainsFunc(c.Changes, func(g Change) bool { return g.Script != "" })
}

// script counts packets by name, and loses those that it is told.
type script map[[2]uint32]*named

// named is the packets of one name.
type named struct {
	seen int   // so far
	lose []int // of them, by number from 1, in order
}

// newScript returns the script of a text that was checked.
func newScript(text topo.Script) script {
	drops, err := text.Drops()
	if err != nil {
		panic("impair: " + err.Error()) // validate reads it
	}
	s := script{}
	for _, d := range drops {
		s[[2]uint32{uint32(d.Job), d.Slot}] = &named{lose: d.Packets}
	}
	return s
}

// loses reports whether the next packet of a name is lost.
func (s script) loses(n name) bool {
	if !n.ok {
		return false
	}
	at := s[[2]uint32{n.job, n.slot}]
	if at == nil {
		return false
	}
	at.seen++
	if len(at.lose) == 0 || at.lose[0] != at.seen {
		return false
	}
	at.lose = at.lose[1:]
	return true
}
