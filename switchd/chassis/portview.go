package chassis

import (
	"github.com/inalab/inalab/switchd/dataplane"
)

// PortTable returns the traffic of the wired ports of a PFE, and what the links modelled here marked and dropped. Every
// switch has it, whatever runs there.
func (c *Chassis) PortTable(pfe, limit int) dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "port", Name: "port"}, {Key: "peer", Name: "leads to"},
		{Key: "in_frames", Name: "in", Unit: "frames"}, {Key: "in_bytes", Name: "in", Unit: "bytes", Spare: 2},
		{Key: "out_frames", Name: "out", Unit: "frames"}, {Key: "out_bytes", Name: "out", Unit: "bytes", Spare: 2},
		{Key: "marks", Name: "marks", Unit: "frames", Spare: 1}, {Key: "drops", Name: "drops", Unit: "frames"},
	}}
	for i := range c.ports {
		p := &c.ports[i]
		if !p.wired || p.pfe != pfe {
			continue
		}
		marks, drops := p.losses()
		t.Add(dataplane.Text(p.stat.Name), dataplane.Text(c.cfg.Switch.Ports[i].Peer.String()),
			dataplane.Int(p.stat.In.Frames), dataplane.Int(p.stat.In.Bytes), dataplane.Int(p.stat.Out.Frames), dataplane.Int(p.stat.Out.Bytes),
			dataplane.Int(marks), dataplane.Int(drops))
	}
	t.Cut(limit)
	return t
}

// losses returns what the links of a port that are modelled here marked and dropped.
func (p *port) losses() (marks, drops uint64) {
	for _, l := range []*part{p.in, p.out} {
		if l == nil || l.link == nil {
			continue
		}
		s := l.link.Stats()
		marks += s.Marked
		for _, d := range s.Drops() {
			drops += d.N
		}
	}
	return marks, drops
}
