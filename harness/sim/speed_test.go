package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	systems "github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

func benchJob(b *testing.B, system, topology string, hosts, elements int) *job.Job {
	g, err := gen.ByName(topology, gen.Params{Hosts: hosts, Link: topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: units.Microsecond}})
	if err != nil {
		b.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		b.Fatal(err)
	}
	model, err := profiles.Lookup("resnet50")
	if err != nil {
		b.Fatal(err)
	}
	sys, err := job.Find(systems.All(), system)
	if err != nil {
		b.Fatal(err)
	}
	j, err := job.New(job.Spec{System: sys, Plan: p, Model: model, Scale: 1, Iterations: 100, Seed: 1, Elements: elements, Virtual: true})
	if err != nil {
		b.Fatal(err)
	}
	return j
}

type stopwatch struct {
	since time.Time
	sum   time.Duration
}

func (w *stopwatch) Start() { w.since = time.Now() }
func (w *stopwatch) Stop()  { w.sum += time.Since(w.since) }

func BenchmarkLinkEvents(b *testing.B) {
	for _, c := range []struct {
		system string
		hosts  int
	}{{"switchml256", 8}, {"switchml256", 64}, {"trioml", 8}, {"ring", 8}} {
		b.Run(fmt.Sprint(c.system, "/", c.hosts), func(b *testing.B) {
			j := benchJob(b, c.system, "rack", c.hosts, 1<<20/c.hosts)
			var frames uint64
			var watch stopwatch
			for b.Loop() {
				cell, err := (&sim.Patterns{}).RunJob(b.Context(), j, worker.Images{}, sim.Observer{Watch: &watch})
				if err != nil {
					b.Fatal(err)
				}
				frames += cell.Work.Frames
			}
			b.ReportMetric(float64(frames)/watch.sum.Seconds()/1e6, "Mlink/s")
		})
	}
}
