package atp

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// outOfOrder takes in that parameters of another packet than the expected one came. After three it
// is taken for lost (§3.7), once; if it is lost again, its timer expires.
func (s *stream) outOfOrder(now units.Time, eff *sansio.Effects) {
	s.core.count.Add(CountOutOfOrder, 1)
	if s.disorder++; s.disorder != OutOfOrder {
		return
	}
	s.halve(s.expected)
	s.resend(now, false, eff)
}

// expire sends again what is expected for too long, or sends what waited.
func (s *stream) expire(now units.Time, eff *sansio.Effects) {
	if s.timeout <= now {
		s.core.count.Add(CountTimeouts, 1)
		if !s.core.cfg.Keep {
			s.halve(s.expected)
		}
		s.resend(now, true, eff)
	}
	if s.opens <= now {
		s.pump(now, eff)
	}
}

// resend sends the expected packet again, and restarts its timer. With Gaps it sends all before the
// last with parameters that lack theirs, until they time out each of them once.
func (s *stream) resend(now units.Time, timeout bool, eff *sansio.Effects) {
	s.timeout = now.Add(s.core.cfg.Timeout)
	end, why := s.expected+1, ByOrder
	if timeout {
		why = ByTimeout
	}
	if s.core.cfg.Gaps {
		end = max(end, s.ahead)
	}
	for packet := s.expected; packet < end; packet++ {
		if f := s.at(packet); !f.received && (timeout || !f.resent) {
			f.resent = true
			s.again(now, packet, why, eff)
		}
	}
}

// due returns when the stream must be looked at.
func (s *stream) due() units.Time { return min(s.timeout, s.opens) }
