package streamtest

import (
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/stream"
)

// DrawOptions draws a network of any delay, which may lose packets, deliver them
// twice, or out of order.
func DrawOptions(t *rapid.T) Options {
	return Options{
		Transport: rapid.SampledFrom([]stream.Transport{stream.RoCE, stream.TCP, stream.TCPECN}).Draw(t, "transport"),
		MTU:       rapid.SampledFrom([]int{600, 1500, 9000}).Draw(t, "MTU"),
		Delay:     units.Duration(rapid.SampledFrom([]int64{0, 1, int64(20 * units.Microsecond)}).Draw(t, "delay")),
		Twice:     rapid.SampledFrom([]float64{0, 0, 0.02}).Draw(t, "twice"),
		Late:      rapid.SampledFrom([]float64{0, 0, 0.02}).Draw(t, "late"),
		Loss:      rapid.SampledFrom([]float64{0, 0, 0.01}).Draw(t, "loss"),
		Seed:      rng.Root(rapid.Uint64().Draw(t, "seed")),
	}
}

// DrawReady draws when each of so many workers may begin each generation.
func DrawReady(t *rapid.T, workers, generations int) func(worker, g int) units.Time {
	at := make([][]units.Time, workers)
	for w := range at {
		for g := range generations {
			pause := units.Time(rapid.Int64Range(0, 3).Draw(t, "pause")) * units.Time(units.Millisecond)
			at[w] = append(at[w], units.Time(g)*units.Time(units.Millisecond)+pause)
		}
	}
	return func(worker, g int) units.Time { return at[worker][g] }
}
