package xaggd

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
)

// frame sends a packet of the iteration at hand; h has its index and flags. Values may be nil: they
// are unstored. Missing ones behind the last are zero.
func (a *agent) frame(p *Peer, h wire.Header, values []int32, eff *sansio.Effects) {
	h.Host, h.Job, h.Iteration = a.cfg.ID, a.cfg.Job, a.iteration
	stored := 4 * a.cfg.Values
	if values == nil {
		stored = 0
	}
	header, body := eff.Header(wire.HeaderOffset), eff.Body(wire.HeaderLen+stored)
	path := wire.Path{SrcMAC: a.cfg.MAC, DstMAC: p.MAC, Src: a.cfg.Addr, Dst: p.Addr}
	path.PutPath(header, a.cfg.Values)
	h.Put(body)
	wire.PutValues(body[wire.HeaderLen:], values)
	clear(body[wire.HeaderLen+4*len(values):])
	eff.Send(a.to, sansio.Train{Header: header, Body: body, Memory: eff.Owner(body), Unstored: 4*a.cfg.Values - stored})
}

// resend is a finished sum that somebody lacks.
type resend struct {
	host  uint32 // to whom
	index uint32
}

// resender is sums that wait to be sent again.
type resender struct {
	queue  []resend
	queued map[resend]wire.Flags // Retransmit: it was lost; looked up, never ranged
}

// add queues a sum, once. Retransmit is the flag of one that was lost: a parent sends a finished sum on
// again for it. One that a new parent was never sent has none.
func (r *resender) add(x resend, flag wire.Flags) {
	if _, ok := r.queued[x]; ok {
		return
	}
	if r.queued == nil {
		r.queued = map[resend]wire.Flags{}
	}
	r.queued[x] = flag
	r.queue = append(r.queue, x)
}

// clear forgets all.
func (r *resender) clear() { *r = resender{} }

// again sends the next finished sum to the host that find returns, where nil is nobody any more. It
// reports whether there was one. What is not finished is left out: it leaves when it is.
func (a *agent) again(r *resender, flags wire.Flags, find func(host uint32) *Peer, eff *sansio.Effects) bool {
	required := a.state.Sums().Required
	for len(r.queue) > 0 {
		x := r.queue[0]
		r.queue = r.queue[1:]
		flag := flags | r.queued[x]
		delete(r.queued, x)
		if len(r.queue) == 0 || wire.EndsGroup(x.index, a.cfg.Fragments) {
			flag |= wire.EndOfGroup // its group is looked at
		}
		e, err := a.store.Sum(x.index)
		p := find(x.host)
		switch {
		case err != nil:
			a.count.Add(CountStoreFailed, 1)
		case e.Iteration != a.iteration || e.Bitmap == 0 || e.Bitmap&required != required:
			a.count.Add(CountUnfinished, 1)
		case p != nil:
			a.frame(p, wire.Header{Gradient: x.index, Flags: flag}, e.Values, eff)
			a.count.Add(CountAgain, 1)
			a.count.Resent(1, units.Bytes(wire.PayloadLen(a.cfg.Values)))
			return true
		}
	}
	return false
}
