package mem

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

// A policer decides as rational numbers do, packet by packet, for any rate, size
// and spacing, times that go back included.
func TestPolicerMatchesTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := mustNew(t, small)
		rate := rapid.OneOf(rapid.Int64Range(0, 100), rapid.Int64Range(0, 1e12), rapid.Int64Range(0, math.MaxInt64)).Draw(t, "rate")
		burst := rapid.OneOf(rapid.Int64Range(0, 3000), rapid.Int64Range(0, math.MaxUint32)).Draw(t, "burst")
		a := rapid.SampledFrom([]Addr{0, 77, pageWords - 2, DRAMBase}).Draw(t, "at")
		now := units.Time(rapid.Int64Range(0, 1e15).Draw(t, "start"))
		if f := m.SetPolicer(a, units.Rate(rate), units.Bytes(burst), now); f != NoFault {
			t.Fatal(f)
		}
		o := newTokens(rate, burst, now)
		for i := range rapid.IntRange(1, 50).Draw(t, "packets") {
			now = max(0, now+units.Time(rapid.OneOf(rapid.Int64Range(-10, 1000), rapid.Int64Range(0, 1e9),
				rapid.Int64Range(0, 1e16)).Draw(t, "gap")))
			size := rapid.OneOf(rapid.Uint32Range(0, 1500), rapid.Uint32()).Draw(t, "bytes")
			got, f := m.Police(a, size, now)
			if want := o.police(int64(size), now); got != want || f != NoFault {
				t.Fatalf("packet %d of %d bytes at %d: exceeds %v, %v; want %v", i, size, now, got, f, want)
			}
		}
	})
}

// A packet of just what the bucket holds passes and one of a byte more does not,
// to the picosecond: parts of a byte are kept, and lost where the bucket is full.
func TestPolicerIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := mustNew(t, small)
		rate, burst := rapid.Int64Range(1, 1e12).Draw(t, "rate"), rapid.Int64Range(1, 3000).Draw(t, "burst")
		m.SetPolicer(0, units.Rate(rate), units.Bytes(burst), 0)
		o, now := newTokens(rate, burst, 0), units.Time(0)
		for i := range rapid.IntRange(1, 40).Draw(t, "packets") {
			// About the time of some half bytes, and a few picoseconds.
			halves := rapid.Int64Range(0, 2*burst).Draw(t, "halves")
			now += units.Time(max(0, tokenParts/2/rate*halves+rapid.Int64Range(-3, 3).Draw(t, "ps")))
			o.police(0, now)
			level := new(big.Int).Quo(o.level.Num(), o.level.Denom()).Int64()
			size := uint32(max(0, level+rapid.Int64Range(-1, 1).Draw(t, "beside")))
			got, _ := m.Police(0, size, now)
			if want := o.police(int64(size), now); got != want {
				t.Fatalf("packet %d of %d bytes at %d, level %d: exceeds %v", i, size, now, level, got)
			}
		}
	})
}

// The sum of a product just below 2^64 and what was left from before is beyond.
func TestPolicerCarries(t *testing.T) {
	m := mustNew(t, small)
	const ps, rate = 1<<32 - 1, 1<<32 + 1 // their product is 2^64 - 1
	m.SetPolicer(0, rate, 1<<30, 0)
	if over, _ := m.Police(0, 1<<30, 1); over { // full; empty from here on
		t.Fatal("the first burst exceeds")
	}
	m.Police(0, 0, 2) // leaves a part of rate
	if over, _ := m.Police(0, 2_305_843, 2+ps); over {
		t.Error("what 4 ms bring is lost")
	}
	if over, _ := m.Police(0, 1, 2+ps); !over {
		t.Error("more than 4 ms bring")
	}
}

// Whatever a program has written to a record, the policer answers, and never
// holds more tokens than the burst.
func TestPolicerOfAnyBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := mustNew(t, small)
		for i := range Addr(PolicerBytes / WordBytes) {
			m.Store(i, rapid.Uint64().Draw(t, "word"))
		}
		for range 5 {
			m.Police(0, rapid.Uint32().Draw(t, "bytes"), units.Time(rapid.Int64().Draw(t, "now")))
			if w, _ := m.Load(policerBucket); w>>32 < w&math.MaxUint32 {
				t.Fatalf("more tokens than the burst: %#x", w)
			}
		}
	})
}

// In the long run exactly the rate passes: 1 Gbit/s from a source of 10 Gbit/s.
func TestPolicerRate(t *testing.T) {
	m := mustNew(t, small)
	m.SetPolicer(0, units.GbitPerSecond, 3000, 0)
	passed := 0
	for i := range 100_000 {
		if over, _ := m.Police(0, 1250, units.Time(units.Microsecond)*units.Time(i)); !over {
			passed++
		}
	}
	// The burst and 125 bytes in each microsecond, in whole packets; the bucket
	// overflows never, for there is always a packet that waits for it.
	if want := (3000 + 99_999*125) / 1250; passed != want {
		t.Errorf("%d packets have passed, want %d", passed, want)
	}
}

func TestPolicerOutside(t *testing.T) {
	m := mustNew(t, small)
	if _, f := m.Police(2*pageWords-3, 1, 0); f != OutOfRange {
		t.Errorf("Police: %v", f)
	}
	if f := m.SetPolicer(2*pageWords-3, 1, 1, 0); f != OutOfRange {
		t.Errorf("SetPolicer: %v", f)
	}
	if over, f := m.Police(0, 0, 0); over || f != NoFault {
		t.Errorf("nothing exceeds a bucket of zeros: %v, %v", over, f)
	}
	if over, _ := m.Police(0, 1, units.Time(units.Second)); !over {
		t.Error("a bucket of zeros has let a byte pass")
	}
}
