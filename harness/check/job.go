package check

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
)

// ForJob returns what [Sums] needs to know of a job: its shape, who contributes
// to its blocks, and the sink that has to see the switches' traces (nil where
// everybody contributes to every block).
func ForJob(j *job.Job) (Job, Contributors, trace.Sink) {
	shape := Job{Workers: len(j.Hosts()), Generations: j.Iterations, Elements: j.Held(), Block: j.Layout.Block, Sample: j.Sample, Saturates: j.Layout.Saturates}
	if j.Layout.Half {
		shape.Answer = gradient.HalfAnswer
	}
	top := j.Layout.Top()
	if !j.Layout.Partial || top == nil || j.Spec.Elements > 0 {
		return shape, Everybody(shape.Workers), nil
	}
	below := map[string]map[uint8]string{}
	for i := range j.Layout.Engines {
		e := &j.Layout.Engines[i]
		below[e.Node] = j.Layout.Below(e)
	}
	masks := NewMasks(top.Node, below)
	masks.sample, masks.job = j.Sample, j.ID
	return shape, masks, masks
}
