package sim_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/scenarios"
)

// ringAcks is the share of the communication that acknowledgements take of the lines, about: one of 90 bytes for two frames
// of 1500 is 2.8%, of which most find data behind them.
const ringAcks = 0.04

const ringText = `
apiVersion: inalab/v1
kind: Scenario
name: ring
hosts: 6
iterations: 10
topology: %s
mtu: %d
link: {rate: 100Gbit/s, delay: 1us}
systems: [{system: ring}]
ring: {transport: %s}
scale: %d
`

// A ring takes what is expected of it at every scale, in whole frames: its chunks are many slices at the least scale
// and less than a frame at the largest. What is left are acknowledgements between data; connections begin slowly, so that
// the last iterations count.
func TestRingIsAsExpectedAtEveryScale(t *testing.T) {
	sim.OneGoroutine(t)
	for _, topology := range []string{"rack", "leaf-spine", "mx480"} {
		for _, mtu := range []int{1500, 9000} {
			for _, scale := range []int{50, 200, 500, 1000, 2000, 5000} {
				ringIsAsExpected(t, fmt.Sprintf(ringText, topology, mtu, "tcp", scale))
			}
		}
	}
	ringIsAsExpected(t, fmt.Sprintf(ringText, "rack", 9000, "roce", 1000))
}

func ringIsAsExpected(t *testing.T, text string) {
	t.Helper()
	s, err := scenarios.Load(scenarios.Source{Name: "ring", Text: []byte(text)}, system.All())
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	spec := list[0].Spec
	spec.Replay, spec.Sample = true, gradient.Sampling{Every: 64}
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	c, err := sim.RunJob(t.Context(), j, worker.Images{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, want := lastIterations(&c), c.Expected.Milliseconds()
	t.Logf("%s, MTU %d, scale %d: %.3f ms, expected %.3f, %.1f%% of the communication", j.Plan.Name, j.Plan.MTU, j.Scale, got, want, 100*(got-want)/j.Layout.Time.Milliseconds())
	if math.Abs(got-want) > ringAcks*j.Layout.Time.Milliseconds() {
		t.Errorf("%s, MTU %d, scale %d: an iteration takes %.3f ms, expected %.3f", j.Plan.Name, j.Plan.MTU, j.Scale, got, want)
	}
}

// lastIterations is the mean time of the last six iterations of a run in milliseconds, from end to end of the worker that was last.
func lastIterations(c *result.Cell) float64 {
	const six = 6
	ends := map[int]units.Time{}
	most := 0
	for _, s := range c.Samples {
		ends[s.Iteration] = max(ends[s.Iteration], s.End)
		most = max(most, s.Iteration)
	}
	return (ends[most].Sub(ends[most-six]) / six).Milliseconds()
}
