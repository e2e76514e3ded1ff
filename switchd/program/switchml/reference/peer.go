package reference

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// peer is who packets are sent to, a worker or the parent, and the header templates
// of packets to it.
type peer struct {
	flow      inet.Flow // without UDP ports
	to        []sansio.Port
	templates []template
}

type template struct {
	src, dst uint16
	header   []byte
}

// maxTemplates bounds the pairs of UDP ports that are remembered for a peer: one
// for each thread of the public client, which has at most 16 (assumed).
const maxTemplates = 64

func (p *peer) template(src, dst uint16) []byte {
	for _, t := range p.templates {
		if t.src == src && t.dst == dst {
			return t.header
		}
	}
	if len(p.templates) == maxTemplates {
		p.templates = p.templates[:0]
	}
	f := p.flow
	f.SrcPort, f.DstPort = src, dst
	h := inet.UDPHeader(f)
	p.templates = append(p.templates, template{src: src, dst: dst, header: h})
	return h
}

// worker is a member of a job.
type worker struct {
	peer
	id  uint8
	udp uint16 // that it sends to, so that its results come from there
}

func (c *Config) workerOf(j *Job, place int) worker {
	w := &j.Workers[place]
	return worker{
		peer: peer{flow: inet.Flow{SrcMAC: c.MAC, DstMAC: w.MAC, Src: c.Router, Dst: w.Addr}, to: []sansio.Port{w.Port}},
		id:   j.idOf(place), udp: w.udp(),
	}
}

// above is the parent of a job.
type above struct {
	peer
	udp uint16
}

func (c *Config) aboveOf(u *Parent) *above {
	self := u.Self
	if !self.IsValid() {
		self = c.Router
	}
	return &above{
		peer: peer{flow: inet.Flow{SrcMAC: c.MAC, DstMAC: u.MAC, Src: self, Dst: u.Addr}, to: []sansio.Port{u.Port}},
		udp:  u.udp(),
	}
}
