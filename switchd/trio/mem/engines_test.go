package mem

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

func mustEngines(t testing.TB, c Config) *Engines {
	t.Helper()
	e, err := NewEngines(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A queueing oracle keeps, for each bank, when each half of a word is served.
type queueing struct {
	c     Config
	until []units.Time
}

// serve charges half by half, as slowly as possible.
func (q *queueing) serve(now units.Time, a Addr, half, halves int, each units.Duration) (taken, done units.Time) {
	taken, done = now, now
	seen := map[int]bool{}
	for h := range halves {
		at := uint64(a)*WordBytes + uint64(half+h)*4
		bank := int(at / uint64(q.c.Granule) % uint64(q.c.Engines))
		if q.until[bank] < now {
			q.until[bank] = now
		}
		if !seen[bank] {
			taken = max(taken, q.until[bank]-units.Time(q.c.QueueTime))
		}
		seen[bank] = true
		q.until[bank] += units.Time(each)
		done = max(done, q.until[bank])
	}
	latency := q.c.SRAMLatency
	if a >= DRAMBase {
		latency = q.c.DRAMLatency
	}
	return taken, done + units.Time(latency-Cycle)
}

func drawEngines(t *rapid.T) Config {
	return Config{
		Engines: rapid.IntRange(1, 16).Draw(t, "engines"),
		Granule: 8 << rapid.IntRange(0, 4).Draw(t, "granule"),
		AddTime: units.Duration(rapid.IntRange(1, 4000).Draw(t, "add")),
	}.withDefaults()
}

// Requests at any addresses and times are served when the oracle says, and all
// work that was asked for is done, no less and no more.
func TestEnginesMatchTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawEngines(t)
		e, err := NewEngines(c)
		if err != nil {
			t.Fatal(err)
		}
		q := &queueing{c, make([]units.Time, c.Engines)}
		now, work := units.Time(0), units.Duration(0)
		n := rapid.IntRange(1, 100).Draw(t, "requests")
		for range n {
			now += units.Time(rapid.Int64Range(0, 5000).Draw(t, "gap"))
			a := rapid.SampledFrom([]Addr{0, 5000, DRAMBase, 1<<32 - 9}).Draw(t, "base") + Addr(rapid.IntRange(0, 8).Draw(t, "off"))
			bytes, half, each := 4*rapid.IntRange(1, 16).Draw(t, "bytes"), 0, Cycle/2
			var taken, done units.Time
			if rapid.Bool().Draw(t, "add") {
				half, each = rapid.IntRange(0, 1).Draw(t, "half"), c.AddTime
				taken, done = e.Add(now, a, half, bytes)
			} else {
				bytes = (bytes + 7) / 8 * 8
				taken, done = e.Access(now, a, bytes)
			}
			halves := bytes / 4
			wantTaken, wantDone := q.serve(now, a, half, halves, each)
			if taken != wantTaken || done != wantDone {
				t.Fatalf("%d halves at %#x at %d: taken %d, done %d; want %d, %d", halves, a, now, taken, done, wantTaken, wantDone)
			}
			work += units.Duration(halves) * each
		}
		mustConserve(t, e, work, n)
	})
}

// A request alone waits for nothing, however few engines serve it.
func TestNothingWaitsForItself(t *testing.T) {
	for n := 1; n <= MaxEngines; n++ {
		e := mustEngines(t, Config{Engines: n})
		taken, done := e.Add(0, 5, 0, 64)
		words := (8 + n - 1) / n // of the engine that has most
		if want := units.Time(SRAMLatency - Cycle + units.Duration(2*words)*AddTime); taken != 0 || done != want {
			t.Errorf("%d engines: taken %v, done %v, want %v", n, taken, done, want)
		}
		if e.Stats() != (Stats{Requests: 1}) {
			t.Errorf("%d engines: %+v", n, e.Stats())
		}
	}
}

func mustConserve(t rapid.TB, e *Engines, work units.Duration, n int) {
	var busy, wait units.Duration
	var waited uint64
	loads, hash := e.Loads(units.Never)
	for _, l := range loads {
		busy, wait, waited = busy+l.Busy, wait+l.Wait, waited+l.Waited
		if l.Waited > l.Served {
			t.Fatalf("more waited than were served: %+v", l)
		}
	}
	s := e.Stats()
	if busy != work || s.Requests != uint64(n) || hash != (Load{}) {
		t.Fatalf("%v of work in %d requests; %v in %d were asked for", busy, s.Requests, work, n)
	}
	if (wait > 0) != (waited > 0) || s.Wait > 0 && wait == 0 || s.Waited > s.Requests || s.Held > s.Requests || s.MaxWait > s.Wait {
		t.Fatalf("waits do not agree: %v in %d parts, %+v", wait, waited, s)
	}
}

