package train

import (
	"math"
	"testing"

	"github.com/inalab/inalab/internal/rng"
)

// bound is the relative error that the two functions promise.
const bound = 1e-15

func relative(got, want float64) float64 { return math.Abs(got-want) / math.Abs(want) }

func TestExpIsNearMath(t *testing.T) {
	stream := rng.Root(1).Stream("exp")
	for range 200000 {
		for _, x := range []float64{stream.Uniform(expLowest, expHighest), stream.Uniform(-30, 0), stream.Uniform(-1e-3, 1e-3)} {
			if got, want := exp(x), math.Exp(x); relative(got, want) > bound {
				t.Fatalf("exp(%v) = %v, math.Exp says %v: off by %.2g", x, got, want, relative(got, want))
			}
		}
	}
}

func TestLogIsNearMath(t *testing.T) {
	stream := rng.Root(1).Stream("log")
	for range 200000 {
		// Not below the normal numbers: there the assembly of math.Log on
		// amd64 is wrong (-709.09 for 2.835e-320, which has -735.79).
		wide := math.Exp2(stream.Uniform(-1022, 1024))
		for _, x := range []float64{wide, stream.Uniform(1, 10), stream.Uniform(0.9, 1.1)} {
			want := math.Log(x)
			if want == 0 {
				continue
			}
			if got := log(x); relative(got, want) > bound {
				t.Fatalf("log(%v) = %v, math.Log says %v: off by %.2g", x, got, want, relative(got, want))
			}
		}
	}
}

func TestExpAndLogAtTheEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	cases := []struct {
		name      string
		got, want float64
	}{
		{"exp(0)", exp(0), 1},
		{"exp(-inf)", exp(-inf), 0},
		{"exp(-709)", exp(-709), 0},
		{"exp(inf)", exp(inf), inf},
		{"exp(710)", exp(710), inf},
		{"exp(nan)", exp(nan), nan},
		{"log(1)", log(1), 0},
		{"log(2^-1074)", log(math.SmallestNonzeroFloat64), -744.4400719213812},
		{"log(0)", log(0), -inf},
		{"log(-1)", log(-1), nan},
		{"log(inf)", log(inf), inf},
		{"log(nan)", log(nan), nan},
	}
	for _, c := range cases {
		if c.got != c.want && !(math.IsNaN(c.got) && math.IsNaN(c.want)) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestExpAndLogBits pins results bit for bit: they must be these on every
// processor.
func TestExpAndLogBits(t *testing.T) {
	cases := []struct {
		name string
		got  float64
		want uint64
	}{
		{"exp(-0.1)", exp(-0.1), 0x3fecf46d99d52b3a},
		{"exp(-1)", exp(-1), 0x3fd78b56362cef38},
		{"exp(-2.3456789)", exp(-2.3456789), 0x3fb8852de107af72},
		{"exp(-33.3)", exp(-33.3), 0x3cef165bb9b59d94},
		{"exp(-700.7)", exp(-700.7), 0xc130e7f11093c4},
		{"log(1.0000001)", log(1.0000001), 0x3e7ad7f2847b6492},
		{"log(1.2345)", log(1.2345), 0x3fcaf71abe30f490},
		{"log(2.718)", log(2.718), 0x3fefff268eee4bb0},
		{"log(10)", log(10), 0x40026bb1bbb55516},
	}
	for _, c := range cases {
		if got := math.Float64bits(c.got); got != c.want {
			t.Errorf("%s = %#x, want %#x", c.name, got, c.want)
		}
	}
}
