package unit

import (
	"context"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/reports/claims"
)

// atp checks what is arithmetic in the ATP paper, and its fixed factor on the
// quantiser that Trio-ML's hosts have of it.
func atp() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.arithmetic", Title: "ATP's arithmetic, and the bounds of its scaling factor",
		Switch: []claims.Switch{claims.SwitchNone},
		Claims: []claims.ID{
			"atp.b1.n100-b200", "atp.b2.n100-b02", "atp.s3.4.1024-workers", "atp.s3.7.bdp-window", "atp.s4.two-pass",
			"atp.b1.precision-bound", "atp.b1.overflow-bound", "atp.s3.8.scale-precision", "atp.tab1.trend",
		},
		Quick: "a tenth of the random vectors and packets",
		Run: func(_ context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			p := experiment.NewPrinted()
			atpSizes(&f, p)
			atpThresholds(&f, p)
			if err := p.Err(); err != nil {
				return f, err
			}
			stream := e.Seed.Stream("atp.arithmetic")
			atpPrecision(&f, e, stream)
			atpOverflow(&f, int(p.Given("atp.b1.overflow-bound", "n")), stream)
			falsePositives(&f, e, stream)
			return f, p.Err()
		},
	}
}

// atpSizes is the arithmetic on packets, windows and bitmaps.
func atpSizes(f *experiment.Findings, p *experiment.Printed) {
	bits := p.Given("atp.s3.4.1024-workers", "bits")
	f.Set("atp.s3.4.1024-workers", claims.Number(bits*bits)) // a bit a rack, and in each a bit a worker
	window := p.Given("atp.s3.7.bdp-window", "packets") * p.Given("atp.s3.7.bdp-window", "bytes") / 1000
	f.Set("atp.s3.7.bdp-window", claims.Number(window))
	header, data := p.Known("atp.pkt", "header_bytes"), p.Known("atp.pkt", "data_bytes")
	f.Set("atp.s4.two-pass", claims.NumberParts(map[string]float64{"single": p.Known("atp.pkt.single", "single_pass_bytes"), "header": header, "data": data, "two": header + data, "gradients": data / 4}))
}

// atpBound is the largest magnitude whose sums over n workers fit under a factor
// (App B.1); solved for the factor, it is the largest factor for a magnitude.
func atpBound(n, factor float64) float64 { return (math.MaxInt32 + 1 - n) / (n * factor) }

func atpThresholds(f *experiment.Findings, p *experiment.Printed) {
	scale := atpBound(p.Given("atp.b1.n100-b200", "n"), p.Given("atp.b1.n100-b200", "B"))
	f.Set("atp.b1.n100-b200", claims.NumberParts(map[string]float64{"scale": scale, "loss": 1 / scale}))
	f.Set("atp.b2.n100-b02", claims.Number(atpBound(p.Given("atp.b2.n100-b02", "n"), p.Given("atp.b2.n100-b02", "s"))))
}

// atpPrecision rounds random values and sums them: errors of single values, and
// of sums against their bounds.
func atpPrecision(f *experiment.Findings, e *experiment.Env, stream *rng.Stream) {
	value, whole, nearest := 0.0, 0.0, 0.0
	for range e.Trials(100_000) {
		n := 1 + stream.IntN(maxWorkers)
		b := atpBound(float64(n), gradient.DefaultFactor)
		values := make([]float32, n)
		for w := range values {
			values[w] = float32(stream.Uniform(-b, b))
		}
		r := roundAll(values, gradient.DefaultFactor, gradient.Fixed{}.Quantise)
		value = max(value, r.worst/gradient.DefaultFactor)
		for _, off := range r.off {
			whole = max(whole, math.Abs(off)/float64(n))
		}
		nearest = max(nearest, math.Abs(r.off[toNearest])/(float64(n)/2))
	}
	f.Set("atp.b1.precision-bound", claims.NumberParts(map[string]float64{"error_over_bound": whole, "error_over_nearest_bound": nearest}))
	f.Set("atp.s3.8.scale-precision", claims.Number(value))
}

// atpOverflow counts sums that no int32 holds: of values just below the bound,
// of all signs, and of twice that.
func atpOverflow(f *experiment.Findings, n int, stream *rng.Stream) {
	bound := atpBound(float64(n), gradient.DefaultFactor)
	saturated := func(magnitude float64) (over int) {
		below := math.Nextafter32(float32(magnitude), 0)
		values := make([]float32, n)
		for signs := range 1 << n {
			for w := range values {
				values[w] = below
				if signs>>w&1 == 1 {
					values[w] = -below
				}
			}
			sum := roundAll(values, gradient.DefaultFactor, gradient.Fixed{}.Quantise).sums[toNearest]
			over += btoi(sum > math.MaxInt32 || sum < math.MinInt32)
		}
		return over
	}
	m := claims.NumberParts(map[string]float64{"saturated": float64(saturated(bound)), "saturated_at_twice": float64(saturated(2 * bound))})
	f.Set("atp.b1.overflow-bound", m.Noting("of %d sums of %d workers, with every choice of signs", 1<<n, n))
}

// Gradients of Table 1's stand-in: Student's t with two degrees of freedom, whose
// tail falls with the square, times a scale at which a packet of 8 workers has a
// value above the bound once in a thousand. Assumed: the paper measured a model.
const (
	tailScale     = 0.0038
	packetOfATP   = 62 // gradients
	tailConstants = "gradients of Student's t(2) times 0.0038"
)

// falsePositives counts packets in which some worker's value is above the bound
// though no sum overflows, for 8 to 64 workers.
func falsePositives(f *experiment.Findings, e *experiment.Env, stream *rng.Stream) {
	rate := map[int]float64{}
	for n, packets := 8, e.Trials(200_000); n <= 64; n, packets = 2*n, packets/4 {
		hits := 0
		for range packets {
			hits += btoi(falsePositive(n, stream))
		}
		rate[n] = float64(hits) / float64(packets)
	}
	m := claims.NumberParts(map[string]float64{"w8_to_w16": rate[16] / rate[8], "w16_to_w32": rate[32] / rate[16], "w32_to_w64": rate[64] / rate[32]})
	m.Model, m.Constants = "synthetic gradients", []string{tailConstants}
	f.Set("atp.tab1.trend", m.Noting("packets with a value above the bound: %.2g, %.2g, %.2g, %.2g; rates near 1 cannot double", rate[8], rate[16], rate[32], rate[64]))
}

func falsePositive(n int, stream *rng.Stream) bool {
	bound, limit := atpBound(float64(n), gradient.DefaultFactor), (math.MaxInt32+1)/gradient.DefaultFactor
	above := false
	for range packetOfATP {
		sum := 0.0
		for range n {
			u := max(stream.Float64(), 0x1p-53)
			v := tailScale * (2*u - 1) / math.Sqrt(2*u*(1-u)) // the quantile of t(2)
			above = above || math.Abs(v) > bound
			sum += v
		}
		if math.Abs(sum) >= limit {
			return false
		}
	}
	return above
}