// Busy time up to now is the time in which the engine served until then, never
// more than has gone by.
func TestLoadIsClippedAtNow(t *testing.T) {
	e := mustEngines(t, Config{})
	for range 10 {
		e.Add(0, 0, 1, 4)
	}
	for _, c := range []struct{ now, want units.Duration }{{0, 0}, {5 * units.Nanosecond, 5 * units.Nanosecond},
		{units.Microsecond, 20 * units.Nanosecond}} {
		loads, _ := e.Loads(units.Time(c.now))
		if loads[0].Busy != c.want || loads[1].Busy != 0 || loads[0].Served != 10 {
			t.Errorf("at %v: %+v", c.now, loads[:2])
		}
	}
}

// Back-pressure begins when more work is ahead than a queue holds.
func TestBackPressure(t *testing.T) {
	e := mustEngines(t, Config{QueueTime: 10 * units.Nanosecond})
	for i := range 8 { // 2 ns each, on one engine
		taken, done := e.Add(0, 12, 0, 4)
		ahead := units.Duration(i) * AddTime
		if want := units.Time(max(0, ahead-10*units.Nanosecond)); taken != want {
			t.Errorf("request %d is taken at %v, want %v", i, taken, want)
		}
		if want := units.Time(ahead + AddTime + SRAMLatency - Cycle); done != want {
			t.Errorf("request %d is done at %v, want %v", i, done, want)
		}
	}
	want := Stats{Requests: 8, Waited: 7, Held: 2, Wait: 56 * units.Nanosecond, MaxWait: 14 * units.Nanosecond,
		HeldTime: 6 * units.Nanosecond}
	if e.Stats() != want {
		t.Errorf("%+v\nwant %+v", e.Stats(), want)
	}
}

func TestHashIsServedInOrder(t *testing.T) {
	e := mustEngines(t, Config{})
	rec := Addr(24)
	_, first := e.Hash(0, Cost{Index: 5, Clears: true, Record: rec})
	_, second := e.Hash(0, Cost{Index: 3})
	if first != units.Time(HashLatency+4*HashAccess) || second != first+units.Time(3*HashAccess) {
		t.Errorf("done at %v and %v", first, second)
	}
	if s := e.Stats(); s.Requests != 1 || s.Waited != 0 {
		t.Errorf("zeroing the record: %+v", s)
	}
	loads, hash := e.Loads(units.Time(units.Second))
	if hash.Busy != 8*HashAccess || hash.Waited != 1 || loads[0].Busy != Cycle || loads[7].Busy != Cycle || loads[8].Busy != 0 {
		t.Errorf("hash %+v, engines %+v", hash, loads)
	}
}

func TestNoAllocation(t *testing.T) {
	m, e := mustNew(t, Config{AddBytes: MaxAccess}), mustEngines(t, Config{})
	h := m.Hash()
	buf := make([]byte, 64)
	m.Write(DRAMBase, buf)
	if n := testing.AllocsPerRun(100, func() {
		m.Read(DRAMBase, buf)
		m.Add32(DRAMBase, 0, buf)
		m.Add32(DRAMBase, 1, buf[:4])
		m.Police(DRAMBase, 100, 5)
		m.CounterInc(DRAMBase, 100)
		m.FetchOr(DRAMBase, 1)
		rec, _, _ := h.Insert(5)
		h.Lookup(5)
		h.Scan(0, 10, 0)
		e.Hash(0, h.Cost())
		e.Add(0, rec, 0, 64)
		e.Access(0, rec, 64)
		h.Delete(5)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The bank of a word is that of its granule, in turns.
func TestBanksTakeTurns(t *testing.T) {
	for n := 1; n <= MaxEngines; n++ {
		e := mustEngines(t, Config{Engines: n, Granule: 16})
		for _, a := range []Addr{0, 1, 2, 11, 24, 1000, RecordsBase + 7, DRAMBase, 1<<31 - 1, 1 << 31, 1<<32 - 24, 1<<32 - 1} {
			if got, want := e.bank(a), int(a/2)%n; got != want {
				t.Errorf("%d engines: %#x is in bank %d, want %d", n, a, got, want)
			}
		}
	}
}
