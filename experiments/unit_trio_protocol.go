package experiments

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/reports/claims"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// unitTrioProtocol checks rules of Trio-ML on the program of a PFE, and on hosts
// with one.
func unitTrioProtocol() []Experiment {
	return []Experiment{{
		ID: "trio.protocol", Title: "rules of Trio-ML on the program of a PFE",
		Claims: []claims.ID{
			"trio.s5.scan-interarrival", "trio.s5.degraded-result", "trio.s4.dedup-src", "trio.s4.genid-iterations",
			"trio.s4.one-result-per-block",
		},
		Quick: "a tenth of the random trials",
		Run: func(_ context.Context, e *Env) (f Findings, err error) {
			for _, step := range []func(*Findings, *Env) error{trioScan, trioDegraded, trioDuplicates, trioGenerations, trioOneResult} {
				if err := step(&f, e); err != nil {
					return f, err
				}
			}
			return f, nil
		},
	}}
}

// trioScan opens many blocks that stay one source short and watches when timer
// threads visit them: the instants, and that a round visits each block once.
func trioScan(f *Findings, _ *Env) error {
	const blocks, n, timeout = 20000, program.DefaultThreads, program.DefaultTimeout
	r, err := newTrioRig(program.Config{}, program.Job{Sources: []uint8{0, 1}, BlockMax: blocks})
	if err != nil {
		return err
	}
	for b := range blocks {
		r.send(wire.Header{Block: uint32(b)}, 1)
	}
	var visits []units.Time
	r.advance(units.Time(3*timeout), func(at units.Time) { visits = append(visits, at) })

	spacing := visits[1].Sub(visits[0])
	for i := range visits[1:] {
		if d := visits[i+1].Sub(visits[i]); d != spacing {
			return fmt.Errorf("timer threads fire %v and %v apart", spacing, d)
		}
	}
	sent, parts := map[uint32]int{}, map[units.Time]int{}
	for _, o := range r.out {
		sent[o.h.Block]++
		parts[o.at]++
	}
	once := len(sent) == blocks && len(r.out) == blocks // so many results, all of different blocks
	least, most := blocks, 0
	for _, k := range parts { // the extremes do not depend on the order
		least, most = min(least, k), max(most, k)
	}
	m := claims.Group(map[string]claims.Measured{
		"spacing_ms":   claims.Number(spacing.Milliseconds()),
		"share":        claims.Number(1 / float64(len(parts))),
		"covered_once": claims.Bool(once),
	})
	m.Note = fmt.Sprintf("share of the table that a thread has; of %d blocks, which a hash spreads over it, the %d threads visit %.2f%% to %.2f%%",
		blocks, len(parts), 100*float64(least)/blocks, 100*float64(most)/blocks)
	f.Set("trio.s5.scan-interarrival", m)
	return nil
}

// trioDuplicates repeats random packets, also of blocks that are done, and
// counts sums that differ from those of each source once.
func trioDuplicates(f *Findings, e *Env) error {
	stream := e.Seed.Stream("trio.protocol/duplicates")
	wrong, repeated, trials := 0, 0, e.trials(2000)
	for trial := range trials {
		n := 2 + stream.IntN(5)
		r, err := newTrioRig(program.Config{}, program.Job{Sources: sources(n)})
		if err != nil {
			return err
		}
		order := stream.Perm(n)
		for i := 0; i < n; i++ { // behind each packet any of the ones before it, again
			r.send(wire.Header{Block: uint32(trial), Source: uint8(order[i])}, value(order[i]))
			for stream.IntN(2) == 0 {
				again := order[stream.IntN(i+1)]
				r.send(wire.Header{Block: uint32(trial), Source: uint8(again)}, value(again))
				repeated++
			}
		}
		if len(r.out) != 1 || r.out[0].sums[0] != sumOf(n) {
			wrong++
		}
	}
	if repeated == 0 {
		return fmt.Errorf("no packet was repeated in %d blocks", trials)
	}
	m := claims.Number(float64(wrong))
	m.Note = fmt.Sprintf("of %d blocks with %d repeated packets", trials, repeated)
	f.Set("trio.s4.dedup-src", m)
	return nil
}

