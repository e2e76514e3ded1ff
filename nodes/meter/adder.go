package meter

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Adder is the machine of a server that adds what switches on the way did not.
type Adder interface {
	sansio.Machine
	// Contributions returns how many came so far in sums of switches, and how many alone.
	Contributions() (inSwitches, atServer uint64)
}

// Adding counts the contributions that came to the machine inside by interval, in place of bytes.
type Adding struct {
	Adder
	switches, server       *Meter
	hadSwitches, hadServer uint64
}

// NewAdding returns one around a machine; nil where the machine does not say, or the interval is zero.
func NewAdding(m sansio.Machine, interval units.Duration) *Adding {
	a, ok := m.(Adder)
	if !ok || interval <= 0 {
		return nil
	}
	return &Adding{Adder: a, switches: New(interval), server: New(interval)}
}

// Handle passes everything on, and counts.
func (a *Adding) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	a.Adder.Handle(now, in, eff)
	a.count(now)
}

// Expire has the machine do what is due, and counts.
func (a *Adding) Expire(now units.Time, eff *sansio.Effects) {
	a.Adder.Expire(now, eff)
	a.count(now)
}

func (a *Adding) count(now units.Time) {
	switches, server := a.Contributions()
	a.switches.Add(now, units.Bytes(switches-a.hadSwitches))
	a.server.Add(now, units.Bytes(server-a.hadServer))
	a.hadSwitches, a.hadServer = switches, server
}

// Added returns what was counted; nil of a nil one.
func (a *Adding) Added() *result.Added {
	if a == nil {
		return nil
	}
	return &result.Added{InSwitches: a.switches.Series(), AtServers: a.server.Series()}
}
