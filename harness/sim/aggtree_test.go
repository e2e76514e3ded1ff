package sim

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/aggtree"
	"github.com/inalab/inalab/harness/system/byteps"
	"github.com/inalab/inalab/harness/system/tcpagg"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/stream"
)

// Rounds of TCP-Agg and of BytePS take the analytic time or more: at most twice as long, since sums,
// or their acknowledgements, may wait in queues behind gradients until all of these are through.
func TestBaselinesOfXAggTakeTheirTime(t *testing.T) {
	OneGoroutine(t)
	for _, transport := range []stream.Transport{stream.RoCE, stream.TCP} {
		for _, sys := range []job.System{
			tcpagg.System{Transport: transport}, tcpagg.System{Transport: transport, Direct: true}, tcpagg.System{Transport: transport, Tree: aggtree.Star},
			byteps.System{Transport: transport, Partition: 1 << 20}, byteps.System{Transport: transport}, byteps.System{Transport: transport, Count: 7},
			byteps.System{Transport: transport, Count: 3, Colocated: true},
		} {
			t.Run(fmt.Sprintf("%s %+v", sys.Name(), sys), func(t *testing.T) {
				j := baseline(t, sys, 7, func(s *job.Spec) { s.Sample = gradient.Sampling{Every: 64} })
				want, bound := j.Expect()
				_, got := second(t, j)
				if ratio := got.Seconds() / want.Seconds(); bound || ratio < 1 || ratio > 2 {
					t.Errorf("a round takes %v, %.3f of the analytic %v", got, ratio, want)
				}
			})
		}
	}
}
