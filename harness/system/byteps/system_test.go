package byteps

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/ps"
	"github.com/inalab/inalab/nodes/stream"
)

// spec is a job of four workers, and of the servers that the system needs.
func spec(t *testing.T, s System) job.Spec {
	t.Helper()
	out := jobtest.Staffed(t, s, "rack", 4)
	out.Virtual = true
	return out
}

// The analytic time, worked out by hand for 4096 elements by RoCE on links of 1 Gbit/s: packets of
// 4096 bytes, with 58 of headers and 24 of framing, on the busiest link. A server is silent until
// it has the first partition of all workers.
func TestTime(t *testing.T) {
	packets := func(n int) units.Duration { return units.Duration(n*(58+4096+24)*8) * units.Nanosecond }
	for _, c := range []struct {
		system System
		want   int
	}{
		{System{}, 2 * 4 * 4},                                          // one partition: pushes, then pulls
		{System{Partition: 4096}, (4 + 1) * 4},                         // four partitions: the first before all others
		{System{Partition: 4096, Count: 4}, 4 + 4},                     // one each
		{System{Partition: 4096, Colocated: true}, (4 + 1) * 3},        // that of its own worker stays
		{System{Partition: 4096, Count: 4, Colocated: true}, 2 * 3},    // what its worker pushes covers the first
		{System{Partition: 1024, Count: 2, Colocated: true}, 2*3 + 2},  // the same
		{System{Partition: 1 << 20, Count: 2, Colocated: true}, 6 + 6}, // three halves of the tensor in, then out
	} {
		c.system.Transport = stream.RoCE
		if got, want := jobtest.New(t, spec(t, c.system)).Layout.Time, packets(c.want); got != want {
			t.Errorf("%+v takes %v, want %v", c.system, got, want)
		}
	}
}

// Partitions are those of BytePS by default, divided by the job's scale but where that is not wanted,
// and hold whole elements.
func TestPartitions(t *testing.T) {
	for _, c := range []struct {
		system      job.System
		scale, want int
	}{
		{System{}, 1, 4096000},
		{System{}, 200, 20480},
		{System{}.FullWindow(200), 200, 4096000},
		{System{Partition: 1002}, 1, 1000},
		{System{Partition: 1002}, 2000, 4},
	} {
		s := spec(t, System{})
		s.System, s.Scale = c.system, c.scale
		for _, core := range jobtest.New(t, s).Layout.Cores {
			if got := core.(host.Config).Partition; got != c.want {
				t.Errorf("%+v at scale %d: partitions of %d bytes, want %d", c.system, c.scale, got, c.want)
			}
		}
	}
}

// What is refused is called by this system's name and knobs.
func TestRefused(t *testing.T) {
	for want, s := range map[string]System{
		"byteps.count: 5 servers beside 4 workers: a host has one at most: use byteps.count=4 or less, or byteps.servers=dedicated": {Count: 5, Colocated: true},
		"byteps over RoCE runs under the virtual clock only: live hosts have kernel TCP":                                            {Transport: stream.RoCE},
	} {
		spec := spec(t, s)
		spec.Virtual = false
		if _, err := job.New(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	none := spec(t, System{})
	none.Servers = 0
	if _, err := job.New(none); err == nil || !strings.Contains(err.Error(), "byteps needs 1 hosts for servers beside 5 workers, but topology rack has 0: dedicated servers take byteps.count hosts") {
		t.Errorf("error %v", err)
	}
}
