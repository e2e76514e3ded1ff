package sim_test

import (
	"runtime"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// heap returns the bytes that are in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A run ten times as long needs no more memory, but for its samples.
func TestMemoryDoesNotGrowWithTime(t *testing.T) {
	long(t)
	const early, late = 20, 220
	for _, name := range []string{"switchml256", "trioml", "ring"} {
		for carries, lengths := range map[string]bool{"payload": false, "lengths": true} {
			t.Run(name+" "+carries, func(t *testing.T) {
				var before, after uint64
				o := sim.Observer{Progress: func(list []result.Sample) {
					for _, s := range list {
						switch {
						case s.Worker != 0:
						case s.Iteration == early:
							before = heap()
						case s.Iteration == late:
							after = heap()
						}
					}
				}}
				j := shortJob(t, name, lengths, late+1)
				if _, err := (&sim.Patterns{}).RunJob(t.Context(), j, worker.Images{}, o); err != nil {
					t.Fatal(err)
				}
				const samples = 400 << 10 // 200 of each of 4 workers, with room to grow
				if before == 0 || after > before+before/10+samples {
					t.Errorf("%d bytes in use after %d iterations, %d after %d", before, early, after, late)
				}
			})
		}
	}
}

// shortJob is an all-reduce of 256 KiB between four workers, packet by packet.
func shortJob(t *testing.T, name string, lengths bool, iterations int) *job.Job {
	t.Helper()
	g, err := gen.ByName("rack", gen.Params{Hosts: 4, Link: topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: units.Microsecond}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := job.Find(system.All(), name)
	if err != nil {
		t.Fatal(err)
	}
	spec := job.Spec{System: sys, Plan: p, Scale: 1, Iterations: iterations, Seed: 1, Virtual: true, Elements: 64 << 10}
	if lengths {
		spec.Model = profiles.Profile{Name: "short", SizeMiB: 1, Compute: units.Microsecond}
		spec.Elements, spec.Scale, spec.Replay, spec.Exact, spec.Sample = 0, 4, true, true, gradient.Sampling{Every: 16}
	}
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return j
}
