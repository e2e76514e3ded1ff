package live

import (
	"context"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Measured is what a benchmark of all-reduce came to, warm-up left out where it
// can be told apart: packets, bytes and processor time are scaled to the
// measured iterations.
type Measured struct {
	Cell             result.Cell
	Elapsed          units.Duration // of the measured iterations, at the slowest worker
	Packets          int64          // that all workers sent
	WireBytesPerLink units.Bytes    // framing included, busiest host link and direction
	CPU              units.Duration // of all processors
}

// Bench runs a job on a synthetic tensor and measures its iterations but for
// the first warmup.
func Bench(ctx context.Context, j *job.Job, warmup int, opt Options) (Measured, error) {
	var m Measured
	var last *run
	cells, err := runSet(ctx, job.Alone(j), opt, func(r *run) { last = r })
	m.Cell = cells[0]
	if err != nil {
		return m, err
	}
	m.Elapsed = elapsed(m.Cell.Samples, warmup)
	for _, w := range last.tenants[0].reports {
		m.Packets += int64(w.Device.TxFrames)
	}
	for _, sw := range last.switchReports {
		for _, p := range sw.Ports {
			for _, v := range []units.Bytes{wire(p.In.Frames, p.In.Bytes), wire(p.Out.Frames, p.Out.Bytes)} {
				m.WireBytesPerLink = max(m.WireBytesPerLink, v)
			}
		}
	}
	measured, all := int64(j.Iterations-warmup), int64(j.Iterations)
	m.Packets = m.Packets * measured / all
	m.WireBytesPerLink = m.WireBytesPerLink * units.Bytes(measured) / units.Bytes(all)
	m.CPU = last.cpuTime().Scale(float64(measured) / float64(all))
	return m, nil
}

func wire(frames, bytes uint64) units.Bytes {
	return units.Bytes(bytes) + units.Bytes(frames)*units.EthernetFraming
}

// elapsed returns the time from the end of the warm-up to the end of the run,
// at the worker where it was longest.
func elapsed(samples []result.Sample, warmup int) (longest units.Duration) {
	sum := map[int]units.Duration{}
	for _, s := range samples {
		if s.Iteration >= warmup {
			sum[s.Worker] += s.End.Sub(s.Start)
			longest = max(longest, sum[s.Worker])
		}
	}
	return longest
}
