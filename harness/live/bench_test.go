package live_test

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

func TestBench(t *testing.T) {
	for _, sys := range []string{job.SwitchML256, job.Ring, job.TrioML} {
		for _, plain := range []bool{false, true} {
			g, err := gen.ByName("rack", gen.Params{Hosts: 4})
			if err != nil {
				t.Fatal(err)
			}
			p, err := plan.New(g)
			if err != nil {
				t.Fatal(err)
			}
			j, err := job.New(job.Spec{System: sys, Plan: p, Scale: 1, Iterations: 5, Seed: 1, Elements: 16 << 20, SwitchML: job.SwitchMLSpec{Retransmit: true}, Trio: job.TrioSpec{Window: 128}})
			if err != nil {
				t.Fatal(err)
			}
			c, err := live.RunJob(t.Context(), j, live.Options{Lab: "b1", Logs: t.TempDir(), Plain: plain})
			n, sum := 0, 0.0
			for _, s := range c.Samples {
				if s.Iteration > 0 {
					n++
					sum += s.End.Sub(s.Start).Seconds()
				}
			}
			d := sum / float64(max(1, n))
			t.Logf("%s plain=%v err=%v t=%.3f agg=%.2f Gbit/s wrong=%d checked=%d cpu=%.2f", sys, plain, err, d, 4*64*8*1.048576/1000/d, c.Wrong, c.Checked, c.Fidelity.CPUBusy)
		}
	}
}
