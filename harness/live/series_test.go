package live

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/tensor"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/topo"
)

// runWithSeries runs a job and returns its cell, and the payload that the sockets of its workers
// took from the kernel.
func runWithSeries(t *testing.T, j *job.Job) (c result.Cell, taken units.Bytes) {
	t.Helper()
	cells, err := runSet(t.Context(), job.Alone(j), options(t), func(r *run) {
		for _, w := range r.tenants[0].reports {
			taken += units.Bytes(w.Device.RxBytes)
			if j.Layout.Peers == nil {
				taken -= units.Bytes(w.Device.RxFrames) * inet.UDPHeaders
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return cells[0], taken
}

// A worker that was stopped, and one that takes its place, count what they took.
func TestSeriesOfAWorkerThatComesBackLive(t *testing.T) {
	j := mustJob(t, scene{system: trioml.System{Timeout: 10 * ms}, topology: "rack", iterations: 100, change: func(s *job.Spec) {
		s.On, s.Interval, s.Actions = []int{0, 1, 2, 3}, 20*ms, []job.Action{act(200, job.Stop, "h1"), act(400, job.Start, "h1")}
	}})
	c, taken := runWithSeries(t, j)
	checkSeries(t, c, taken)
}

// checkSeries holds the series of a cell against what sockets took and what flows recorded.
func checkSeries(t *testing.T, c result.Cell, taken units.Bytes) {
	t.Helper()
	if len(c.Throughput) != 1+len(c.Flows) || c.Throughput[0].Kind != result.KindJob {
		t.Fatalf("series %+v", c.Throughput)
	}
	if s := c.Throughput[0]; s.Sum() != taken || taken == 0 {
		t.Errorf("the job's series has %d B, its sockets took %d", s.Sum(), taken)
	}
	for i, f := range c.Flows {
		s, want := c.Throughput[1+i], f.DeliveredBytes
		if f.Kind == job.FlowUDP {
			want -= units.Bytes(f.Delivered) * (inet.IPv4Len + inet.UDPLen)
		}
		if s.Name != f.Name || s.Kind != f.Kind || s.Sum() != want || want == 0 {
			t.Errorf("series %s of %d B: %+v", s.Name, s.Sum(), f)
		}
		if s.Interval != c.Throughput[0].Interval || len(s.Bytes) != len(c.Throughput[0].Bytes) {
			t.Errorf("%d intervals of %v, the job has %d of %v", len(s.Bytes), s.Interval, len(c.Throughput[0].Bytes), c.Throughput[0].Interval)
		}
	}
}

// Live series have what the processes took from the kernel, flows of both kinds included.
func TestSeriesLive(t *testing.T) {
	j := besideFlows(t, switchml.System{Elements: 256}, topo.LinkSpec{Rate: 50 * mbit, Queue: units.MiB},
		flow("steady", job.FlowUDP, "h3", "h1", traffic.Pattern{Rate: 5 * mbit, Start: 100 * ms}),
		flow("bulk", job.FlowTCP, "h2", "h4", traffic.Pattern{Start: 10 * ms}))
	c, taken := runWithSeries(t, j)
	checkCell(t, j, c)
	checkSeries(t, c, taken)
	for i, n := range c.Throughput[1].Bytes {
		if at := c.Throughput[1].Start(i + 1); at <= units.Time(100*ms) && n > 0 {
			t.Errorf("%d B of a flow before %v, which it starts at 100ms", n, at)
		}
	}
}

// A ring is given the same bytes under both clocks: its messages.
func TestSeriesOfARingLive(t *testing.T) {
	j := mustJob(t, scene{system: ring.System{}, topology: "rack", change: func(s *job.Spec) { s.Interval = 20 * ms }})
	c, taken := runWithSeries(t, j)
	checkCell(t, j, c)
	checkSeries(t, c, taken)
	if want := units.Bytes(j.Iterations * 2 * 5 * (6*tensor.HeaderLen + 4*j.Params)); taken != want {
		t.Errorf("the workers took %d B, want %d", taken, want)
	}
}
