package xaggd

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/rates"
)

// timing measures what negotiation takes (XAgg §VI-C, "Evaluation of Delays").
type timing struct {
	asking bool // a request that began an iteration waits for a rate
	seq    uint32
	asked  units.Time
	told   map[uint32]updated // by host id of a child; looked up, never ranged
}

// updated is a notice of another rate that a child has not confirmed.
type updated struct {
	number uint32
	at     units.Time
}

// sends notes a rate message when it is made, before what negotiation is said to take. A message that is
// sent again counts from the first time.
func (t *timing) sends(now units.Time, to *Peer, s *rates.Send) {
	switch {
	case s.Request != nil && s.Initial && !(t.asking && t.seq == s.Request.Seq):
		t.asking, t.seq, t.asked = true, s.Request.Seq, now
	case s.Notice != nil && !s.Initial && t.told[to.ID].number != s.Notice.Seq:
		if t.told == nil {
			t.told = map[uint32]updated{}
		}
		t.told[to.ID] = updated{s.Notice.Seq, now}
	}
}

// answered notes that a notice of the parent was taken, which leaves the node with a rate.
func (t *timing) answered(now units.Time, m *xaggctl.Message, rate units.Rate, count *sansio.Tally) {
	if t.asking && int32(m.Heard-t.seq) >= 0 && rate > 0 {
		t.asking = false
		count.Add(CountInitials, 1)
		count.Add(CountInitialTime, uint64(now.Sub(t.asked)/units.Nanosecond))
	}
}

// confirmed notes that a child keeps to a notice.
func (t *timing) confirmed(now units.Time, m *xaggctl.Message, count *sansio.Tally) {
	if u, ok := t.told[m.Host]; ok && m.Heard == u.number {
		delete(t.told, m.Host)
		count.Add(CountUpdates, 1)
		count.Add(CountUpdateTime, uint64(now.Sub(u.at)/units.Nanosecond))
	}
}
