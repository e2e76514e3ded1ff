package events

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// span is what is known of the time of a block.
type span struct {
	first, last, again units.Time
	sent, taken        bool
}

// Blocks tells from the trace of a run how long its blocks took; nil: it has none with a begin and an end.
func Blocks(j *job.Job, logs []*trace.Log) *result.Blocks {
	r := reader{job: j, naming: j.Naming(), workers: len(j.Hosts()), logs: logs, layout: &j.Layout}
	fates, order, _ := r.fates()
	var took []units.Duration
	var resent []span
	for _, k := range order {
		s := fates[k].span
		if s.sent && s.taken {
			took = append(took, s.last.Sub(s.first))
		}
		if s.sent && s.again > s.first {
			resent = append(resent, s)
		}
	}
	if len(took) == 0 {
		return nil
	}
	slices.Sort(took)
	return &result.Blocks{
		N: len(took), P50: quantile(took, 50), P99: quantile(took, 99), Max: took[len(took)-1], Resending: covered(resent),
	}
}

// take notes the events that bound the time of a block.
func (s *span) take(e *trace.Event) {
	switch e.Kind {
	case trace.Sent:
		if !s.sent {
			s.first, s.sent = e.At, true
		}
	case trace.Retransmit:
		s.again = e.At
	case trace.ResultIn:
		s.last, s.taken = e.At, true
	}
}

// quantile returns the least value that so many percent of a sorted list do not exceed.
func quantile(sorted []units.Duration, percent int) units.Duration {
	return sorted[(len(sorted)*percent+99)/100-1]
}

// covered returns the time in which any block waited to be sent again.
func covered(list []span) (sum units.Duration) {
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	var until units.Time
	for _, s := range list {
		if from := max(s.first, until); s.again > from {
			sum += s.again.Sub(from)
			until = s.again
		}
	}
	return sum
}
