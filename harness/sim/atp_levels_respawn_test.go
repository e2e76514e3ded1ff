package sim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/topo"
)

// Where all switches on the ways aggregate, a worker that was killed comes back on its host, on another of its switch,
// or behind another one, so that ways have more switches or fewer than before. Headers have as many levels all the
// time, and after the last set-up, as before it, a switch sends on one packet of a fragment (A.2, A.3).
func TestATPWorkerIsStartedAgainAtMoreLevels(t *testing.T) {
	long(t)
	racks, tree := atpPlan(t, "multi-rack", 9, topo.LinkSpec{}), treePlan(t, 3, topo.LinkSpec{})
	slow := all(atp.System{Window: 2, Fixed: true, Unscaled: true}) // of an iteration, packets take a half
	for name, tc := range map[string]struct {
		spec     job.Spec
		gone, on string
		packet   int    // bytes of IP
		last     string // a switch that adds in the last set-up
	}{
		"racks, same host":      {atpSpec(t, racks, slow, []int{8}, 0, 1, 3, 4), "h1", "", 300, "core"},
		"racks, another one":    {atpSpec(t, racks, slow, []int{8}, 0, 1, 3, 4), "h1", "h5", 300, "core"},
		"racks, one, then two":  {atpSpec(t, racks, slow, []int{8}, 6, 7), "h7", "h0", 300, "tor2"},
		"racks, two, then one":  {atpSpec(t, racks, slow, []int{8}, 6, 0), "h0", "h7", 300, "tor2"},
		"tree, same switch":     {atpSpec(t, tree, slow, []int{7}, 0, 1, 2, 4), "h2", "h3", 316, "s2-0"},
		"tree, another rack":    {atpSpec(t, tree, slow, []int{7}, 0, 1, 2, 4), "h1", "h3", 316, "s1-0"},
		"tree, five from three": {atpSpec(t, tree, slow, []int{7}, 4, 5, 6), "h5", "h0", 316, "s0-3"},
	} {
		t.Run(name, func(t *testing.T) {
			taken := uint64(0)
			for quarter := 12; quarter < 20; quarter += 2 {
				j, c := respawnOf(t, tc.spec, 5, after(quarter, job.Kill, tc.gone), onHost(after(80, job.Start, tc.gone), tc.on))
				wantWhole(t, j, c, 1)
				server := j.ServerHosts()[0].Name
				if got := counted(c, server, "atp-server-set-ups"); got != 1 {
					t.Errorf("%d set-ups at the server", got)
				}
				if n := counted(c, server, "atp-server-answered"); n != fragments(j) {
					t.Errorf("%d fragments answered, want %d, each once", n, fragments(j))
				}
				if n := counted(c, tc.last, program.PrefixOf(j.ID+32)+"atp-results"); n < fragments(j)/uint64(j.Iterations) {
					t.Errorf("%d sums of %s in the last set-up: %v", n, tc.last, c.Counters)
				}
				if j.Layout.Packet != tc.packet {
					t.Errorf("packets of %d bytes, want %d", j.Layout.Packet, tc.packet)
				}
				taken += counted(c, "h", "atp-taken-over")
			}
			if taken == 0 {
				t.Error("nothing was aggregated before, whenever the worker ended")
			}
		})
	}
}

// Whatever is lost, however few aggregators there are, and whenever workers end, are started again anywhere in a tree
// and switches of any level forget, every sum has every contribution once.
func TestATPRespawnsAtMoreLevelsAreExact(t *testing.T) {
	long(t)
	taken, moved := uint64(0), 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 3))
		actions, starts := drawCourse(r, []string{"h0", "h1", "h2", "h4"}, []string{"h3", "h5", "h6"}, []string{"s0-0", "s1-0", "s2-0", "s1-1", "s0-3"})
		sys := all(atp.System{
			Aggregators: []int{atp.None, 3, 40, 0}[r.IntN(4)], Unscaled: true, Window: 8 + r.IntN(60), Span: 64, ExpectedOnly: r.IntN(3) == 0, Threads: 1 + r.IntN(2),
			Age: units.Duration(1+r.IntN(20)) * units.Millisecond, Resend: []host.Resend{host.Expected, host.Gaps, host.Passed}[r.IntN(3)],
		})
		link := topo.LinkSpec{Loss: []float64{0, 0.001, 0.01}[r.IntN(3)]}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if starts > 7 {
				t.Skip("more set-ups than there are ids")
			}
			j, c := respawnOf(t, atpSpec(t, treePlan(t, 3, link), sys, []int{7}, 0, 1, 2, 4), 6, actions...)
			wantExact(t, j, c, starts)
			taken += counted(c, "h", "atp-taken-over")
			if slices.ContainsFunc(actions, func(a job.Action) bool { return a.On != "" }) {
				moved++
			}
		})
	}
	if taken == 0 || moved == 0 {
		t.Errorf("%d fragments of a generation were aggregated before a worker came into it, and workers moved in %d runs", taken, moved)
	}
}
