package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/stat"
)

// timed is a run whose time went to several things.
func timed(system string, seed uint64) result.Cell {
	const ms = units.Millisecond
	at := func(t units.Duration) units.Time { return units.Time(t * ms) }
	return result.Cell{
		System: system, Topology: "rack", Clock: "virtual", Seed: seed, Iterations: 1, Compute: 10 * ms, Wire: 5 * ms, Hosts: []string{"h0", "h1"},
		Samples:  []result.Sample{{Worker: 0, End: at(50)}, {Worker: 1, End: at(50), Delay: 20 * ms}},
		Links:    []result.Link{{Name: "h0:eth0->tor:p0", Use: 0.25}},
		Blocks:   &result.Blocks{N: 4, P50: ms, P99: 2 * ms, Max: 3 * ms, Resending: 4 * ms},
		Resent:   result.Resent{Packets: 7},
		Timeout:  "timeout of 1ms by rule: that of the paper",
		Fidelity: result.Fidelity{Verdict: result.Exact},
	}
}

func TestTimeLines(t *testing.T) {
	invalid := timed("atp", 1)
	invalid.Fidelity.Verdict = result.Invalid
	plain := timed("ring", 2)
	plain.Blocks, plain.Resent, plain.Links = nil, result.Resent{}, nil
	plain.Samples[1].Delay = 0
	got := TimeLines([]result.Cell{timed("switchml256", 1), invalid, plain, {System: "ideal"}})
	want := []string{
		"time of switchml256 at p=0% seed 1: 50.0 ms = compute 10.0 + own delay 10.0 + wire 5.00 + waiting 10.0 (h1: 100%) + resends 4.00 + queues and software 11.0; " +
			"sent again: 7 packets (timeout of 1ms by rule: that of the paper); busiest link h0:eth0->tor:p0, 25%; blocks p50 1.00 ms, p99 2.00 ms",
		"time of ring at p=0% seed 2: 50.0 ms = compute 10.0 + wire 5.00 + queues and software 35.0",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var many []result.Cell
	for range maxTimeLines + 3 {
		many = append(many, timed("ring", 1))
	}
	if lines := TimeLines(many); len(lines) != maxTimeLines+1 || lines[maxTimeLines] != "where the time went of 3 more runs: times.csv" {
		t.Errorf("%d lines of many runs, the last: %s", len(lines), lines[len(lines)-1])
	}
}

func TestWriteTimes(t *testing.T) {
	var out bytes.Buffer
	if err := WriteTimes(&out, []result.Cell{timed("switchml256", 1), {System: "ring"}}); err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(out.String(), "\n")
	if want := "switchml256,rack,0,1,virtual,,50,10,10,5,10,4,11,h1,1,h0:eth0->tor:p0,0.25,4,1,2,3\n"; rows != want {
		t.Errorf("got %s, want %s", rows, want)
	}
}

func TestRepeatsTable(t *testing.T) {
	row := func(seed uint64, ms float64) compare.Row {
		return compare.Row{System: "ring", Topology: "rack", Seed: seed, Iter: stat.Estimate{Value: ms, N: 3}, Fidelity: result.Fidelity{Verdict: result.Exact}}
	}
	rows := []compare.Row{row(1, 10), row(2, 12), row(3, 14)}
	var out bytes.Buffer
	if err := WriteRepeats(&out, rows, result.Baseline{Key: "switchml"}); err != nil {
		t.Fatal(err)
	}
	if _, got, _ := strings.Cut(out.String(), "\n"); !strings.HasPrefix(got, "ring,,,rack,0,3,12,4.96") || !strings.HasSuffix(got, ",,\n") {
		t.Errorf("got %s", got)
	}
	rows[1].Fidelity.Verdict = result.Invalid
	if table := Repeats(rows, result.Baseline{Key: "switchml"}); len(table.Notes) != 2 || !strings.HasSuffix(table.Notes[1], ": 1 runs") {
		t.Errorf("notes %q", table.Notes)
	}
}
