package unit

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/reports/claims"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// trioProtocol checks rules of Trio-ML on the program of a PFE, and on hosts
// with one.
func trioProtocol() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.protocol", Title: "rules of Trio-ML on the Microcode of an emulated PFE",
		Switch: []claims.Switch{claims.SwitchMicrocode},
		Claims: []claims.ID{
			"trio.s5.scan-interarrival", "trio.s5.degraded-result", "trio.s4.dedup-src", "trio.s4.genid-iterations",
			"trio.s4.one-result-per-block",
		},
		Quick: "a tenth of the random trials",
		Run:   experiment.Steps(trioScan, trioDegraded, trioDuplicates, trioGenerations, trioOneResult),
	}
}

// Blocks that may be open in all rules but the scan, and room for their records and the
// job's.
const fewBlocks, fewRecords = 64, 128

// trioDuplicates repeats random packets, also of blocks that are done, and
// counts sums that differ from those of each source once.
func trioDuplicates(f *experiment.Findings, e *experiment.Env) error {
	pfe, err := rig.NewTrioPFE(fewRecords)
	if err != nil {
		return err
	}
	stream := e.Seed.Stream("trio.protocol/duplicates")
	wrong, repeated, trials := 0, 0, e.Trials(2000)
	for trial := range trials {
		n := 2 + stream.IntN(5)
		r, err := pfe.Trio(program.Config{}, n, fewBlocks)
		if err != nil {
			return err
		}
		order := stream.Perm(n)
		for i := 0; i < n; i++ { // behind each packet any of the ones before it, again
			r.Send(rig.TrioPacket(wire.Header{Block: uint32(trial), Source: uint8(order[i])}, rig.Value(order[i])))
			for stream.IntN(2) == 0 {
				again := order[stream.IntN(i+1)]
				r.Send(rig.TrioPacket(wire.Header{Block: uint32(trial), Source: uint8(again)}, rig.Value(again)))
				repeated++
			}
		}
		if len(r.Out) != 1 || r.Out[0].Sums[0] != rig.SumOf(n) {
			wrong++
		}
	}
	if repeated == 0 {
		return fmt.Errorf("no packet was repeated in %d blocks", trials)
	}
	f.Set("trio.s4.dedup-src", claims.Number(float64(wrong)).Noting("of %d blocks with %d repeated packets", trials, repeated))
	return nil
}

// trioGenerations sends packets of generation g while g+1 of the same block is
// open, under every policy for late packets, and counts sums of g+1 that they
// got into.
func trioGenerations(f *experiment.Findings, e *experiment.Env) error {
	pfe, err := rig.NewTrioPFE(fewRecords)
	if err != nil {
		return err
	}
	stream := e.Seed.Stream("trio.protocol/generations")
	wrong, late, blocks := 0, 0, 0
	for _, policy := range []program.LatePolicy{program.LateTombstone, program.LateStale, program.LateNaive} {
		for range e.Trials(1000) {
			n := 2 + stream.IntN(5)
			gen := uint16(stream.Uint64()) // where the number wraps, too
			r, err := pfe.Trio(program.Config{Late: policy}, n, fewBlocks)
			if err != nil {
				return err
			}
			for _, s := range stream.Perm(n) {
				r.Send(rig.TrioPacket(wire.Header{Gen: gen, Source: uint8(s)}, -rig.Value(s)))
			}
			k := stream.IntN(n - 1) // after so many packets of the next generation late ones come
			for i, s := range stream.Perm(n) {
				r.Send(rig.TrioPacket(wire.Header{Gen: gen + 1, Source: uint8(s)}, rig.Value(s)))
				for i == k && stream.IntN(3) > 0 {
					old := stream.IntN(n)
					r.Send(rig.TrioPacket(wire.Header{Gen: gen, Source: uint8(old)}, -rig.Value(old)))
					late++
				}
			}
			blocks++
			if !slices.ContainsFunc(r.Out, func(o rig.TrioResult) bool { return o.H.Gen == gen+1 && o.Sums[0] == rig.SumOf(n) }) || len(r.Out) != 2 {
				wrong++
			}
		}
	}
	m := claims.Number(float64(wrong)).Noting("of %d blocks, with %d late packets", blocks, late)
	m.Reading = "trio.late-record: each of tombstone, stale-drop, naive"
	f.Set("trio.s4.genid-iterations", m)
	return nil
}

// trioOneResult interleaves blocks in random orders and counts results of each.
func trioOneResult(f *experiment.Findings, e *experiment.Env) error {
	const n, blocks = 6, 40
	pfe, err := rig.NewTrioPFE(fewRecords)
	if err != nil {
		return err
	}
	stream := e.Seed.Stream("trio.protocol/results")
	fewest, most, left, trials := blocks, 0, 0, e.Trials(200)
	for range trials {
		r, err := pfe.Trio(program.Config{}, n, fewBlocks)
		if err != nil {
			return err
		}
		for _, i := range stream.Perm(n * blocks) {
			r.Send(rig.TrioPacket(wire.Header{Block: uint32(i / n), Source: uint8(i % n)}, rig.Value(i%n)))
		}
		var results [blocks]int
		for _, o := range r.Out {
			if o.Sums[0] != rig.SumOf(n) {
				return fmt.Errorf("block %d: sum %d, want %d", o.H.Block, o.Sums[0], rig.SumOf(n))
			}
			results[o.H.Block]++
		}
		fewest, most = min(fewest, slices.Min(results[:])), max(most, slices.Max(results[:]))
		left += r.Prog.OpenBlocks()
	}
	m := claims.NumberParts(map[string]float64{"fewest": float64(fewest), "most": float64(most), "records_left": float64(left)})
	f.Set("trio.s4.one-result-per-block", m.Noting("results of each of %d blocks of %d sources, in %d random orders", trials*blocks, n, trials))
	return nil
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
