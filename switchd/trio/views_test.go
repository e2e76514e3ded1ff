package trio

import (
	"slices"
	"strconv"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

var _ dataplane.Viewed = (*PFE)(nil)

// row returns the row of a view that begins with a word, by key; nil: there is none.
func (b *bench) row(v dataplane.View, word string) map[string]string {
	table := b.p.View(b.now, v, 1000)
	for _, row := range table.Rows {
		if row[0].String() != word {
			continue
		}
		out := map[string]string{}
		for i, c := range table.Columns {
			out[c.Key] = row[i].String()
		}
		return out
	}
	return nil
}

// wantRow wants values in a row of a view; an empty one may be that of no column.
func (b *bench) wantRow(v dataplane.View, word string, want map[string]string) {
	b.t.Helper()
	row := b.row(v, word)
	if row == nil {
		b.t.Errorf("view %s has no row %q", v, word)
	}
	for key, w := range want {
		if row[key] != w {
			b.t.Errorf("view %s, row %q: %s is %q, want %q", v, word, key, row[key], w)
		}
	}
}

// Views say what the snapshot says, with time and without; without, they say
// nothing of what takes time.
func TestViews(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Node: "mx480/pfe1", Program: compile(t, "ways", ways), Timing: timing})
		b.handle(train(1, payload(0, 0, 0, 500)), train(2, payload(1, 0, 0, 500)), train(3, payload(4, 1, 0, 500))).idle()
		for _, v := range b.p.Views() {
			table := b.p.View(b.now, v, 1000)
			for i, row := range table.Rows {
				if len(row) != len(table.Columns) {
					t.Fatalf("%s: row %d has %d values for %d columns", v, i, len(row), len(table.Columns))
				}
			}
			if v == dataplane.ViewRecords {
				continue // the program has no tables
			}
			for i, c := range table.Columns {
				if !slices.ContainsFunc(table.Rows,
					func(row []dataplane.Value) bool { return row[i].Kind() != dataplane.KindNA }) && c.Key != "next_us" {
					t.Errorf("%s: column %s says nothing", v, c.Key)
				}
			}
			if cut := b.p.View(b.now, v, 1); len(cut.Rows) != 1 || cut.Total != len(table.Rows) {
				t.Errorf("%s: %d rows of %d, want 1 of %d", v, len(cut.Rows), cut.Total, len(table.Rows))
			}
		}
		totals := b.p.cfg.Program.Totals()
		b.wantRow(dataplane.ViewThreads, "threads: packet forwarded", map[string]string{"n": "2"})
		b.wantRow(dataplane.ViewThreads, "XTXN Forward", map[string]string{"n": "3", "mean_us": ""})
		b.wantRow(dataplane.ViewMemory, "records of the hash table", map[string]string{"used": "0", "size": "256"})
		b.wantRow(dataplane.ViewMemory, "DRAM that the program declares", map[string]string{"used": "0", "unit": "KiB"})
		b.wantRow(dataplane.ViewResources, "instructions", map[string]string{"used": strconv.Itoa(totals.Instructions)})
		if timing != nil {
			b.wantRow(dataplane.ViewThreads, "threads of 128 PPEs in use",
				map[string]string{"most": "3", "limit": strconv.Itoa(DefaultPPEs * DefaultThreads)})
			b.wantRow(dataplane.ViewThreads, "wait for a thread", map[string]string{"n": "3"})
			b.wantRow(dataplane.ViewMemory, "RMW engine 0", nil)
			b.wantRow(dataplane.ViewMemory, "hash unit", nil)
		}
	})
}

// A timer says when its next thread starts, by the clock of who asks, and what its
// threads have come by.
func TestViewOfTimers(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{
			Program: compile(t, "scanning", scanning), Timing: timing,
			Timers: []Timer{{Name: "scan", Period: 10 * units.Millisecond, Threads: 1, ScansOnly: true}},
		})
		const starts = "timer scan: starts (1 in 10ms)"
		b.at(ms).wantRow(dataplane.ViewThreads, starts, map[string]string{"n": "0", "next_us": ""})
		b.handle(train(1, payload(0, 0, 3, 0))).at(24*ms).wantRow(dataplane.ViewThreads, starts,
			map[string]string{"n": "2", "next_us": "6000"})
		b.wantRow(dataplane.ViewThreads, "timer scan: records visited", map[string]string{"n": "2"})
		b.wantRow(dataplane.ViewThreads, "timer scan: REF flags cleared", map[string]string{"n": "1"})
		b.wantRow(dataplane.ViewThreads, "threads of timers", map[string]string{"n": "2"})
	})
}
