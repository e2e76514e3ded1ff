package dataplane

import (
	"math"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// IdleColumn is that of [Idle].
var IdleColumn = Column{Key: "idle_us", Name: "last packet", Unit: "us ago", Spare: 1}

// Idle returns the time since a job's last packet; it does not apply before the first.
func Idle(now, last units.Time, any bool) Value {
	if !any {
		return Value{}
	}
	return Micros(now.Sub(last))
}

// Micros returns a span in microseconds, to the nanosecond.
func Micros(d units.Duration) Value { return Real(float64(d/units.Nanosecond) / 1e3) }

// MaskText lists the members of a set as people write them: "0-2,5".
func MaskText(m trace.Mask) string {
	var b strings.Builder
	for s := 0; s <= math.MaxUint8; s++ {
		if !m.Has(uint8(s)) {
			continue
		}
		last := s
		for last < math.MaxUint8 && m.Has(uint8(last+1)) {
			last++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(s))
		if last > s {
			b.WriteString("-" + strconv.Itoa(last))
		}
		s = last
	}
	return b.String()
}
