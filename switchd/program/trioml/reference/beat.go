package reference

import "github.com/inalab/inalab/internal/units"

// beat is when N timer threads of a period T fire (trio §5): thread k at k*T/N past
// every multiple of T. Firings are numbered; number i is of thread i modulo N.
type beat struct{ period, n int64 } // ps; N

// at returns the instant of a firing; it is exact at every multiple of T.
func (b *beat) at(tick int64) units.Time {
	return units.Time(b.period*(tick/b.n) + b.period*(tick%b.n)/b.n)
}

// firstAfter returns the first firing that is later than now.
func (b *beat) firstAfter(now units.Time) int64 {
	tick := int64(now)/b.period*b.n + int64(now)%b.period*b.n/b.period
	for b.at(tick) <= now {
		tick++
	}
	return tick
}
