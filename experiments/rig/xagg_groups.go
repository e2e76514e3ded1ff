package rig

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/xagg/groups"
)

// Grouped is a sender of XAgg and the books of its aggregator, with wires of a microsecond between them
// and a packet each microsecond.
type Grouped struct {
	Packets uint32
	Lost    func(index uint32, copies int) bool // of the copy with this number, from 1 on

	Ends    int // entries of the check queue
	Reports int // loss reports
	Dones   int // words that everything is sent
	Closes  int // words that everything is there
	Sent    int // packets, with those sent again
	There   map[uint32]bool
}

// groupedHost is the bit of the sender.
const groupedHost = 3

// Run sends a gradient to the end.
func (g *Grouped) Run() error {
	c := groups.Config{Packets: g.Packets}
	s, err := groups.NewSender(c)
	if err != nil {
		return err
	}
	g.There = make(map[uint32]bool, g.Packets)
	r, err := groups.NewReceiver(c, []groups.Host{groupedHost}, func(_ groups.Host, i uint32) bool { return g.There[i] })
	if err != nil {
		return err
	}
	copies := map[uint32]int{}
	limit := 100*int(g.Packets) + 1_000_000
	for now := units.Time(0); !s.Finished(); now = now.Add(units.Microsecond) {
		if limit--; limit < 0 {
			return fmt.Errorf("%d packets: not finished at %v", g.Packets, now)
		}
		g.send(now, s, r, copies)
		if s.Expire(now) {
			g.Dones++
			r.Done(now, groupedHost)
		}
		r.Expire(now)
		for _, e := range r.Events() {
			if e.Complete {
				g.Closes++
				s.Complete()
			} else {
				g.Reports++
				s.Report(e.Report, e.Lost)
			}
		}
	}
	return nil
}

// send takes the next packet across, if it is not lost.
func (g *Grouped) send(now units.Time, s *groups.Sender, r *groups.Receiver, copies map[uint32]int) {
	p, ok := s.Next(now)
	if !ok {
		return
	}
	g.Sent++
	copies[p.Index]++
	if g.Lost != nil && g.Lost(p.Index, copies[p.Index]) {
		return
	}
	g.There[p.Index] = true
	if p.Ends {
		g.Ends++
		r.Checked(now, groupedHost, p.Index)
	}
}
