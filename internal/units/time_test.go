package units

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestTimeAdd(t *testing.T) {
	for _, c := range []struct {
		t    Time
		d    Duration
		want Time
	}{
		{5, 7, 12}, {5, -7, -2}, {0, 0, 0},
		{Never, 1, Never}, {Never, -1, Never},
		{Never - 1, 1, Never}, {Never - 1, 2, Never}, {10, math.MaxInt64, Never}, {0, math.MaxInt64 - 1, Never - 1},
	} {
		if got := c.t.Add(c.d); got != c.want {
			t.Errorf("%d + %d = %d, want %d", c.t, c.d, got, c.want)
		}
	}
}

func TestConversions(t *testing.T) {
	if got := (250 * Millisecond).Seconds(); got != 0.25 {
		t.Errorf("seconds %v", got)
	}
	if got := Time(3 * Second).Seconds(); got != 3 {
		t.Errorf("seconds of a time %v", got)
	}
	if got := (1500 * Microsecond).Milliseconds(); got != 1.5 {
		t.Errorf("milliseconds %v", got)
	}
	if got := (10 * Nanosecond).Scale(1.00005); got != 10001 { // 10000.5 rounds up
		t.Errorf("scaled %d", got)
	}
	if got := Time(30).Sub(Time(12)); got != 18 {
		t.Errorf("difference %d", got)
	}
}

func TestTimeToSend(t *testing.T) {
	for _, c := range []struct {
		rate Rate
		n    Bytes
		want Duration
	}{
		{100 * GbitPerSecond, 1, 80},
		{GbitPerSecond, 1500, 12 * Microsecond},
		{0, 1500, 0},
		{GbitPerSecond, 0, 0},
		{3, 1, 2666666666666}, // rounded down
		{1, MiB, 8388608 * Second},
		{1, 1 << 40, Duration(Never)},  // past the end of time
		{1 << 62, 1 << 62, 8 * Second}, // as bits, more than 64 bits of them
	} {
		if got := c.rate.TimeToSend(c.n); got != c.want {
			t.Errorf("%d bytes at %v: %d ps, want %d", c.n, c.rate, got, c.want)
		}
	}
}

// After any number of frames the sum of the parts is the exact time of all
// bytes, rounded down once.
func TestSerializerIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(1, 1e13).Draw(t, "rate")
		sizes := rapid.SliceOfN(rapid.Int64Range(0, 70000), 1, 200).Draw(t, "sizes")
		s := Serializer{Rate: Rate(rate)}
		bits, sum := new(big.Int), new(big.Int)
		for _, n := range sizes {
			sum.Add(sum, big.NewInt(int64(s.Advance(Bytes(n)))))
			bits.Add(bits, big.NewInt(8*n))
			want := new(big.Int).Mul(bits, big.NewInt(int64(Second)))
			want.Quo(want, big.NewInt(rate))
			if sum.Cmp(want) != 0 {
				t.Fatalf("%v bits at %d bit/s: %v ps, want %v", bits, rate, sum, want)
			}
		}
	})
}

// One step with any arguments at all: exact, or Never where it does not fit.
func TestSerializerStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(1, math.MaxInt64).Draw(t, "rate")
		n := rapid.Int64Range(1, math.MaxInt64).Draw(t, "bytes")
		want := new(big.Int).Mul(big.NewInt(n), big.NewInt(8*int64(Second)))
		want.Quo(want, big.NewInt(rate))
		if limit := big.NewInt(int64(Never)); want.Cmp(limit) > 0 {
			want = limit
		}
		if got := Rate(rate).TimeToSend(Bytes(n)); want.Cmp(big.NewInt(int64(got))) != 0 {
			t.Fatalf("%d bytes at %d bit/s: %d ps, want %v", n, rate, got, want)
		}
	})
}

func TestSerializerZeroValueTakesNoTime(t *testing.T) {
	var s Serializer
	if got := s.Advance(GiB); got != 0 {
		t.Errorf("took %v", got)
	}
}
