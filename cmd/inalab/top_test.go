package main

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control/watch"
	"github.com/inalab/inalab/switchd/dataplane"
)

// seen is a look at a switch with a port of the front, two inside, one that is idle, a job with slots that lack rank 2, and counters.
func seen(second int, frames float64) watch.Snapshot {
	row := func(v dataplane.View, labels []watch.Label, values ...watch.Value) watch.Row {
		return watch.Row{View: v, Engine: "engine", Labels: labels, Values: values}
	}
	port := func(name, kind string, n float64) watch.Row {
		return row(dataplane.ViewPorts, []watch.Label{{Key: "port", Value: name}, {Key: "kind", Value: kind}},
			watch.Value{Key: "in", N: n}, watch.Value{Key: "out", N: 2 * n}, watch.Value{Key: "out_bytes", N: 1e6 * n})
	}
	job := []watch.Label{{Key: "job", Value: "1"}}
	slot := append(job[:1:1], watch.Label{Key: "missing", Value: "2"})
	return watch.Snapshot{Switches: []watch.Switch{{Name: "tor", At: units.Time(units.Second) * units.Time(second), Rows: []watch.Row{
		port("0/0", "front", frames), port("1/0", "loopback", frames), port("1/4", "loopback", frames), port("0/4", "front", 0),
		row(dataplane.ViewJobs, job, watch.Value{Key: "packets", N: 3 * frames}, watch.Value{Key: "results", N: frames}),
		row(dataplane.ViewSlots, slot, watch.Value{Key: "slot", N: 4}, watch.Value{Key: "age_us", N: 1500}),
		row(dataplane.ViewSlots, slot, watch.Value{Key: "slot", N: 5}, watch.Value{Key: "age_us", N: 500}),
		row(dataplane.ViewStats, []watch.Label{{Key: "counter", Value: "packets"}}, watch.Value{Key: "n", N: 3 * frames}),
		row(dataplane.ViewStats, []watch.Label{{Key: "counter", Value: "packets-bytes"}}, watch.Value{Key: "n", N: 3000 * frames}),
		row(dataplane.ViewStats, []watch.Label{{Key: "counter", Value: "idle"}}, watch.Value{Key: "n", N: 5}),
	}}}}
}

// A screen has what grew between two looks, a second.
func TestTopText(t *testing.T) {
	const want = `lab demo, tor 3.0 s into its run
Ports that carry frames
+--------+--------+------------+----------+----------+--------+-----------+---------+
| switch | engine | port       |       in |      out |    out | queue now | dropped |
|        |        |            | frames/s | frames/s | Mbit/s |     cells |         |
+--------+--------+------------+----------+----------+--------+-----------+---------+
| tor    | engine | 0/0        |       20 |       40 |  160.0 |         0 |       0 |
| tor    | engine | 2 loopback |       40 |       80 |  320.0 |         0 |       0 |
+--------+--------+------------+----------+----------+--------+-----------+---------+
Jobs
+--------+--------+-----+---------+---------+----------+---------+
| switch | engine | job | packets | results | open now | dropped |
|        |        |     |     1/s |     1/s |          |         |
+--------+--------+-----+---------+---------+----------+---------+
| tor    | engine | 1   |      60 |      20 |        2 |       - |
+--------+--------+-----+---------+---------+----------+---------+
Waiting for
+--------+--------+-----+---------+-----------------+----------------+
| switch | engine | job | missing | slots or blocks | the oldest for |
|        |        |     |         |                 |             ms |
+--------+--------+-----+---------+-----------------+----------------+
| tor    | engine | 1   | 2       |               2 |            1.5 |
+--------+--------+-----+---------+-----------------+----------------+
Counters that grow fastest
+--------+--------+---------+----------+--------+
| switch | engine | counter | a second | so far |
+--------+--------+---------+----------+--------+
| tor    | engine | packets |       60 |    150 |
+--------+--------+---------+----------+--------+
`
	if got := topText("demo", seen(1, 10), seen(3, 50), render.Options{}, 0); got != want {
		t.Errorf("screen\n%s\nwant\n%s", got, want)
	}
}

// A small screen has its first lines, and says that there are more.
func TestTopFits(t *testing.T) {
	got := topText("demo", seen(1, 10), seen(3, 50), render.Options{}, 6)
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 6 || !strings.HasSuffix(lines[5], " lines more") || lines[0] != "lab demo, tor 3.0 s into its run" {
		t.Errorf("%d lines:\n%s", len(lines), got)
	}
}

// A switch without engines is named, and one that does not answer says why.
func TestTopWithoutViews(t *testing.T) {
	s := watch.Snapshot{Switches: []watch.Switch{{Name: "leaf0"}, {Name: "leaf1", Err: errInterrupted}}}
	want := "lab demo, leaf0 forwards alone, leaf1: " + errInterrupted.Error() + "\n"
	if got := topText("demo", s, s, render.Options{}, 0); got != want {
		t.Errorf("screen %q, want %q", got, want)
	}
}
