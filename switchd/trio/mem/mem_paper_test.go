package mem

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
)

// §2.3: on-chip memory takes about 70 ns from the PPE, off-chip memory 300 to 400.
func TestPaperLatency(t *testing.T) {
	e := mustEngines(t, Config{})
	for _, bytes := range []int{8, 64} {
		now := units.Time(bytes) * units.Time(units.Microsecond)
		if _, done := e.Access(now, 0, bytes); done.Sub(now) != 70*units.Nanosecond {
			t.Errorf("%d bytes of SRAM take %v", bytes, done.Sub(now))
		}
		_, done := e.Access(now, DRAMBase+8, bytes)
		if d := done.Sub(now); d < 300*units.Nanosecond || d > 400*units.Nanosecond {
			t.Errorf("%d bytes of DRAM take %v", bytes, d)
		}
	}
}

// saturate keeps every engine behind for a while and returns adds per second
// until all are served.
func saturate(t *testing.T, requests, bytes int, at func(i int) Addr) float64 {
	e := mustEngines(t, Config{})
	end := units.Time(0)
	for i := range requests {
		_, done := e.Add(0, at(i), 0, bytes)
		end = max(end, done)
	}
	span := end.Sub(0) - SRAMLatency + Cycle
	return float64(requests*bytes/4) / span.Seconds()
}

// §6.3: 12 engines at 1 GHz with two cycles an add are 6 billion adds a second;
// one address has one engine of them.
func TestPaperAddRate(t *testing.T) {
	within := func(what string, got, want float64) {
		t.Helper()
		if got < want*0.999 || got > want*1.001 {
			t.Errorf("%s: %.4g adds/s, want %.4g", what, got, want)
		}
	}
	within("vectors in a row", saturate(t, 30_000, 64, func(i int) Addr { return Addr(8 * i) }), 6e9)
	within("single adds in a row", saturate(t, 120_000, 4, func(i int) Addr { return Addr(i) }), 6e9)
	within("one word", saturate(t, 10_000, 4, func(int) Addr { return 99 }), 0.5e9)
	within("one vector of 8 words, 8 of 12 engines", saturate(t, 10_000, 64, func(int) Addr { return 99 }), 4e9)
}

// §2.3: an engine takes 8 bytes in a clock.
func TestPaperBandwidth(t *testing.T) {
	e := mustEngines(t, Config{})
	var done units.Time
	for i := range 120_000 {
		_, done = e.Access(0, Addr(i), 8)
	}
	if span := done.Sub(0) - SRAMLatency + Cycle; span != 10*units.Microsecond {
		t.Errorf("120,000 words over 12 engines take %v, want 10us", span)
	}
}

// §3.2: counters of 16 bytes are two address units apart.
func TestPaperCounter(t *testing.T) {
	m := mustNew(t, Config{})
	const base = 0x100
	for i, n := range []uint32{64, 1500, 64} {
		m.CounterInc(base+Addr(i%2)*2, n)
	}
	for i, want := range [][2]uint64{{2, 128}, {1, 1500}} {
		if p, b, _ := m.Counter(base + Addr(i)*2); p != want[0] || b != want[1] {
			t.Errorf("counter %d: %d packets, %d bytes", i, p, b)
		}
	}
}

// §5: N threads that each scan 1/N of the table visit all of it, and a record
// which a scan finds unflagged has not been looked up for a whole round.
func TestPaperScan(t *testing.T) {
	const threads = 100
	h := mustNew(t, Config{}).Hash()
	for key := range uint64(5000) {
		mustInsert(t, h, key)
	}
	round := func() (records, aged int) {
		for part := range uint32(threads) {
			for s := (Scanned{}); !s.End; {
				if s, _ = h.Scan(part, threads, s.Next); s.Found {
					records++
					if !s.Ref {
						aged++
						h.Delete(s.Key)
					}
				}
			}
		}
		return records, aged
	}
	if n, aged := round(); n != 5000 || aged != 0 {
		t.Errorf("first round: %d records, %d aged", n, aged)
	}
	for key := range uint64(4000) {
		h.Lookup(key)
	}
	if n, aged := round(); n != 5000 || aged != 1000 {
		t.Errorf("second round: %d records, %d aged", n, aged)
	}
	if n, aged := round(); n != 4000 || aged != 4000 || h.Len() != 0 {
		t.Errorf("third round: %d records, %d aged, %d left", n, aged, h.Len())
	}
}
