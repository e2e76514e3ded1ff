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
	id        uint8  // of a worker
	udp       uint16 // that a worker sends to, so that its results come from there, or that of the parent
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
