package sim_test

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/halving"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/tensor"
	"github.com/inalab/inalab/nodes/traffic"
)

// payloadTo is the payload of UDP that links brought to the hosts of a job.
func payloadTo(t *testing.T, c result.Cell, j *job.Job) (sum units.Bytes) {
	t.Helper()
	for _, h := range j.Hosts() {
		l := linkTo(t, c, h.Name)
		sum += l.Bytes - units.Bytes(l.Frames)*inet.UDPHeaders
	}
	return sum
}

// Series of jobs have what links brought to their hosts, and those of flows what their records
// say, at the times at which it came. A run of several jobs has them without being asked.
func TestSeriesAreWhatCame(t *testing.T) {
	set, cells := runTwo(t, scene{flows: []job.Flow{
		udp("noise", "h4", "h5", traffic.Pattern{Rate: 100 * mbit, On: 10 * ms, Off: 10 * ms, Stop: 50 * ms}), tcp("bulk", "h5", "h4", traffic.Pattern{Start: 20 * ms, Rate: 200 * mbit}),
	}}.job(t))
	for i, c := range cells {
		s := c.Throughput[0]
		if s.Kind != result.KindJob || s.Sum() == 0 || s.Sum() != payloadTo(t, c, set.Jobs[i]) || s.Interval != ms || s.Bytes[19] != 0 || s.Bytes[20] == 0 {
			t.Errorf("%s: %d B in series %+v, links brought %d B", c.Job, s.Sum(), s, payloadTo(t, c, set.Jobs[i]))
		}
	}
	if len(cells[0].Throughput) != 3 || len(cells[1].Throughput) != 1 {
		t.Fatalf("%d and %d series", len(cells[0].Throughput), len(cells[1].Throughput))
	}
	noise, bulk := cells[0].Throughput[1], cells[0].Throughput[2]
	if f := cells[0].Flows[0]; noise.Kind != "udp" || noise.Sum() == 0 || noise.Sum() != f.DeliveredBytes-28*units.Bytes(f.Delivered) {
		t.Errorf("UDP: %d B, record %+v", noise.Sum(), f)
	}
	if f := cells[0].Flows[1]; bulk.Name != "bulk" || bulk.Sum() == 0 || bulk.Sum() != f.DeliveredBytes {
		t.Errorf("TCP: %d B, record %+v", bulk.Sum(), f)
	}
	for i, n := range noise.Bytes { // on in each second ten milliseconds, with 1472 B in each 120 us
		if on := i < 50 && i/10%2 == 0; i%10 > 0 && (on && (n < 8*1472 || n > 9*1472) || !on && n > 0) {
			t.Errorf("UDP: %d B in millisecond %d", n, i)
		}
	}
	for i, n := range bulk.Bytes[:20] {
		if n > 0 {
			t.Errorf("TCP: %d B in millisecond %d", n, i)
		}
	}
	if bulk.Bytes[20] == 0 {
		t.Error("TCP does not come when it starts")
	}
	for _, s := range append(cells[0].Throughput, cells[1].Throughput...) {
		if s.Interval != noise.Interval || len(s.Bytes) != len(noise.Bytes) {
			t.Errorf("%s: %d intervals of %v, %s: %d of %v", s.Name, len(s.Bytes), s.Interval, noise.Name, len(noise.Bytes), noise.Interval)
		}
	}
}

// Byte streams count what comes out of them, whatever carries them: a ring's messages.
func TestSeriesOfStreams(t *testing.T) {
	for _, sys := range []job.System{ring.System{}, halving.System{}} {
		j := scene{system: sys}.job(t)
		spec := j.Spec
		spec.Interval = 7 * ms
		j, err := job.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		im := images(t)
		c, again := run(t, j, im), run(t, j, im)
		s := c.Throughput[0]
		if len(c.Throughput) != 1 || s.Kind != result.KindJob || s.Name != "" || s.Interval != 7*ms {
			t.Errorf("%s: series %+v", sys.Name(), c.Throughput)
		}
		if diff := gocmp.Diff(c, again); diff != "" {
			t.Errorf("%s: two runs differ (-one +other):\n%s", sys.Name(), diff)
		}
		if sys.Name() == (ring.System{}).Name() {
			each := 2 * 5 * units.Bytes(6*tensor.HeaderLen+4*j.Params) // steps of an iteration
			if want := units.Bytes(j.Iterations) * each; s.Sum() != want {
				t.Errorf("the ring's workers were given %d B, want %d", s.Sum(), want)
			}
		}
	}
}

// A series changes nothing of a run but that all its rounds are simulated.
func TestSeriesChangeNothing(t *testing.T) {
	spec := scene{}.job(t).Spec
	im := images(t)
	for _, replay := range []bool{false, true} {
		var cells []result.Cell
		for _, interval := range []units.Duration{0, ms} {
			spec.Replay, spec.Interval = replay, interval
			j, err := job.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			cells = append(cells, run(t, j, im))
		}
		if diff := gocmp.Diff(cells[0].Samples, cells[1].Samples); diff != "" {
			t.Errorf("samples (-without +with series):\n%s", diff)
		}
		if without, with := cells[0], cells[1]; without.Throughput != nil || (without.Work.Charged > 0) != replay || with.Work.Charged > 0 || with.Throughput[0].Sum() != payloadTo(t, with, scene{}.job(t)) {
			t.Errorf("replay %v: charged %d rounds without series, %d with", replay, without.Work.Charged, with.Work.Charged)
		}
	}
}

// A worker that is killed was given what it was given; one that comes back counts on.
func TestSeriesOfAWorkerThatIsKilled(t *testing.T) {
	series := func(actions ...job.Action) result.Throughput {
		spec := tenantSpec(t, sharedPlan(t, "rack", 4), trioml.System{Timeout: ms})
		spec.Iterations, spec.Interval, spec.Actions = 60, 10*ms, actions
		j, err := job.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		return run(t, j, images(t)).Throughput[0]
	}
	calm, killed := series(), series(act(30, job.Kill, "h1"), act(150, job.Start, "h1"))
	if !slices.Equal(calm.Bytes[:3], killed.Bytes[:3]) || calm.Bytes[0] == 0 || killed.Bytes[5] >= calm.Bytes[5] || killed.Sum() >= calm.Sum() {
		t.Errorf("with a worker that is killed after 30 ms %v, without %v", killed.Bytes, calm.Bytes)
	}
}
