package tofino

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Names of counters, in addition to those of drops.
const (
	CountPackets = "tofino-packets"        // that arrived
	CountPasses  = "tofino-ingress-passes" // of them and of their copies
	CountEgress  = "tofino-egress-passes"
	CountCopies  = "tofino-multicast-copies"
	CountMirrors = "tofino-mirrored-copies"
	CountAgain   = "tofino-resubmitted"
	CountSent    = "tofino-sent"
	// CountMarked is frames that left with Congestion Experienced, CountUnmarked those that
	// had met a queue as long, but were not ECN-capable (RFC 3168).
	CountMarked   = "tofino-ecn-marked"
	CountUnmarked = "tofino-ecn-not-capable"
	// CountBeyond is accesses that named an entry behind the last of their register, which did nothing.
	CountBeyond = "tofino-beyond-register"
	// CountReplaced is packets that ended in the traffic manager, replaced by multicast copies.
	CountReplaced = "tofino-replaced-by-copies"
)

// stats are the measurements of a chip.
type stats struct {
	arrived, ingress, egress, copies, mirrored, sent, replaced uint64
	resubmitted                                                uint64
	marked, unmarked                                           uint64
	passes                                                     []uint64 // packets that arrived, by passes until their end
	inside                                                     Span     // from arrival to departure
}

// ended counts a packet that arrived and is done with.
func (s *stats) ended(k *packet) {
	for k.passes >= len(s.passes) {
		s.passes = append(s.passes, 0)
	}
	s.passes[k.passes]++
}

// Counters returns packets, passes and drops by name.
func (c *Chip) Counters() []sansio.Count {
	var t sansio.Tally
	t.Merge(c.count.List())
	beyond := uint64(0)
	for _, p := range c.pipes {
		beyond += p.Beyond()
	}
	for _, n := range []sansio.Count{
		{Name: CountBeyond, N: beyond},
		{Name: CountPackets, N: c.stats.arrived}, {Name: CountPasses, N: c.stats.ingress}, {Name: CountEgress, N: c.stats.egress},
		{Name: CountCopies, N: c.stats.copies}, {Name: CountMirrors, N: c.stats.mirrored}, {Name: CountSent, N: c.stats.sent},
		{Name: CountAgain, N: c.stats.resubmitted}, {Name: CountReplaced, N: c.stats.replaced}, {Name: CountMarked, N: c.stats.marked}, {Name: CountUnmarked, N: c.stats.unmarked},
	} {
		if n.N > 0 {
			t.Add(n.Name, n.N)
		}
	}
	return t.List()
}

// Span is how long something took. The zero value is of nothing.
type Span struct {
	N   uint64         `json:"n"`
	Sum units.Duration `json:"sum_ps"`
	Min units.Duration `json:"min_ps"`
	Max units.Duration `json:"max_ps"`
}

func (s *Span) add(d units.Duration) {
	if s.N == 0 || d < s.Min {
		s.Min = d
	}
	s.Max = max(s.Max, d)
	s.N++
	s.Sum += d
}

// Mean returns the average, 0 of none.
func (s Span) Mean() units.Duration {
	if s.N == 0 {
		return 0
	}
	return s.Sum / units.Duration(s.N)
}
