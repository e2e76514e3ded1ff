package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/bench"
	"github.com/inalab/inalab/topo"
)

type linksFlags struct {
	tableFlags
	of   []string
	seed uint64
}

// linkRow is one measurement, and what is read off it.
type linkRow struct {
	kind  string // of --of
	link  string // as in a file
	probe live.Probe
	judge func(p *live.Probed) []bench.Link
}

// Kinds of rows.
const (
	ofRate   = "rate"
	ofDelay  = "delay"
	ofLoss   = "loss"
	ofBurst  = "burst"
	ofMishap = "mishap"
)

func linkKinds() []string { return []string{ofRate, ofDelay, ofLoss, ofBurst, ofMishap} }

func newBenchLinks() *cobra.Command {
	var f linksFlags
	c := &cobra.Command{
		Use:   "links",
		Short: "How exactly links on real packets do what is asked of them",
		Long: `Measures links on real packets: two hosts in namespaces of their own, a switch between
them, and from the first host to the switch a link with a rate, a delay or losses. What is
measured is what the second host receives, by its kernel's time of arrival. Links deliver
as finely as in runs. A rate may be off by 2%, the median of a delay by 100 us or 2%,
whichever is more; a delay is what it adds to the path of a link without one, whose own row
may have 100 us. A share of frames has to be in its 99% interval, and so has the mean length
of bursts of losses: with other seeds one row in a hundred is outside by chance. Rows have
seeds one after the other. A row that is outside ends with exit code 1. It needs root, and
a machine that does nothing else.`,
		Example: "  inalab bench links\n  inalab bench links --of rate,delay --format json",
		RunE:    func(c *cobra.Command, _ []string) error { return benchLinks(c, f) },
	}
	c.Flags().StringSliceVar(&f.of, "of", linkKinds(), "what to measure: "+strings.Join(linkKinds(), ", "))
	c.Flags().Uint64Var(&f.seed, "seed", 1, "root of the randomness of the first row")
	f.register(c.Flags())
	return c
}

func benchLinks(c *cobra.Command, f linksFlags) error {
	o, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	for _, kind := range f.of {
		if !slices.Contains(linkKinds(), kind) {
			return usage(fmt.Errorf("--of %s: there are %s", kind, strings.Join(linkKinds(), ", ")))
		}
	}
	if err := netns.CanRoot(); err != nil {
		return withCode(exitPreflight, fmt.Errorf("measuring links on real packets needs root: %w", err))
	}
	var rows []bench.Link
	for i, row := range linkRows() {
		if !slices.Contains(f.of, row.kind) {
			continue
		}
		row.probe.Seed = rng.Root(f.seed) + rng.Root(i)
		p, err := probeLink(c.Context(), row.probe)
		if err != nil {
			return fmt.Errorf("link {%s}: %w", row.link, err)
		}
		for _, r := range row.judge(&p) {
			r.Link, r.Note = row.link, unaskedNote(&p)
			rows = append(rows, r)
		}
	}
	if err := bench.WriteLinks(c.OutOrStdout(), rows, o); err != nil {
		return err
	}
	if n := bench.Outside(rows); n > 0 {
		return failed(fmt.Errorf("%d of %d rows are outside what is allowed", n, len(rows)))
	}
	return nil
}

func probeLink(ctx context.Context, probe live.Probe) (p live.Probed, err error) {
	err = live.WithLogs(ctx, "bench", func(logs string) (err error) {
		p, err = live.RunProbe(ctx, probe, live.Options{Lab: netns.NewLabName(), Logs: logs, Owner: journal.CurrentCaller()})
		return err
	})
	return p, err
}

// unaskedNote says that the machine lost frames, which no link was to do.
func unaskedNote(p *live.Probed) string {
	if p.Unasked == 0 {
		return ""
	}
	return fmt.Sprintf("%d frames were lost by no link: this machine was too busy", p.Unasked)
}

// linkRows are what is measured.
func linkRows() (rows []linkRow) {
	for _, rate := range []units.Rate{10 * units.MbitPerSecond, 100 * units.MbitPerSecond, units.GbitPerSecond, 5 * units.GbitPerSecond} {
		rows = append(rows, rateRow(rate))
	}
	path := new(time.Duration) // what a wire without delay takes
	rows = append(rows, pathRow(path))
	for _, delay := range []units.Duration{100 * units.Microsecond, units.Millisecond, 10 * units.Millisecond, 100 * units.Millisecond} {
		rows = append(rows, delayRow(delay, path))
	}
	for _, l := range []struct {
		text   string
		share  float64
		frames int
	}{{"0.1%", 0.001, 200_000}, {"1%", 0.01, 100_000}, {"10%", 0.1, 50_000}} {
		rows = append(rows, shareRow(ofLoss, "loss", "loss: "+l.text, topo.LinkSpec{Loss: l.share}, l.share, l.frames, (*live.Probed).LostFrames))
	}
	rows = append(rows, burstRow("loss: 1%, burst: 8", 0.01, 8), burstRow("loss: 10%, burst: 4", 0.1, 4))
	const p, frames, delay = 0.01, 50_000, 10 * units.Millisecond
	return append(rows,
		shareRow(ofMishap, "corrupted", "corrupt: 1%", topo.LinkSpec{Corrupt: p}, p, frames, (*live.Probed).LostFrames),
		shareRow(ofMishap, "duplicated", "duplicate: 1%", topo.LinkSpec{Duplicate: p}, p, frames, (*live.Probed).Twice),
		shareRow(ofMishap, "reordered", "delay: 10ms, reorder: 1%", topo.LinkSpec{Delay: delay, Reorder: p}, p, frames, (*live.Probed).Overtook),
	)
}

