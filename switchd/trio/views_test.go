package trio

import (
	"strconv"
	"testing"

	"github.com/inalab/inalab/switchd/dataplane"
)

var _ dataplane.Viewed = (*PFE)(nil)

// row returns the row of a view that begins with a word, by key.
func (b *bench) row(v dataplane.View, word string) map[string]string {
	b.t.Helper()
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
	b.t.Fatalf("view %s has no row %q: %+v", v, word, table.Rows)
	return nil
}

// Views say what the snapshot says, with and without time.
func TestViews(t *testing.T) {
	for name, timing := range map[string]*Timing{"timed": timed(), "instant": nil} {
		b := newBench(t, Config{Node: "mx480/pfe1", Program: compile(t, "ways", ways), Timing: timing})
		b.handle(train(1, payload(0, 0, 0, 500)), train(2, payload(1, 0, 0, 500)), train(3, payload(4, 1, 0, 500))).idle()
		for _, v := range b.p.Views() {
			table := b.p.View(b.now, v, 1000)
			for i, row := range table.Rows {
				if len(row) != len(table.Columns) {
					t.Fatalf("%s, %s: row %d has %d values for %d columns", name, v, i, len(row), len(table.Columns))
				}
			}
			if cut := b.p.View(b.now, v, 1); len(cut.Rows) != 1 || cut.Total != len(table.Rows) {
				t.Errorf("%s, %s: %d rows of %d, want 1 of %d", name, v, len(cut.Rows), cut.Total, len(table.Rows))
			}
		}
		forwarded, wait := b.row(dataplane.ViewThreads, "threads: forwarded"), b.row(dataplane.ViewThreads, "wait for a thread")
		if forwarded["n"] != "2" || forwarded["instructions"] == "0" || (forwarded["mean_us"] != "") != (timing != nil) || wait["n"] == "" {
			t.Errorf("%s: forwarded %v, wait %v", name, forwarded, wait)
		}
		use := b.row(dataplane.ViewThreads, "threads of 128 PPEs in use")
		if want := map[bool]string{true: "3"}[timing != nil]; use["most"] != want || use["limit"] != strconv.Itoa(DefaultPPEs*DefaultThreads) {
			t.Errorf("%s: threads %v, want most %q", name, use, want)
		}
		if x := b.row(dataplane.ViewThreads, "XTXN Forward"); x["n"] != "3" || x["mean_us"] != "" {
			t.Errorf("%s: %v", name, x)
		}
		if m := b.row(dataplane.ViewMemory, "hash table"); m["used"] != "0" || m["size"] != "256" {
			t.Errorf("%s: %v", name, m)
		}
		totals := b.p.cfg.Program.Totals()
		if r := b.row(dataplane.ViewResources, "instructions"); r["used"] != strconv.Itoa(totals.Instructions) {
			t.Errorf("%s: %v, want %d", name, r, totals.Instructions)
		}
		if timing != nil {
			b.row(dataplane.ViewMemory, "RMW engine 0")
			b.row(dataplane.ViewMemory, "hash unit")
		}
	}
}
