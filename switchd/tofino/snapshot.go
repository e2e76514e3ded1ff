package tofino

import "github.com/inalab/inalab/internal/units"

// Snapshot is what a chip has done and what it is doing. Asking changes nothing. In
// instant mode nothing takes time and no queue is used.
type Snapshot struct {
	Node    string     `json:"node"`
	Program string     `json:"program"`
	At      units.Time `json:"at_ps"` // of the latest call

	Arrived uint64   `json:"arrived"`
	Ingress uint64   `json:"ingress_passes"` // of packets that arrived and of copies
	Egress  uint64   `json:"egress_passes"`
	Copies  uint64   `json:"multicast_copies"`
	Mirrors uint64   `json:"mirrored_copies"`
	Sent    uint64   `json:"sent"`
	Inside  int      `json:"inside"`            // packets and copies
	Passes  []uint64 `json:"packets_by_passes"` // that arrived and are done with, by their ingress passes
	Span    Span     `json:"span"`              // from arrival to departure, of all that left

	Buffer     int        `json:"buffer_cells"` // in use
	BufferMost int        `json:"buffer_most_cells"`
	Ports      []PortStat `json:"ports"`
}

// PortStat is one port.
type PortStat struct {
	Dev      DevPort        `json:"dev"`
	Kind     string         `json:"kind"`  // front, loopback, recirculation
	Front    int            `json:"front"` // port of the chassis; -1: none
	In       uint64         `json:"in"`    // packets
	InBytes  units.Bytes    `json:"in_bytes"`
	Out      uint64         `json:"out"`
	OutBytes units.Bytes    `json:"out_bytes"`
	Busy     units.Duration `json:"busy_ps"`
	Marked   uint64         `json:"marked"`  // frames that left by it with Congestion Experienced, by whichever queue
	Dropped  uint64         `json:"dropped"` // at queues
	Queues   []QueueStat    `json:"queues"`
}

// QueueStat is one queue of a port.
type QueueStat struct {
	Cells int `json:"cells"` // now
	Most  int `json:"most_cells"`
}

// Snapshot returns what is measured.
func (c *Chip) Snapshot() Snapshot {
	s := Snapshot{
		Node: c.cfg.Node, Program: c.cfg.Program.Name, At: c.now,
		Arrived: c.stats.arrived, Ingress: c.stats.ingress, Egress: c.stats.egress, Copies: c.stats.copies, Mirrors: c.stats.mirrored,
		Sent: c.stats.sent, Inside: c.inside, Passes: append([]uint64(nil), c.stats.passes...), Span: c.stats.inside,
	}
	if c.clock != nil {
		s.Buffer, s.BufferMost = c.clock.cells, c.clock.most
	}
	for _, p := range c.order {
		s.Ports = append(s.Ports, p.snapshot())
	}
	return s
}

func (p *port) snapshot() PortStat {
	s := PortStat{
		Dev: p.dev, Kind: p.kind.String(), Front: int(p.front), In: p.stat.in, InBytes: p.stat.inBytes,
		Out: p.stat.out, OutBytes: p.stat.outBytes, Busy: p.busy, Marked: p.stat.marked, Dropped: p.stat.dropped,
	}
	for i := range p.queues {
		s.Queues = append(s.Queues, QueueStat{p.queues[i].cells, p.queues[i].most})
	}
	return s
}
