package reference

import (
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

var noticeCounts = map[uint8]string{wire.AgeTemporary: trioml.CountTemporary, wire.AgePermanent: trioml.CountPermanent, wire.AgeBack: trioml.CountBack}

func (p *Program) notify(j *job, n wire.Notice, eff *sansio.Effects) {
	p.count.Add(noticeCounts[n.Change], 1)
	j.sendNotice(n, j.template, eff)
}

// sendNotice sends a notice by the way of results, with the newest generation.
func (j *job) sendNotice(n wire.Notice, template []byte, eff *sansio.Effects) {
	n.Job = j.ID
	if j.started {
		n.Gen = j.newest
	}
	payload := eff.Body(wire.HeaderLen)
	n.Put(payload)
	eff.Emit(j.To, template, payload)
}

// relay passes a notice of a PFE below on, which came by the fabric or from another switch; false
// if the frame is something else. A notice has a time to live, for PFEs in a circle.
func (p *Program) relay(now units.Time, from sansio.Port, header, payload []byte, eff *sansio.Effects) bool {
	_, below := dataplane.IsFabric(from)
	below = below || from == dataplane.Served || slices.Contains(p.cfg.Peers, from)
	n, ok := wire.ParseNotice(payload)
	ttl := inet.IPv4(header[inet.EtherLen:]).TTL()
	if !below || !ok || ttl < 2 {
		return false
	}
	j := p.jobs[n.Job]
	if j == nil {
		p.drop(now, wire.Header{Job: n.Job, Block: wire.NoticeBlock, Source: n.Source, Gen: n.Gen}, trioml.DropUnknownJob)
		return true
	}
	template := eff.Header(len(j.template))
	copy(template, j.template)
	ip := inet.IPv4(template[inet.EtherLen:])
	ip.SetTTL(ttl - 1)
	ip.UpdateChecksum()
	p.count.Add(trioml.CountRelayed, 1)
	j.sendNotice(n, template, eff)
	return true
}
