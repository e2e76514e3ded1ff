package unit

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/program/atp/pipeline"
)

// atpSwitch is what an ATP switch does with packets sent again, and what becomes of marks and of sums that
// do not fit (ATP §3.7, §3.8).
func atpSwitch() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.switch", Title: "ATP's switch, server and workers by hand: packets sent again, marks, and sums that overflow",
		Switch: []claims.Switch{claims.SwitchReference, claims.SwitchPipeline},
		Claims: []claims.ID{"atp.s3.7.resend-dealloc", "atp.s3.7.ecn-merge", "atp.s3.8.saturation"},
		Quick:  "a tenth of the random packets",
		Run: func(_ context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			for _, run := range []func(*experiment.Findings, *experiment.Env) error{atpResends, atpMarks, atpSaturation} {
				if err := run(&f, e); err != nil {
					return f, err
				}
			}
			return f, nil
		},
	}
}

// resendSources are the most sources of a switch whose states are gone through.
const resendSources = 6

// atpResends goes through all states of an aggregator, and has each source send again in each, and then
// each other.
func atpResends(f *experiment.Findings, _ *experiment.Env) error {
	wrong, steps := 0, 0
	for level := range 2 {
		for n := 1; n <= resendSources; n++ {
			c, err := newResends(level, n)
			if err != nil {
				return err
			}
			for in := range 1 << n {
				for source := range n {
					bad, took, err := c.twice(uint32(in), source)
					if err != nil {
						return err
					}
					wrong, steps = wrong+bad, steps+took
				}
			}
		}
	}
	m := claims.Number(float64(wrong)).RanOn(claims.SwitchPipeline)
	f.Set("atp.s3.7.resend-dealloc", m.Noting("of %d transitions: every set of up to %d sources in an aggregator, every source that sends again, and all behind it, at both levels", steps, resendSources))
	return nil
}

// resends is an emulated pipeline at one level, whose aggregator is free between one fragment and the
// next.
type resends struct {
	*rig.ATP
	engine   *pipeline.Engine
	level, n int
	number   uint32 // of the last fragment
}

func newResends(level, n int) (*resends, error) {
	e, err := pipeline.New(rig.ATPConfig(level, n, 8), pipeline.Options{})
	return &resends{ATP: rig.NewATPOn(e, level, n), engine: e, level: level, n: n}, err
}

// twice puts sources into an aggregator and has one of them, or another, send again. Then all others
// do, for which there is nothing left. A fragment that is complete is one as well: its sum may be lost.
func (r *resends) twice(in uint32, source int) (wrong, steps int, err error) {
	const index = 3
	r.number++
	level, n, number := r.level, r.n, r.number
	for s := range n {
		if in>>s&1 == 1 {
			r.Gradient(s, number, index, 0, rig.Value(s))
		}
	}
	if in != 0 && !r.engine.Remembers() {
		return 0, 0, fmt.Errorf("sources %b of %d are in no aggregator of level %d", in, n, level)
	}
	want := rig.ATPPacket{Value: rig.Value(source)}
	want.Bitmaps[level] = 1 << source
	if level == 0 && in != 0 {
		want.Bitmaps[level] |= in
		want.Value = sumOfSet(want.Bitmaps[level])
	}
	for k := range n {
		s := (source + k) % n
		if k > 0 { // as they are
			want.Bitmaps[level], want.Value = 1<<s, rig.Value(s)
		}
		got := r.Gradient(s, number, index, wire.Resend, rig.Value(s))
		steps++
		right := len(got) == 1 && got[0].Bitmaps[level] == want.Bitmaps[level] && got[0].Value == want.Value && got[0].Flags.Has(wire.Resend|wire.EdgeSwitch)
		if !right || r.engine.Remembers() {
			wrong++
		}
	}
	return wrong, steps, r.Err
}

func sumOfSet(set uint32) (sum int32) {
	for ; set != 0; set &= set - 1 {
		sum += rig.Value(bits.TrailingZeros32(set))
	}
	return sum
}

const (
	markWorkers = 6
	markRate    = 0.05 // of a packet on each link up (assumed: some fragments have several, and most none)
)