// jumbo is the payload of a frame that fills the MTU of a lab.
const jumbo = topo.DefaultMTU - 28

// rateRow offers a link 1.3 times its rate for two seconds, so that its line never rests.
func rateRow(rate units.Rate) linkRow {
	const offered, seconds = 1.3, 2
	perSecond := offered * float64(rate) / (8 * (jumbo + 66)) // 66: headers and framing
	burst := 1
	if rate >= units.GbitPerSecond {
		burst = 7
	}
	return linkRow{
		kind: ofRate, link: "rate: " + rate.String(),
		probe: live.Probe{
			Link: topo.LinkSpec{Rate: rate, Queue: 16 * units.MiB}, Frames: int(perSecond * seconds), Size: jumbo,
			Burst: burst, Gap: time.Duration(float64(burst) / perSecond * float64(time.Second)), Catch: 4 * time.Millisecond,
		},
		judge: func(p *live.Probed) []bench.Link {
			mega := float64(units.MbitPerSecond)
			asked := float64(rate) / mega
			return []bench.Link{bench.Link{What: "rate", Asked: asked, Measured: p.Rate(jumbo) / mega, Unit: "Mbit/s", N: len(p.Arrivals)}.Within(0.02 * asked)}
		},
	}
}

// spaced sends a small frame every 2 ms.
func spaced(link topo.LinkSpec) live.Probe {
	return live.Probe{Link: link, Frames: 500, Size: 64, Burst: 1, Gap: 2 * time.Millisecond}
}

// pathRow measures what software takes from host to host over wires that take no time.
func pathRow(path *time.Duration) linkRow {
	return linkRow{kind: ofDelay, link: "delay: 0s", probe: spaced(topo.LinkSpec{}), judge: func(p *live.Probed) []bench.Link {
		*path = p.Delay()
		return []bench.Link{bench.Link{What: "path-p50", Measured: micro(*path), Unit: "us", N: len(p.Arrivals)}.Within(delayMargin)}
	}}
}

// delayMargin is by how many microseconds a median may be off at least.
const delayMargin = 100

// delayRow measures what a delay adds to the path.
func delayRow(delay units.Duration, path *time.Duration) linkRow {
	return linkRow{kind: ofDelay, link: "delay: " + delay.String(), probe: spaced(topo.LinkSpec{Delay: delay}), judge: func(p *live.Probed) []bench.Link {
		asked := float64(delay) / float64(units.Microsecond)
		return []bench.Link{bench.Link{What: "delay-p50", Asked: asked, Measured: micro(p.Delay() - *path), Unit: "us", N: len(p.Arrivals)}.Within(max(delayMargin, 0.02*asked))}
	}}
}

func micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// small is the payload of frames that are counted, which go out 64 at once.
const small = 200

func countingProbe(link topo.LinkSpec, frames int) live.Probe {
	return live.Probe{Link: link, Frames: frames, Size: small, Burst: 64, Gap: 400 * time.Microsecond}
}

// shareRow counts frames to which something happens with a probability, each alone.
func shareRow(kind, what, text string, link topo.LinkSpec, share float64, frames int, count func(*live.Probed) int) linkRow {
	return linkRow{kind: kind, link: text, probe: countingProbe(link, frames), judge: func(p *live.Probed) []bench.Link {
		n := float64(p.Sent)
		return []bench.Link{bench.Link{What: what, Asked: 100 * share, Measured: 100 * float64(count(p)) / n, Unit: "%", N: p.Sent}.Within(100 * bench.BinomialMargin(share, p.Sent))}
	}}
}

// burstRow counts losses in bursts: the share of frames, whose deviation is larger than of single losses, and how
// long bursts are.
func burstRow(text string, share, length float64) linkRow {
	b, err := topo.MeanBursts(share, length)
	if err != nil {
		panic("bench links: " + err.Error()) // the numbers stand above
	}
	return linkRow{kind: ofBurst, link: text, probe: countingProbe(topo.LinkSpec{Bursts: b}, 100_000), judge: func(p *live.Probed) []bench.Link {
		lost, bursts := p.Lost()
		n, m := float64(p.Sent), math.Max(1, float64(bursts))
		return []bench.Link{
			bench.Link{What: "loss", Asked: 100 * share, Measured: 100 * float64(lost) / n, Unit: "%", N: p.Sent}.Within(100 * bench.Sigmas99 * b.Deviation() / math.Sqrt(n)),
			// Spells that follow one another without a gap are one burst here: 1/m allows for it.
			bench.Link{What: "burst-length", Asked: length, Measured: float64(lost) / m, Unit: "frames", N: bursts}.Within(bench.Sigmas99*math.Sqrt(1-b.Leave)/b.Leave/math.Sqrt(m) + 1/m),
		}
	}}
}
