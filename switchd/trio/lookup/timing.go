package lookup

import "github.com/inalab/inalab/internal/units"

// What lookups take, beside the instruction that asks. The paper gives none of it.
const (
	// HashLatency is the time from a FieldHash to its reply, beside HashStep. Assumed: ten
	// clocks in logic of the PPE's own, which §2.2 counts among the parts of a PPE, so
	// without the crossbar. Range 1 to 70 ns, the latter being that of a module behind the
	// crossbar.
	HashLatency = 10 * units.Nanosecond
	// HashStep is what 8 bytes of fields take of that logic. Assumed: a clock, as a
	// read-modify-write engine takes in 8 bytes (trio §2.3). Range 1 to 4 ns.
	HashStep = units.Nanosecond
	// RouteLatency is the time from a RouteLookup to its reply. Assumed: four accesses to
	// memory on the chip, of 70 ns (trio §2.3) and one after the other, each of which
	// decides 8 bits of the address. Range 70 ns, one access, to 1400 ns, four to DRAM.
	RouteLatency = 4 * 70 * units.Nanosecond
	// FilterLatency is the time from a Filter to its reply. Assumed: that of memory on the
	// chip, whatever the number of terms, as ternary memory compares all at once ("high-
	// performance Filters", trio §3.1). Range 70 to 350 ns.
	FilterLatency = 70 * units.Nanosecond
	// Interval is the least distance of two requests to one of these modules, but for the
	// hash logic, which each PPE has. Assumed: a clock, as of any module that is a
	// pipeline. Range 1 to 4 ns.
	Interval = units.Nanosecond
)

// Timing is how long lookups take. In a zero value they take no time.
type Timing struct {
	Hash     units.Duration // see HashLatency
	HashStep units.Duration // see HashStep
	Route    units.Duration // see RouteLatency
	Filter   units.Duration // see FilterLatency
	Interval units.Duration // see Interval
}

// DefaultTiming returns the constants of this package.
func DefaultTiming() Timing {
	return Timing{Hash: HashLatency, HashStep: HashStep, Route: RouteLatency, Filter: FilterLatency, Interval: Interval}
}

// Hashed returns how long it takes to hash a key.
func (t *Timing) Hashed(k *Key) units.Duration {
	return t.Hash + units.Duration((k.Bytes()+7)/8)*t.HashStep
}

// A Port is the way into a module that takes in one request after the other.
type Port struct{ next units.Time }

// Serve returns when a request is answered that comes now and takes so long.
func (p *Port) Serve(now units.Time, t *Timing, latency units.Duration) units.Time {
	start := max(now, p.next)
	p.next = start.Add(t.Interval)
	return start.Add(latency)
}
