package replay

import (
	"cmp"
	"maps"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio"
)

// Result is what came of all packets. Every packet that came in is forwarded, dropped,
// consumed, or counted in none of them because the run was ended before it was.
type Result struct {
	Packets   uint64        `json:"packets"` // that came in
	Bytes     units.Bytes   `json:"bytes"`
	Forwarded []HopCount    `json:"forwarded"`  // packets that came in, by next hop
	Dropped   []ReasonCount `json:"dropped"`    // packets that came in, by the name of the counter
	Consumed  uint64        `json:"consumed"`   // packets whose thread ended without forwarding or dropping them
	Created   []HopCount    `json:"created"`    // packets that threads created, by next hop
	Discarded []ReasonCount `json:"discarded"`  // packets that threads created and dropped themselves
	Faults    []FaultCount  `json:"faults"`     // threads that did wrong, by place
	IdleWaits []PlaceCount  `json:"idle_waits"` // XtxnWaits that found nothing to wait for
	TimerRuns []ReasonCount `json:"timer_runs"` // starts of threads, by the timer's entry
	EventRuns []ReasonCount `json:"event_runs"` // starts of threads, by the entry of the event

	// Of packets that had a thread.
	Instructions Spread[uint64] `json:"instructions"`
	XTXNs        Spread[uint64] `json:"xtxns"`
	// Time that packets took; instant mode: N is 0.
	Time     Spread[units.Duration] `json:"time_ps"`
	Counters []sansio.Count         `json:"counters"` // of the PFE and the program, by name
}

// HopCount counts packets by next hop.
type HopCount struct {
	Hop     uint64 `json:"next_hop"`
	Packets uint64 `json:"packets"`
}

// ReasonCount counts by name.
type ReasonCount struct {
	Name string `json:"name"`
	N    uint64 `json:"n"`
}

// PlaceCount counts threads by a place in the source.
type PlaceCount struct {
	Pos   isa.Pos `json:"-"`
	Place string  `json:"place"` // as file:line:column
	N     uint64  `json:"n"`
}

// FaultCount counts threads that did wrong.
type FaultCount struct {
	Fault          // of the first of them
	First   uint64 `json:"first_packet"` // 0: a thread of a timer or an event
	Threads uint64 `json:"threads"`
}

// Spread is how values are spread.
type Spread[T ~uint64 | ~int64] struct {
	N      int     `json:"n"`
	Min    T       `json:"min"`
	Median T       `json:"median"`
	P99    T       `json:"p99"`
	Max    T       `json:"max"`
	Mean   float64 `json:"mean"`
}

// spread describes values, which it sorts. A quantile is the smallest value that its share
// of all do not exceed.
func spread[T ~uint64 | ~int64](values []T) (s Spread[T]) {
	s.N = len(values)
	if s.N == 0 {
		return s
	}
	slices.Sort(values)
	at := func(percent int) T { return values[(percent*s.N+99)/100-1] }
	s.Min, s.Median, s.P99, s.Max = values[0], at(50), at(99), values[s.N-1]
	for _, v := range values {
		s.Mean += float64(v) / float64(s.N)
	}
	return s
}

// tally adds lives up.
type tally struct {
	packets, consumed   uint64
	bytes               units.Bytes
	forwarded, created  map[uint64]uint64
	dropped, discarded  map[string]uint64
	timers, events      map[string]uint64
	faults              map[faultKey]*FaultCount
	idleAt              map[isa.Pos]uint64
	instructions, xtxns []uint64
	took                []units.Duration
}

// faultKey is what makes faults one row.
type faultKey struct {
	reason      string
	instruction int
	entry       string // of a timer or event
}

func newTally() tally {
	return tally{
		forwarded: map[uint64]uint64{}, created: map[uint64]uint64{}, dropped: map[string]uint64{}, discarded: map[string]uint64{},
		timers: map[string]uint64{}, events: map[string]uint64{}, faults: map[faultKey]*FaultCount{}, idleAt: map[isa.Pos]uint64{},
	}
}

func (y *tally) arrived(n int) {
	y.packets++
	y.bytes += units.Bytes(n)
}

func (y *tally) idle(at isa.Pos) { y.idleAt[at]++ }

// add counts a life that is over.
func (y *tally) add(l *Life) {
	for _, s := range l.Sent {
		if s.Created {
			y.created[s.Hop]++
		} else {
			y.forwarded[s.Hop]++
		}
	}
	y.drops(l)
	if l.Fault != nil {
		y.fault(l)
	}
	switch {
	case l.Event != "":
		y.events[l.Event]++
	case l.Packet == 0:
		y.timers[l.Timer]++
	case l.Before == "":
		y.instructions, y.xtxns = append(y.instructions, l.Instructions), append(y.xtxns, l.XTXNs)
		y.took = append(y.took, l.Took)
		if l.Fate == trio.Consumed || l.Fate == trio.Created {
			y.consumed++
		}
	}
}

// drops counts what a life has dropped, and why its own packet was.
func (y *tally) drops(l *Life) {
	own := l.Before
	for _, g := range l.Gone {
		if g.Created {
			y.discarded[g.Reason]++
		} else {
			own = g.Reason
		}
	}
	switch {
	case l.Fate != trio.Dropped:
	case own != "":
		y.dropped[own]++
	case l.Fault != nil:
		y.dropped[l.Fault.Reason]++
	}
}

func (y *tally) fault(l *Life) {
	key := faultKey{l.Fault.Reason, l.Fault.Instruction, l.Timer + l.Event}
	f := y.faults[key]
	if f == nil {
		f = &FaultCount{Fault: *l.Fault, First: l.Packet}
		y.faults[key] = f
	}
	f.Threads++
}

// Result returns what came of all packets so far.
func (r *Run) Result() Result {
	y := &r.watch.tally
	out := Result{
		Packets: y.packets, Bytes: y.bytes, Consumed: y.consumed,
		Forwarded: hops(y.forwarded), Created: hops(y.created),
		Dropped: reasons(y.dropped), Discarded: reasons(y.discarded), TimerRuns: reasons(y.timers), EventRuns: reasons(y.events),
		Instructions: spread(y.instructions), XTXNs: spread(y.xtxns), Counters: r.pfe.Counters(),
		Faults: []FaultCount{}, IdleWaits: []PlaceCount{},
	}
	if r.cfg.Timing != nil {
		out.Time = spread(y.took)
	}
	for _, f := range y.faults {
		out.Faults = append(out.Faults, *f)
	}
	slices.SortFunc(out.Faults, func(a, b FaultCount) int {
		return cmp.Or(cmp.Compare(a.Instruction, b.Instruction), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.First, b.First))
	})
	for at, n := range y.idleAt {
		out.IdleWaits = append(out.IdleWaits, PlaceCount{at, at.String(), n})
	}
	slices.SortFunc(out.IdleWaits, func(a, b PlaceCount) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return out
}

func hops(m map[uint64]uint64) []HopCount {
	out := []HopCount{}
	for _, hop := range slices.Sorted(maps.Keys(m)) {
		out = append(out, HopCount{hop, m[hop]})
	}
	return out
}

func reasons(m map[string]uint64) []ReasonCount {
	out := []ReasonCount{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, ReasonCount{name, m[name]})
	}
	return out
}
