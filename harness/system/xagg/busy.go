package xagg

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	agent "github.com/inalab/inalab/nodes/xaggd"
)

// busy is another load that a server reports from some time on.
type busy struct {
	At   units.Duration
	Load xaggctl.Load
}

// burdened is a server that gets such a load.
type burdened struct {
	*server
	busy
	done bool
}

// Handle passes on what arrived.
func (b *burdened) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	b.burden(now)
	b.server.Handle(now, in, eff)
}

// Expire does what is due.
func (b *burdened) Expire(now units.Time, eff *sansio.Effects) {
	b.burden(now)
	b.server.Expire(now, eff)
}

// NextDeadline returns when Expire must be called.
func (b *burdened) NextDeadline() units.Time {
	if b.done {
		return b.server.NextDeadline()
	}
	return min(units.Time(b.At), b.server.NextDeadline())
}

func (b *burdened) burden(now units.Time) {
	if !b.done && now >= units.Time(b.At) {
		b.done = true
		b.agent.(*agent.Server).SetLoad(b.Load)
	}
}
