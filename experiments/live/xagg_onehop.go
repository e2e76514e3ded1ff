package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/onehop"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/stat"
)

// XAgg's microbenchmarks (XAgg §VI-B): one aggregator between a worker and a parameter server.

// onehopValues is the packet that the paper chooses from Fig 7 for all figures after it.
const onehopValues = 256

// ErrLacks is wrapped where this machine lacks what an experiment needs.
var ErrLacks = errors.New("this machine lacks what the experiment needs")

// onehops are measurements that are carried out so many times, by turns.
type onehops struct {
	list []onehop.Config
	n    int
	got  [][]onehop.Result // by measurement and round
}

// onehopFor is how long a measurement lasts, behind a warm-up of a quarter of that.
func onehopFor(e *experiment.Env) time.Duration {
	return experiment.Cut(e, 500*time.Millisecond, 150*time.Millisecond)
}

// add lists a measurement, and returns its number.
func (x *onehops) add(c onehop.Config) int {
	x.list = append(x.list, c)
	return len(x.list) - 1
}

// carryOut carries the measurements out that have not been: those of before may say at which rates
// to send.
func (x *onehops) carryOut(ctx context.Context, l *lab, name string) error {
	first := len(x.got)
	return l.believed(ctx, name, 1, func() (result.Fidelity, error) {
		x.got = x.got[:first]
		for range x.list[first:] {
			x.got = append(x.got, nil)
		}
		for round := range x.n {
			for _, i := range turns(len(x.list)-first, round) {
				r, err := measureOneHop(ctx, x.list[first+i])
				if err != nil {
					return result.Fidelity{}, err
				}
				x.got[first+i] = append(x.got[first+i], r)
			}
		}
		return x.fidelity(first), nil
	})
}

// measureOneHop refuses what cannot be judged.
func measureOneHop(ctx context.Context, c onehop.Config) (r onehop.Result, err error) {
	r, err = onehop.Measure(ctx, c)
	switch {
	case errors.Is(err, onehop.ErrPermission), errors.Is(err, onehop.ErrUnsupported):
		return r, fmt.Errorf("%w: %w", ErrLacks, err)
	case err != nil:
		return r, err
	case !r.KnownCPU && !c.Direct:
		return r, fmt.Errorf("%w: the kernel's threads, whose CPU time is counted, cannot be seen here; a container hides them", ErrLacks)
	case c.RoundTrips && len(r.Trips) == 0:
		return r, fmt.Errorf("%w: no packet came back to the worker", ErrBusy)
	case r.Wrong > 0:
		return r, fmt.Errorf("%s: %d of %d values are wrong", c.Aggregator, r.Wrong, r.Checked)
	}
	return r, nil
}

// Shares of the aggregator's CPU that others may have in a run that is trusted, and in one that is
// believed with a doubt (assumed).
const (
	foreignTrusted = 0.05
	foreignBusy    = 0.25
)

// fidelity is that of the measurements from a number on: by what others had of the aggregator's CPU.
func (x *onehops) fidelity(first int) result.Fidelity {
	var all []float64
	for _, rounds := range x.got[first:] {
		for i := range rounds {
			if rounds[i].KnownCPU {
				all = append(all, rounds[i].Foreign)
			}
		}
	}
	foreign, _ := stat.Median(all)
	f := result.Fidelity{Verdict: result.Trusted, CPUBusy: foreign}
	if foreign > foreignTrusted {
		f.Verdict = result.Busy
		f.Reasons = []string{fmt.Sprintf("other processes had %.0f%% of the aggregator's CPU", 100*foreign)}
	}
	if foreign > foreignBusy {
		f.Verdict = result.Invalid
	}
	return f
}

// median is that of rounds.
func (x *onehops) median(i int, of func(*onehop.Result) float64) float64 {
	all := make([]float64, len(x.got[i]))
	for round := range x.got[i] {
		all[round] = of(&x.got[i][round])
	}
	m, _ := stat.Median(all)
	return m
}

func (x *onehops) core(i int) float64 { return x.median(i, (*onehop.Result).CoreRate) }
func (x *onehops) rate(i int) float64 { return x.median(i, (*onehop.Result).Rate) }
func (x *onehops) loss(i int) float64 { return x.median(i, (*onehop.Result).Loss) }
func (x *onehops) offered(i int) float64 {
	return x.median(i, func(r *onehop.Result) float64 { return float64(r.Sent) / r.Elapsed.Seconds() })
}
func (x *onehops) foreign(i int) float64 {
	return x.median(i, func(r *onehop.Result) float64 { return r.Foreign })
}
func (x *onehops) cpu(i int) float64 {
	return x.median(i, func(r *onehop.Result) float64 { return r.CPU })
}
func (x *onehops) again(i int) float64 {
	return x.median(i, func(r *onehop.Result) float64 { return r.Again })
}

// trip is the median round trip of all rounds, in microseconds.
func (x *onehops) trip(i int) float64 {
	var all []float64
	for round := range x.got[i] {
		for _, t := range x.got[i][round].Trips {
			all = append(all, float64(t)/float64(time.Microsecond))
		}
	}
	m, _ := stat.Median(all)
	return m
}

// over is by how much one is above another in the same round, of a value.
func (x *onehops) over(i, rival int, of func(*onehop.Result) float64) float64 {
	var all []float64
	for round := range x.got[i] {
		all = append(all, of(&x.got[i][round])/of(&x.got[rival][round]))
	}
	m, _ := stat.Median(all)
	return m
}

// sayOneHop is [lab.say] of one hop, which has no links that are scaled.
func (l *lab) sayOneHop(m claims.Measured, what string) claims.Measured {
	m = l.say(m, 1, what)
	m.Model = "live, veth without a rate; " + what
	return m
}

// veth says what wires of this kind can show, below tables.
const vethNote = "On veth there is no card: no interrupts, no DMA and no rate of a link. The ring of a wire holds 256 packets."

// gbps is the rate of values in packets of a size.
func gbps(packets float64, values int) float64 { return packets * 32 * float64(values) / 1e9 }
