package impair

import (
	"math"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// cut is the largest factor of a jitter, and of a normal one the least as well, as in netem.
const cut = 4

// delay returns how long the next frame is on the wire.
func (l *Link) delay() units.Duration {
	p := l.sending.Params
	if p.Jitter == 0 {
		return p.Delay
	}
	if p.Distribution == topo.Uniform {
		return max(0, p.Delay-p.Jitter+units.Duration(l.cfg.JitterStream.IntN(int(2*p.Jitter))))
	}
	factor := paretoFactor
	if p.Distribution == topo.Normal {
		factor = (*rng.Stream).Normal
	}
	x := min(cut, max(-cut, factor(l.cfg.JitterStream)))
	return max(0, p.Delay+units.Duration(math.Floor(float64(x*float64(p.Jitter)))))
}

// paretoFactor returns the factor of a jitter of [topo.Pareto]. The largest of three uniform numbers
// is below u with probability u³, so its inverse has the distribution of Pareto with a = 3. No
// logarithm is needed, and every machine gives the same bits.
func paretoFactor(s *rng.Stream) float64 {
	largest := max(s.Float64(), s.Float64(), s.Float64())
	return (1/max(largest, 1.0/(1<<53)) - 1.5) * 4 / 3
}

// overtakes reports whether the next frame passes the wire at once. As in netem, a frame that does is
// followed by ReorderGap-1 that do not.
func (l *Link) overtakes() bool {
	p := &l.sending.Reorder
	if *p == 0 {
		return false
	}
	is := l.cfg.ReorderStream.Bernoulli(*p)
	if l.behind++; !is || l.behind < l.sending.ReorderGap {
		return false
	}
	l.behind = 0
	return true
}

// twice reports whether the wire delivers the next frame twice.
func (l *Link) twice() bool {
	return l.sending.Duplicate > 0 && l.cfg.DuplicateStream.Bernoulli(l.sending.Duplicate)
}
