package mem

import (
	"math/bits"

	"github.com/inalab/inalab/internal/units"
)

// Engines is the time that a memory takes: read-modify-write engines with one
// bank each, and the hash unit. One goroutine owns it. Make it with [NewEngines].
//
// Methods that serve take the time at which a request reaches the memory, and
// return when the memory has taken it, and when the reply is back at the thread.
// Requests are served in the order of the calls, whose times must not decrease.
type Engines struct {
	engines  []engine
	inverse  uint64 // of their number, in 2^64ths, rounded up
	hash     engine
	wordBits int // log2 of the words in a granule
	queue    units.Duration
	addTime  units.Duration
	latency  [2]units.Duration // by Region, in addition to the service
	records  Region            // that the records are in
	hashWait units.Duration    // latency of the hash unit
	hashStep units.Duration
	stats    Stats
}

// An engine serves one request after the other.
type engine struct {
	until units.Time // when its work so far ends
	load  Load
}

// Load is what one engine has done. Work that has been taken and not yet served
// is included, except where said.
type Load struct {
	Served uint64         // requests, or parts of them
	Waited uint64         // of these, how many found the engine busy
	Busy   units.Duration // serving
	Wait   units.Duration // sum of the times from arrival to start of service
}

// Stats is about whole requests to memory; those to the hash unit are not in it.
type Stats struct {
	Requests uint64         // that were served
	Waited   uint64         // of these, how many were done later than on an idle memory
	Held     uint64         // of these, how many were held in the crossbar: back-pressure
	Wait     units.Duration // sum of their delays
	MaxWait  units.Duration // the longest delay
	HeldTime units.Duration // sum of the times they were held
}

// NewEngines makes idle engines for a memory of the same configuration.
func NewEngines(c Config) (*Engines, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	return &Engines{
		engines:  make([]engine, c.Engines),
		inverse:  ^uint64(0)/uint64(c.Engines) + 1,
		wordBits: bits.TrailingZeros64(uint64(c.Granule / WordBytes)),
		queue:    c.QueueTime,
		addTime:  c.AddTime,
		latency:  [2]units.Duration{SRAM: c.SRAMLatency - Cycle, DRAM: c.DRAMLatency - Cycle},
		records:  c.RecordsIn,
		hashWait: c.HashLatency - Cycle,
		hashStep: c.HashAccess,
	}, nil
}

// Access serves any operation on so many bytes from a on but 32-bit adds: 1
// clock for each word. Bytes count in whole words.
func (e *Engines) Access(now units.Time, a Addr, bytes int) (taken, done units.Time) {
	return e.serve(now, a, 0, (bytes+WordBytes-1)/WordBytes*2, Cycle/2)
}

// Add serves 32-bit adds to so many bytes from the first (half 0) or second (half 1)
// 4 bytes of a on.
func (e *Engines) Add(now units.Time, a Addr, half, bytes int) (taken, done units.Time) {
	if half*4+bytes > WordBytes || bytes == 0 {
		return e.serve(now, a, half, (bytes+3)/4, e.addTime)
	}
	cost := units.Duration((bytes+3)/4) * e.addTime // it is all in one bank
	taken, done = e.engines[e.bank(a)].serve(now, cost, e.queue)
	e.count(taken.Sub(now), done.Sub(now)-cost)
	return taken, done + units.Time(e.latency[e.regionOf(a)])
}

// bank returns the engine of a word: the number of its granule modulo the engines, without a
// division (Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019).
func (e *Engines) bank(a Addr) int {
	hi, _ := bits.Mul64(e.inverse*uint64(a>>e.wordBits), uint64(len(e.engines)))
	return int(hi)
}

// serve charges each half of a word, from a half of a on, to the engine of its bank.
func (e *Engines) serve(now units.Time, a Addr, half, halves int, each units.Duration) (taken, done units.Time) {
	granule := 2 << e.wordBits // in halves
	bank := e.bank(a)
	room := granule - 2*(int(a)&(1<<e.wordBits-1)) - half // halves to the end of the granule
	taken, done = now, now
	longest := units.Duration(0)
	for at, banks := 0, len(e.engines); at < halves && banks > 0; banks-- {
		n := min(halves-at, room)
		at += room
		for again := at + (len(e.engines)-1)*granule; again < halves; again += len(e.engines) * granule {
			n += min(halves-again, granule) // few engines: it is this one's turn again
		}
		cost := units.Duration(n) * each
		longest = max(longest, cost)
		in, end := e.engines[bank].serve(now, cost, e.queue)
		taken, done = max(taken, in), max(done, end)
		room = granule
		if bank++; bank == len(e.engines) {
			bank = 0
		}
	}
	e.count(taken.Sub(now), done.Sub(now)-longest)
	return taken, done + units.Time(e.latency[e.regionOf(a)])
}

func (e *Engines) regionOf(a Addr) Region {
	switch {
	case a >= DRAMBase:
		return DRAM
	case a >= RecordsBase:
		return e.records
	}
	return SRAM
}

// serve appends work to the engine's and returns when it is taken, as soon as
// no more than queue is ahead of it, and when it is served.
func (g *engine) serve(now units.Time, cost, queue units.Duration) (taken, end units.Time) {
	start := max(now, g.until)
	wait := start.Sub(now)
	g.load.Served++
	if wait > 0 {
		g.load.Waited++
	}
	g.load.Wait += wait
	g.load.Busy += cost
	g.until = start + units.Time(cost)
	return max(now, start-units.Time(queue)), g.until
}

func (e *Engines) count(held, wait units.Duration) {
	s := &e.stats
	s.Requests++
	if held > 0 {
		s.Held++
		s.HeldTime += held
	}
	if wait > 0 {
		s.Waited++
		s.Wait += wait
		s.MaxWait = max(s.MaxWait, wait)
	}
}

// Hash serves an operation of the hash unit, one access to the index after the
// other. Zeroing a new record is charged to the record's engines; the reply does
// not wait for it, as whatever follows is served after it.
func (e *Engines) Hash(now units.Time, c Cost) (taken, done units.Time) {
	taken, end := e.hash.serve(now, units.Duration(c.Index)*e.hashStep, e.queue)
	if c.Clears {
		e.Access(now, c.Record, RecordBytes)
	}
	return taken, end + units.Time(e.hashWait)
}

// Stats returns what requests to memory have met so far.
func (e *Engines) Stats() Stats { return e.stats }

// Loads returns the loads of all engines, in the order of their banks, and that
// of the hash unit. Busy counts only what has been served by now.
func (e *Engines) Loads(now units.Time) (engines []Load, hash Load) {
	engines = make([]Load, len(e.engines))
	for i := range engines {
		engines[i] = e.engines[i].loadAt(now)
	}
	return engines, e.hash.loadAt(now)
}

// loadAt returns the load without the work that is still ahead; an engine does that work
// without idling in between.
func (g *engine) loadAt(now units.Time) Load {
	l := g.load
	l.Busy -= max(0, g.until.Sub(now))
	return l
}