// atpMarks marks packets at random on their way to the switch and to the server, and looks at what all
// workers are told.
func atpMarks(f *experiment.Findings, e *experiment.Env) error {
	stream := e.Seed.Stream("atp.marks")
	fragments := e.Trials(20_000)
	marked, told := map[uint32]bool{}, map[uint32]int{}
	answers := 0
	see := func(frame sansio.Train) (h wire.Header) {
		h.Read(frame.Body, frame.Unstored)
		return h
	}
	net := rig.ATPNet{
		Workers: markWorkers,
		Tensors: func(int) []float32 { return make([]float32, fragments*wire.Values) },
		Up: func(int) *sansiotest.Wire {
			return &sansiotest.Wire{Delay: units.Microsecond, Mark: func(frame sansio.Train) bool {
				hit := stream.Bernoulli(markRate)
				if hit {
					marked[see(frame).Sequence] = true
				}
				return hit
			}}
		},
		Down: func(int) *sansiotest.Wire {
			return &sansiotest.Wire{Delay: units.Microsecond, Drop: func(frame sansio.Train) bool {
				h := see(frame)
				answers++
				if h.Flags.Has(wire.ECN) {
					told[h.Sequence]++
				}
				return false
			}}
		},
	}
	if err := net.Run(); err != nil {
		return err
	}
	if answers != fragments*markWorkers {
		return fmt.Errorf("%d parameter packets to workers, want %d: one of each fragment for each", answers, fragments*markWorkers)
	}
	lost, invented := 0, 0
	for number := range marked {
		lost += markWorkers - told[number]
	}
	for number, n := range told {
		if !marked[number] {
			invented += n
		}
	}
	m := claims.NumberParts(map[string]float64{"marks_lost": float64(lost), "marks_invented": float64(invented)}).On("reference program, server and workers")
	f.Set("atp.s3.7.ecn-merge", m.RanOn(claims.SwitchReference).Noting("%d of %d fragments had a packet that was marked, of %d workers' or on the way to the server", len(marked), fragments, markWorkers))
	return nil
}

const (
	clipWorkers = 4
	clipEvery   = 10   // fragments, of which one has a value that does not fit, or a sum that does not
	clipSmall   = 1.0  // most of other values: sums of them fit
	clipLarge   = 15.0 // of one of a large value: the quantiser takes it, and sums of two of them do not fit
	clipHuge    = 30.0 // beyond the quantiser
)

// atpSaturation has some sums overflow, and compares all with sums of floats.
func atpSaturation(f *experiment.Findings, e *experiment.Env) error {
	fragments := e.Trials(2000)
	grads := clipTensors(fragments*wire.Values, e.Seed.Stream("atp.saturation"))
	quiet := func(int) *sansiotest.Wire { return &sansiotest.Wire{Delay: units.Microsecond} }
	net := rig.ATPNet{Workers: clipWorkers, Tensors: func(w int) []float32 { return grads[w] }, Up: quiet, Down: quiet}
	if err := net.Run(); err != nil {
		return err
	}
	wrong := 0
	for _, h := range net.Hosts {
		for i, got := range h.Means[0] {
			wrong += btoi(!clipRight(grads, i, got))
		}
	}
	clipped := sansio.CountOf(net.Server.Counters(), atpps.CountClipped)
	m := claims.NumberParts(map[string]float64{"wrong": float64(wrong), "overflows": float64(clipped)}).On("reference program, server and workers")
	f.Set("atp.s3.8.saturation", m.RanOn(claims.SwitchReference).Noting("%d of %d fragments were asked for in floats; %d workers, each element against the sum of its floats", clipped, fragments, clipWorkers))
	return nil
}

// clipTensors are gradients of which few are large, in two workers, of like or of other signs, or too large.
func clipTensors(n int, stream *rng.Stream) (out [][]float32) {
	out = make([][]float32, clipWorkers)
	for w := range out {
		out[w] = make([]float32, n)
		for i := range out[w] {
			out[w][i] = float32(stream.Uniform(-clipSmall, clipSmall))
		}
	}
	for at := 0; at < n; at += clipEvery * wire.Values {
		i, a := at+stream.IntN(wire.Values), stream.IntN(clipWorkers)
		switch stream.IntN(3) {
		case 0: // the sum does not fit
			out[a][i], out[(a+1)%clipWorkers][i] = clipLarge, clipLarge
		case 1: // it would in another order
			out[a][i], out[(a+1)%clipWorkers][i], out[(a+2)%clipWorkers][i] = -clipLarge, -clipLarge, clipLarge
		default:
			out[a][i] = clipHuge
		}
	}
	return out
}

// clipRight reports whether a mean is that of an element, but for rounding: half a step of the factor of
// each worker, and that of float32 in each addition.
func clipRight(grads [][]float32, i int, got float32) bool {
	exact, size := 0.0, 0.0
	for _, g := range grads {
		exact += float64(g[i])
		size += math.Abs(float64(g[i]))
	}
	n := float64(len(grads))
	bound := 0.5/gradient.DefaultFactor + (size+1)/n*float64(len(grads)+2)*0x1p-24
	return math.Abs(float64(got)-exact/n) <= bound
}
