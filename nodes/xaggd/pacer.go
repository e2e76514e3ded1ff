package xaggd

import (
	"math"
	"math/bits"

	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
)

// pacer sends packets at a rate, in bursts: what the rate lets out in a time leaves at its start.
type pacer struct {
	burst units.Duration
	size  units.Bytes // of a packet with its framing
	line  units.Serializer
	next  units.Time // of the next burst
}

func newPacer(cfg *Common) pacer {
	return pacer{burst: cfg.Burst, size: units.Bytes(wire.FrameLen(cfg.Values)) + units.EthernetFraming}
}

// due returns when the next burst may leave; Never at rate 0.
func (p *pacer) due(rate units.Rate) units.Time {
	if rate <= 0 {
		return units.Never
	}
	return p.next
}

// change makes the rate another: what is left to pay of packets that have left is paid at it. A rate may
// be a few bit/s for a moment, at which a packet takes minutes.
func (p *pacer) change(now units.Time, rate units.Rate) {
	if rate <= 0 || rate == p.line.Rate {
		return
	}
	if p.next > now && p.line.Rate > 0 {
		hi, lo := bits.Mul64(uint64(p.next.Sub(now)), uint64(p.line.Rate))
		left := uint64(math.MaxInt64)
		if hi < uint64(rate) {
			left, _ = bits.Div64(hi, lo, uint64(rate))
		}
		p.next = now.Add(units.Duration(min(left, math.MaxInt64)))
	}
	p.line = units.Serializer{Rate: rate}
}

// run calls send for each packet of a burst, until that says that there is no more. A driver that
// comes late makes up for it, but for more than a burst's time.
func (p *pacer) run(now units.Time, rate units.Rate, send func() bool) {
	p.change(now, rate)
	if rate <= 0 || p.next > now {
		return
	}
	p.next = max(p.next, now.Add(-p.burst))
	for end := now.Add(p.burst); p.next < end && send(); {
		p.next = p.next.Add(p.line.Advance(p.size))
	}
}
