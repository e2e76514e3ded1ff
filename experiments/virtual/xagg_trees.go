package virtual

import (
	"context"
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// xaggTrees is the rate of k-ary trees of equal hosts (XAgg §V), and one that nobody has measured.
func xaggTrees() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.trees", Title: "rate of long gradients on k-ary trees of equal hosts, over the bandwidth of a node",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{"xagg.s5.bandwidth-1-over-k", "xagg.unseen.k7"},
		Quick:  "tensors of 4 and 8 MiB in place of 8 and 16",
		Run:    runXAggTrees,
	}
}

// kTree is a tree, and what its aggregators add of a fragment: servers first, the PS last.
type kTree struct {
	k, workers int
	additions  []int
}

// kTrees are full trees of two layers, and the one of the prediction.
var kTrees = []kTree{
	{2, 4, []int{2, 2, 2}},
	{3, 9, []int{3, 3, 3, 3}},
	{4, 16, []int{4, 4, 4, 4, 4}},
	{5, 25, []int{5, 5, 5, 5, 5, 5}},
	{7, 24, []int{7, 7, 7, 3, 4}},
}

// packetOf256 is what a packet of XAgg takes on a line, over its values: 48 bytes of headers (XAgg §IV-A) and framing.
const packetOf256 = (testbed.ValuesOf256 + 48 + units.EthernetFraming)

func runXAggTrees(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	var labs []treeLab
	sizes := experiment.Cut(e, [2]int{8, 16}, [2]int{4, 8})
	for _, t := range kTrees {
		for _, mib := range sizes {
			labs = append(labs, treeLab{name: fmt.Sprintf("XAgg, k = %d", t.k), sys: testbed.XAggTree(t.k), workers: t.workers, mib: mib, scale: 1})
		}
	}
	runs, err := runTrees(ctx, e, labs)
	if err != nil {
		return f, err
	}
	table := claims.Table{
		ID: "xagg.trees", Title: "Rate of long gradients on k-ary trees of equal hosts",
		Columns: []claims.Column{{Name: "k"}, {Name: "workers"}, {Name: "rate of frames over B"}, {Name: "1/k"}, {Name: "additions that differ"}},
		Notes:   []string{"All links have B = 100 Gbit/s, and hosts cost nothing. Rates are of the difference of two tensors, with headers and framing."},
	}
	rates := map[string]float64{}
	for i, t := range kTrees {
		small, large := &runs[2*i], &runs[2*i+1]
		rate := 8 * (large.bytes() - small.bytes()) / (large.took - small.took).Seconds() * float64(packetOf256) / float64(testbed.ValuesOf256) / float64(testbed.Gigabit100)
		off := additionsOff(small, &t) + additionsOff(large, &t)
		table.Add(render.Int(t.k), render.Int(t.workers), render.Number(rate, 4), render.Number(1/float64(t.k), 4), render.Int(int(off)))
		if t.k < 7 {
			rates[fmt.Sprint("k", t.k)] = rate
			continue
		}
		f.Set("xagg.unseen.k7", claims.NumberParts(map[string]float64{"rate": rate, "additions_off": float64(off)}))
	}
	f.Set("xagg.s5.bandwidth-1-over-k", claims.NumberParts(rates).Noting("trees of two layers, with k*k workers"))
	f.Tables = []claims.Table{table}
	return f, nil
}

// additionsOff is by how much what aggregators added differs from the arithmetic.
func additionsOff(r *treeRun, t *kTree) (off uint64) {
	fragments := uint64(r.bytes()) / uint64(testbed.ValuesOf256)
	for i, each := range t.additions {
		node, added := fmt.Sprint("h", t.workers+i), uint64(0)
		for _, c := range r.cell.Counters {
			if c.Node == node && strings.HasSuffix(c.Name, addedCounter) {
				added += c.N
			}
		}
		want := uint64(each) * fragments
		off += max(added, want) - min(added, want)
	}
	return off
}

// addedCounter is how a store calls gradients that it added.
const addedCounter = "xagg-added"
