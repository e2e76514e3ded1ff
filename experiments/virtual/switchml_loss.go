package virtual

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
)

// fig7 is SwitchML Figs 6 and 7: what lost packets do to the time of an
// aggregation and to the sending rate.
func fig7() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.fig7", Title: "aggregation under loss: SwitchML with retransmission against a ring over TCP",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"switchml.fig7.rate-under-loss"},
		Quick:  "the ring's tensor is an eighth",
		Run:    runLoss,
	}
}

// bucket is the interval of Fig 7's time line.
const bucket = 10 * units.Millisecond

// sending counts the packets that one worker sends, by bucket. It is a
// trace.Sink: a worker sends a packet for each result it takes, and again what it
// misses.
type sending struct {
	node    string
	buckets []int
	again   int
}

// Event counts.
func (s *sending) Event(e *trace.Event) {
	if e.Node != s.node || e.Kind != trace.ResultIn && e.Kind != trace.Retransmit {
		return
	}
	at := int(units.Duration(e.At) / bucket)
	for at >= len(s.buckets) {
		s.buckets = append(s.buckets, 0)
	}
	s.buckets[at]++
	if e.Kind == trace.Retransmit {
		s.again++
	}
}

// rate returns the packets of a bucket in the steady state: of the fullest.
func (s *sending) rate() int { return slices.Max(s.buckets) }

// tail returns how many whole buckets before the end are below half of a rate.
func (s *sending) tail(rate int) (n int) {
	whole := s.buckets[:max(0, len(s.buckets)-1)] // the last is cut by the end
	for i := len(whole) - 1; i >= 0 && 2*whole[i] < rate; i-- {
		n++
	}
	return n
}

// underLoss is the runs of one loss rate.
type underLoss struct {
	p         float64
	sml, ring call
	sent      *sending
	smlTook   units.Duration
	ringTook  units.Duration
}

func newLosses(e *experiment.Env) []underLoss {
	rate, pool := testbed.Gigabit10, pool10
	if e.Reading("switchml.loss-link") == "100g" {
		rate, pool = testbed.Gigabit100, switchml.DefaultSlots
	}
	ringMiB := experiment.Cut(e, tensorMiB, tensorMiB/8)
	var out []underLoss
	for _, p := range testbed.LossRates {
		sent := &sending{node: "h0"}
		out = append(out, underLoss{
			p: p, sent: sent,
			sml: call{
				name: "SwitchML-256", sys: switchml.System{Elements: 256, Slots: pool, Retransmit: true, Timeout: units.Millisecond},
				workers: 8, rate: rate, mib: tensorMiB, loss: p, trace: sent,
			}.onDPDK(e).onChip(e),
			ring: call{name: "ring over TCP", sys: testbed.RingTCP, host: e.Constants.TCP(), workers: 8, rate: rate, mib: ringMiB, loss: p}.onChip(e),
		})
	}
	return out
}

// coarse is a call with timers that are looked at once a timeout.
func coarse(c call) call {
	sml := c.sys.(switchml.System)
	sml.Host.Coarse = true
	c.sys, c.trace = sml, nil
	return c
}

func runLoss(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
	runs := newLosses(e)
	calls := []call{coarse(runs[len(runs)-1].sml)}
	for i := range runs {
		calls = append(calls, runs[i].sml, runs[i].ring)
	}
	slices.Reverse(calls) // those with most LossRates take longest
	times, err := aggregate(ctx, e, calls)
	if err != nil {
		return experiment.Findings{}, err
	}
	slices.Reverse(times)
	looked := times[0].Seconds() // of the last rate
	slices.Reverse(calls)
	for i := range runs {
		runs[i].smlTook, runs[i].ringTook = times[2*i+1], times[2*i+2]
		runs[i].sml.ran = calls[2*i+1].ran
	}
	looked /= runs[0].smlTook.Seconds()
	f := experiment.Findings{
		Tables:  []claims.Table{fig6Table(runs, looked), fig7Table(runs)},
		Figures: []figure.Figure{fig6Figure(runs), fig7Figure(runs)},
	}
	none := &runs[0]
	const wholeBuckets = 2 // of a tail, at least
	tail := func(i int) claims.Measured {
		return claims.Bool(runs[i].sent.tail(none.sent.rate()) >= wholeBuckets)
	}
	last := len(runs) - 1
	m := claims.Group(map[string]claims.Measured{
		"tail_1pct": tail(last), "tail_0_01pct": tail(1),
		"tat_ratio_1pct": claims.Number(runs[last].smlTook.Seconds() / none.smlTook.Seconds()),
	})
	f.Set("switchml.fig7.rate-under-loss", m.On(fmt.Sprintf("SwitchML-256 on DPDK hosts and the emulated Tofino with its time, pool of %d, timeout of 1 ms; Bernoulli loss on every link, each way", none.sml.sys.(switchml.System).Slots)).
		Noting("1%%: %.3g times with timers that are looked at once a timeout, as the public client does", looked))
	return f, nil
}

// fig6Table also says how many times as long the last took with coarse timers.
func fig6Table(runs []underLoss, looked float64) claims.Table {
	t := claims.Table{
		ID: "switchml.fig6", Title: "Time of an aggregation under loss, and against the same without loss",
		Columns: []claims.Column{
			{Name: "loss", Unit: "%"}, {Name: "switch"}, {Name: "SwitchML tensor", Unit: "MiB"}, {Name: "SwitchML", Unit: "ms"}, {Name: "SwitchML inflation"}, {Name: "sent again by a worker"},
			{Name: "ring tensor", Unit: "MiB"}, {Name: "ring over TCP", Unit: "ms"}, {Name: "ring inflation"},
		},
		Notes: []string{fmt.Sprintf("SwitchML's timers expire to the picosecond. Looked at once a timeout, as in the public client, they make the last row's inflation %.2f.", looked), "Ring over NewReno with the least retransmission timeout of Linux, 200 ms, and no SACK. The claims of Fig 6 are for live runs; this is the same under the virtual clock.", switchNote},
	}
	for i := range runs {
		r := &runs[i]
		t.Add(render.Text(fmt.Sprintf("%g", 100*r.p)), render.Text(r.sml.ran), render.Int(r.sml.mib), render.Number(r.smlTook.Milliseconds(), 1), render.Number(r.smlTook.Seconds()/runs[0].smlTook.Seconds(), 2),
			render.Int(r.sent.again), render.Int(r.ring.mib), render.Number(r.ringTook.Milliseconds(), 1), render.Number(r.ringTook.Seconds()/runs[0].ringTook.Seconds(), 2))
	}
	return t
}

func fig7Table(runs []underLoss) claims.Table {
	t := claims.Table{
		ID: "switchml.fig7", Title: "Packets that one worker sends in each 10 ms",
		Columns: []claims.Column{{Name: "from", Unit: "ms"}},
	}
	longest := 0
	for i := range runs {
		t.Columns = append(t.Columns, claims.Column{Name: fmt.Sprintf("loss %g%%", 100*runs[i].p)})
		longest = max(longest, len(runs[i].sent.buckets))
	}
	for b := range longest {
		cells := []render.Cell{render.Int(10 * b)}
		for i := range runs {
			n := render.NA()
			if b < len(runs[i].sent.buckets) {
				n = render.Int(runs[i].sent.buckets[b])
			}
			cells = append(cells, n)
		}
		t.Add(cells...)
	}
	return t
}
