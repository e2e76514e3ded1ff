package unit

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/microcode/vm"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// scanWatch notes what the timer threads of a PFE do in one interval. Threads take no time
// there, so that one ends at the instant at which it starts.
type scanWatch struct {
	trio.NopObserver
	run     int // the interval that is watched
	starts  []units.Time
	records map[int]int    // that the thread of a part came by
	visits  map[uint64]int // of each record
}

// Scanned counts a record that a thread comes by.
func (w *scanWatch) Scanned(_ units.Time, t *vm.Thread, s mem.Scanned) {
	if part, run := rig.TimerPart(t); run == w.run {
		w.records[part]++
		w.visits[s.Key]++
	}
}

// Ended notes when a timer's thread was there.
func (w *scanWatch) Ended(now units.Time, t *vm.Thread, f trio.Fate) {
	if _, run := rig.TimerPart(t); f == trio.TimerRun && run == w.run {
		w.starts = append(w.starts, now)
	}
}

// trioScan opens many blocks that stay one source short and watches the timer threads of the PFE
// for an interval: when each starts, and which records it comes by.
func trioScan(f *experiment.Findings, _ *experiment.Env) error {
	const blocks, n, timeout = 20000, program.DefaultThreads, program.DefaultTimeout
	pfe, err := rig.NewTrioPFE(0)
	if err != nil {
		return err
	}
	w := &scanWatch{run: 1, records: map[int]int{}, visits: map[uint64]int{}}
	pfe.Observer = w
	r, err := pfe.Trio(program.Config{}, 2, blocks)
	if err != nil {
		return err
	}
	for b := range blocks {
		r.Send(rig.TrioPacket(wire.Header{Block: uint32(b)}, 1))
	}
	r.Until(units.Time(2*timeout) - 1)
	if len(w.starts) != n || len(w.records) != n {
		return fmt.Errorf("%d timer threads ran in an interval, and %d came by records: want %d", len(w.starts), len(w.records), n)
	}
	f.Set("trio.s5.scan-interarrival", w.measured().Noting("as %d timer threads of the running PFE were seen, with %d records and their job's, which a hash spreads over the table", n, blocks))
	return nil
}

// measured is what the claim is about. A record that was not visited at all is missing in
// visits, and counts as well.
func (w *scanWatch) measured() claims.Measured {
	least, most := units.Duration(program.DefaultTimeout), units.Duration(0)
	for i := range w.starts[1:] {
		d := w.starts[i+1].Sub(w.starts[i])
		least, most = min(least, d), max(most, d)
	}
	var counts []int
	all, other := 0, 0
	for _, k := range w.records { // the order does not matter
		counts = append(counts, k)
		all += k
	}
	for _, k := range w.visits {
		if k != 1 {
			other++
		}
	}
	share := func(k int) float64 { return 100 * float64(k) / float64(all) }
	return claims.NumberParts(map[string]float64{
		"least_spacing": least.Milliseconds(), "most_spacing": most.Milliseconds(),
		"least_share_pct": share(slices.Min(counts)), "most_share_pct": share(slices.Max(counts)),
		"records": float64(len(w.visits)), "not_once": float64(other),
	})
}
