package atp

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/result"
)

var _ job.Tallied = System{}

// Numbers are of the job's own hosts and counters, added or compared over nodes.
func TestTallies(t *testing.T) {
	j := mustLay(t, System{}, racks(t, 3), []int{0, 1, 3}, []int{6})
	id := "atp/1/"
	if j.ID != 1 {
		t.Fatalf("the job has id %d", j.ID)
	}
	counters := []result.Counter{
		{Node: "tor0", Name: "pfe0/atp-collisions", N: 100}, {Node: "tor0", Name: "pfe0/atp/11/atp-collisions", N: 70}, {Node: "tor0", Name: "pfe0/" + id + "atp-collisions", N: 30},
		{Node: "tor2", Name: "pfe0/" + id + "atp-collisions", N: 3},
		{Node: "tor0", Name: "pfe0/" + id + "atp-aggregators-reserved", N: 1000}, {Node: "tor0", Name: "pfe0/" + id + "atp-aggregators-freed-by-parameter", N: 900},
		{Node: "tor0", Name: "pfe0/" + id + "atp-aggregators-freed-by-age", N: 50}, {Node: "tor0", Name: "pfe0/" + id + "atp-aggregators-freed-by-resend", N: 20},
		{Node: "tor0", Name: "pfe0/" + id + "atp-aggregators-forgotten", N: 10},
		{Node: "h0", Name: "atp-window-sum", N: 60}, {Node: "h0", Name: "atp-window-acks", N: 6}, {Node: "h0", Name: "atp-window-least", N: 4}, {Node: "h0", Name: "atp-window-most", N: 20},
		{Node: "h1", Name: "atp-window-sum", N: 60}, {Node: "h1", Name: "atp-window-acks", N: 2}, {Node: "h1", Name: "atp-window-least", N: 5}, {Node: "h1", Name: "atp-window-most", N: 40},
		{Node: "h2", Name: "atp-window-most", N: 99}, {Node: "h7", Name: "atp-server-answered", N: 99},
		{Node: "h0", Name: "atp-marks", N: 1}, {Node: "h3", Name: "atp-marks", N: 2}, {Node: "tor0", Name: "atp-marks", N: 50},
		{Node: "h0", Name: "resent-packets", N: 7},
		{Node: "h6", Name: "atp-server-answered", N: 10}, {Node: "h6", Name: "atp-server-switch-added", N: 14}, {Node: "h6", Name: "atp-server-added-whole", N: 6},
		{Node: "h6", Name: "atp-server-added-partial", N: 2}, {Node: "h6", Name: "atp-server-added-single", N: 8}, {Node: "h6", Name: "atp-server-rehashed", N: 5}, {Node: "h6", Name: "atp-server-clipped", N: 4},
	}
	want := map[string]float64{
		"fragments": 10, "in_switches": 22, "at_servers": 8, "switch_share": 100 * 22. / 30, "collisions": 33, "resends": 7, "marks": 3, "rehashes": 5, "floats": 4,
		"window_mean": 15, "window_least": 4, "window_most": 40, "aged": 50, "held": 20,
	}
	jobtest.Tallies(t, System{}, j, counters, want)
}
