package impair

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// marker decides which frames say that they met congestion.
type marker struct {
	capable bool    // the train at hand can be marked
	average float64 // of the depth, in bytes; of a slope with a weight
}

// look notes whether a train can be marked.
func (m *marker) look(t *sansio.Train) {
	_, problem := t.Layout()
	m.capable = problem == inet.OK && inet.IPv4(t.Header[inet.EtherLen:]).ECN() != inet.NotECT
}

// judge returns keep, keep with a mark, or gone for a frame of n bytes that comes now: gone where it would
// be marked and cannot be.
func (m *marker) judge(l *Link, n units.Bytes) fate {
	by := &l.coming.Marking
	if by.Threshold() {
		if m.capable && l.queue.bytes > by.Max {
			return keep | mark
		}
		return keep
	}
	switch depth := m.depth(l, n); {
	case depth <= float64(by.Min):
		return keep
	case depth <= float64(by.Max) && !l.cfg.MarkStream.Bernoulli(by.P*(depth-float64(by.Min))/float64(by.Max-by.Min)):
		return keep
	case m.capable:
		return keep | mark
	}
	return gone
}

// depth returns the bytes that wait, or their moving average (Floyd and Jacobson, 1993, section 4):
// a line that was idle counts as so many frames of n bytes that found no queue.
func (m *marker) depth(l *Link, n units.Bytes) float64 {
	w := l.coming.Marking.Weight
	if w == 0 {
		return float64(l.queue.bytes)
	}
	if idle := l.now.Sub(l.line.free); idle > 0 {
		frames := idle / max(1, l.coming.Rate.TimeToSend(n+l.coming.Overhead))
		m.average = float64(m.average * power(1-w, int64(frames)))
	}
	m.average += float64(w * (float64(l.queue.bytes) - m.average))
	return m.average
}

// power returns x to the n, by multiplications in a fixed order: the same on every machine.
func power(x float64, n int64) float64 {
	out := 1.0
	for ; n > 0 && out > 0; n >>= 1 {
		if n&1 == 1 {
			out = float64(out * x)
		}
		x = float64(x * x)
	}
	return out
}

// setCE marks a train of frames that can be marked.
func setCE(header []byte) { inet.IPv4(header[inet.EtherLen:]).SetECN(inet.CE) }
