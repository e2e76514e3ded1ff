package impair

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
)

// arrival is a frame at the far end of a wire.
type arrival struct {
	at units.Time
	id int
}

// oracle is a wire without lanes: it notes when each frame arrives, and sorts.
func oracle(p Params, seed rng.Root, sent []units.Time) (out []arrival) {
	var c Config
	c.reseed(seed)
	last, behind := units.Time(0), 0
	for id, at := range sent {
		due := at.Add(p.Delay)
		if p.Jitter > 0 {
			due = due.Add(units.Duration(c.JitterStream.IntN(int(2*p.Jitter))) - p.Jitter)
		}
		lost := p.Loss > 0 && c.LossStream.Bernoulli(p.Loss)
		if p.Corrupt > 0 && c.CorruptStream.Bernoulli(p.Corrupt) {
			lost = true
		}
		times := 1
		if p.Duplicate > 0 && c.DuplicateStream.Bernoulli(p.Duplicate) {
			times = 2
		}
		overtakes := p.Reorder > 0 && c.ReorderStream.Bernoulli(p.Reorder)
		behind++
		if overtakes && behind >= p.ReorderGap {
			due, behind = at, 0
		} else {
			last = max(last, due)
			due = last
		}
		for range times {
			if !lost {
				out = append(out, arrival{due, id})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b arrival) int { return int(min(1, max(-1, a.at-b.at))) })
	return out
}

// A wire does to frames what the oracle says, whatever happens to them together.
func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{
			Delay:     units.Duration(rapid.IntRange(2, 200).Draw(t, "delay")) * us,
			Loss:      rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "loss"),
			Corrupt:   rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "corrupt"),
			Duplicate: rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "duplicate"),
			Reorder:   rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "reorder"),
		}
		if p.Reorder > 0 {
			p.ReorderGap = rapid.IntRange(0, 4).Draw(t, "gap")
		}
		if rapid.Bool().Draw(t, "jitter") {
			p.Jitter = p.Delay / 2
		}
		seed := rng.Root(rapid.Uint64().Draw(t, "seed"))
		cfg := Config{Params: p}
		cfg.reseed(seed)
		b := newBench(t, cfg)
		var sent []units.Time
		now := units.Time(0)
		for id := range rapid.IntRange(1, 60).Draw(t, "frames") {
			now = now.Add(units.Duration(rapid.IntRange(0, 30).Draw(t, "gap between")) * us)
			sent = append(sent, now)
			b.at(now, frameOf(id, 100))
		}
		b.drain()
		var got []arrival
		for _, s := range b.seen {
			got = append(got, arrival{s.at, s.id})
		}
		if want := oracle(p, seed, sent); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%+v: frames\n%v, want\n%v", p, got, want)
		}
	})
}
