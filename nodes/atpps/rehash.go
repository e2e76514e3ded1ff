package atpps

import (
	"fmt"

	"github.com/inalab/inalab/internal/rng"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// indexes is where the packets of a job's indexes go to after a collision (§3.6). An
// index that was moved once is never moved elsewhere, so workers may follow what they were told
// from any of them, and come to an end. Where it is places that move, nobody follows: what is said of one
// says nothing of the next that had its index.
type indexes struct {
	kind    Rehash
	byPlace bool
	to      []int32  // by index; stays: it was not moved
	used    []bool   // by index: it is that of a place in the job's windows, or its packets named it
	list    []uint16 // all of them, in the order in which unused ones are taken
}

// stays says of an index that it was not moved.
const stays = -1

// tries is how often an index is hashed on where it led back.
const tries = 8

// newIndexes returns those of a job where nothing collided yet. Servers of a job, and jobs, take unused
// ones in orders of their own, so that two that leave an index do not meet at the next. Indexes of
// places are used from the start: windows that are small come to the last places late, and
// packets of two places that were moved to one index would collide for ever.
func newIndexes(cfg *Config) indexes {
	x := indexes{kind: cfg.Rehash, byPlace: cfg.ByPlace}
	if cfg.Rehash == Never || cfg.Aggregators <= 1 {
		x.kind = Never
		return x
	}
	x.to = make([]int32, cfg.Aggregators)
	for i := range x.to {
		x.to[i] = stays
	}
	if cfg.Rehash == ToFree || cfg.Rehash == Recycle {
		x.used = make([]bool, cfg.Aggregators)
		for _, i := range wire.Positions(cfg.Job, cfg.Places, cfg.Aggregators) {
			x.used[i] = true
		}
		name := fmt.Sprintf("atp/rehash/%d", cfg.Streams[0].First)
		for _, i := range rng.Root(cfg.Job).Stream(name).Perm(cfg.Aggregators) {
			x.list = append(x.list, uint16(i))
		}
	}
	return x
}

// see takes note of an index that a packet names.
func (x *indexes) see(index uint16) {
	if int(index) < len(x.used) {
		x.used[index] = true
	}
}

// move returns where the packets of an index go from now on, or those of one place that had it; false:
// they stay. Of an index whoever asks is told the same again.
func (x *indexes) move(old uint16) (to uint16, ok bool) {
	if x.kind == Never || int(old) >= len(x.to) {
		return 0, false
	}
	if x.to[old] != stays {
		return uint16(x.to[old]), true
	}
	switch x.kind {
	case ToFree:
		to, ok = x.unused()
	case Recycle:
		to, ok = x.recycled(old)
	default:
		to, ok = x.hashed(old)
	}
	if ok && !x.byPlace {
		x.to[old] = int32(to)
	}
	return to, ok
}

// unused takes an index that the job does not use. None leads back: nothing leads on from it.
func (x *indexes) unused() (to uint16, ok bool) {
	for len(x.list) > 0 {
		to, x.list = x.list[0], x.list[1:]
		if !x.used[to] {
			return to, true
		}
	}
	return 0, false
}

// recycled takes an index that the job does not use, and gives one back behind all others.
func (x *indexes) recycled(old uint16) (to uint16, ok bool) {
	if to, ok = x.unused(); !ok {
		return 0, false
	}
	x.used[to], x.used[old] = true, false
	x.list = append(x.list, old)
	return to, true
}

// hashed hashes an index, on and on until what comes out does not lead back to it.
func (x *indexes) hashed(old uint16) (to uint16, ok bool) {
	to = old
	for range tries {
		to = wire.Rehash(to, len(x.to))
		if !x.leads(to, old) {
			return to, true
		}
	}
	return 0, false
}

// leads reports whether packets of an index end at another, after as many moves as were made.
func (x *indexes) leads(from, at uint16) bool {
	for from != at {
		if x.to[from] == stays {
			return false
		}
		from = uint16(x.to[from])
	}
	return true
}