// trioGenerations sends packets of generation g while g+1 of the same block is
// open, under every policy for late packets, and counts sums of g+1 that they
// got into.
func trioGenerations(f *Findings, e *Env) error {
	stream := e.Seed.Stream("trio.protocol/generations")
	wrong, late, blocks := 0, 0, 0
	for _, policy := range []program.LatePolicy{program.LateTombstone, program.LateStale, program.LateNaive} {
		for range e.trials(1000) {
			n := 2 + stream.IntN(5)
			gen := uint16(stream.Uint64()) // where the number wraps, too
			r, err := newTrioRig(program.Config{Late: policy}, program.Job{Sources: sources(n)})
			if err != nil {
				return err
			}
			for _, s := range stream.Perm(n) {
				r.send(wire.Header{Gen: gen, Source: uint8(s)}, -value(s))
			}
			k := stream.IntN(n - 1) // after so many packets of the next generation late ones come
			for i, s := range stream.Perm(n) {
				r.send(wire.Header{Gen: gen + 1, Source: uint8(s)}, value(s))
				for i == k && stream.IntN(3) > 0 {
					old := stream.IntN(n)
					r.send(wire.Header{Gen: gen, Source: uint8(old)}, -value(old))
					late++
				}
			}
			blocks++
			if !slices.ContainsFunc(r.out, func(o trioResult) bool { return o.h.Gen == gen+1 && o.sums[0] == sumOf(n) }) || len(r.out) != 2 {
				wrong++
			}
		}
	}
	m := claims.Number(float64(wrong))
	m.Note = fmt.Sprintf("of %d blocks, with %d late packets", blocks, late)
	m.Reading = "trio.late-record: each of tombstone, stale-drop, naive"
	f.Set("trio.s4.genid-iterations", m)
	return nil
}

// trioOneResult interleaves blocks in random orders and counts results of each.
func trioOneResult(f *Findings, e *Env) error {
	const n, blocks = 6, 40
	stream := e.Seed.Stream("trio.protocol/results")
	fewest, most, left, trials := blocks, 0, 0, e.trials(200)
	for range trials {
		r, err := newTrioRig(program.Config{}, program.Job{Sources: sources(n)})
		if err != nil {
			return err
		}
		for _, i := range stream.Perm(n * blocks) {
			r.send(wire.Header{Block: uint32(i / n), Source: uint8(i % n)}, value(i%n))
		}
		var results [blocks]int
		for _, o := range r.out {
			if o.sums[0] != sumOf(n) {
				return fmt.Errorf("block %d: sum %d, want %d", o.h.Block, o.sums[0], sumOf(n))
			}
			results[o.h.Block]++
		}
		fewest, most = min(fewest, slices.Min(results[:])), max(most, slices.Max(results[:]))
		left += r.prog.OpenBlocks()
	}
	m := claims.Group(map[string]claims.Measured{
		"fewest": claims.Number(float64(fewest)), "most": claims.Number(float64(most)), "records_left": claims.Number(float64(left)),
	})
	m.Note = fmt.Sprintf("results of each of %d blocks of %d sources, in %d random orders", trials*blocks, n, trials)
	f.Set("trio.s4.one-result-per-block", m)
	return nil
}

// trials is how often a random test is run: n times, or a tenth of that in a
// quick run.
func (e *Env) trials(n int) int {
	if e.Quick {
		return max(1, n/10)
	}
	return n
}

func sources(n int) (out []uint8) {
	for s := range n {
		out = append(out, uint8(s))
	}
	return out
}

// value is what source s sends in rigs: such that every set of sources has a sum
// of its own, even with one of them twice.
func value(s int) int32 {
	v := int32(1)
	for range s {
		v *= 3
	}
	return v
}

// sumOf is the sum over n sources.
func sumOf(n int) (sum int32) {
	for s := range n {
		sum += value(s)
	}
	return sum
}

// perm hands every order of 0 to n-1 to try.
func perm(n int, try func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var from func(k int)
	from = func(k int) {
		if k == n {
			try(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			from(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	from(0)
}
