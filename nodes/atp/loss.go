package atp

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// detect sends again what parameters of later packets show to be lost (§3.7).
func (s *stream) detect(now units.Time, eff *sansio.Effects) {
	switch s.core.cfg.Resend {
	case Passed:
		if s.passed() {
			s.lose(now, s.expected+1, eff)
		}
	case Gaps:
		if s.disorder == OutOfOrder {
			s.lose(now, min(s.ahead, s.next), eff)
		}
	default:
		if s.disorder == OutOfOrder {
			s.lose(now, s.expected+1, eff)
		}
	}
}

// passed reports whether three packets that were first sent after the expected one have parameters.
// It makes no difference whether they came before that one was expected, as with the selective
// acknowledgments of TCP (RFC 6675, IsLost). If it was sent again, they must have been sent behind
// that, which shows that a resend is lost, too (RFC 8985).
func (s *stream) passed() bool {
	if s.expected == s.next {
		return false
	}
	n := 0
	for packet := max(s.expected+1, s.at(s.expected).since); packet < min(s.ahead, s.next) && n < OutOfOrder; packet++ {
		if s.at(packet).received {
			n++
		}
	}
	return n == OutOfOrder
}

// lose takes packets without parameters before one to be lost. Those that were sent again before for
// that reason have their timers, but where the expected one may be lost twice.
func (s *stream) lose(now units.Time, end uint64, eff *sansio.Effects) {
	s.halve(s.expected)
	s.timeout = now.Add(s.core.cfg.Timeout)
	for packet := s.expected; packet < end; packet++ {
		if f := s.at(packet); !f.received && (!f.resent || s.core.cfg.Resend == Passed) {
			f.resent = true
			s.again(now, packet, ByOrder, eff)
		}
	}
}

// expire sends again what is expected for too long, or sends what waited.
func (s *stream) expire(now units.Time, eff *sansio.Effects) {
	switch {
	case s.timeout > now:
	case s.asks:
		s.join(now, eff)
	default:
		s.core.count.Add(CountTimeouts, 1)
		if !s.core.cfg.Keep {
			s.halve(s.expected)
		}
		s.timeout = now.Add(s.core.cfg.Timeout)
		s.late(now, s.expected, eff)
		if !s.core.cfg.Alone {
			s.goBack()
			s.pump(now, eff)
		}
	}
	if s.opens <= now {
		s.pump(now, eff)
	}
}

// goBack takes all in flight behind the expected packet for lost: nothing came for a whole timeout
// that moved what is expected, so nothing says that they still are on their way. They are sent again as
// the window allows, as TCP does after its timeout (RFC 5681, section 3.1).
func (s *stream) goBack() {
	for packet := s.expected + 1; packet < s.next; packet++ {
		if f := s.at(packet); !f.received {
			f.lost = true
		}
	}
	s.inFlight, s.repairs = 1, span{s.expected + 1, s.next}
}

// repair sends again what a timeout took for lost, as far as the window allows.
func (s *stream) repair(now units.Time, eff *sansio.Effects) {
	r := &s.repairs
	for r.from = max(r.from, s.expected); r.from < r.to && s.inFlight < s.window.size; r.from++ {
		if f := s.at(r.from); f.lost && !f.received {
			s.late(now, r.from, eff)
		}
	}
}

// late sends a packet again that timed out.
func (s *stream) late(now units.Time, packet uint64, eff *sansio.Effects) {
	s.at(packet).resent = true
	s.again(now, packet, ByTimeout, eff)
}

// due returns when the stream must be looked at.
func (s *stream) due() units.Time { return min(s.timeout, s.opens) }
