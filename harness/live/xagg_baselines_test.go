package live

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/aggtree"
	"github.com/inalab/inalab/harness/system/byteps"
	"github.com/inalab/inalab/harness/system/tcpagg"
	"github.com/inalab/inalab/topo"
)

// The baselines of XAgg train over kernel TCP, and under the virtual clock come to the same: every
// tensor bit for bit, every loss, and as many messages of each kind at each host. Of lossy links the
// kernel makes good.
func TestBaselinesOfXAggLive(t *testing.T) {
	heavy(t)
	needRoot(t)
	images, err := loadImages()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		system job.System
		link   topo.LinkSpec
	}{
		{tcpagg.System{}, topo.LinkSpec{}},
		{tcpagg.System{Tree: aggtree.Testbed, Direct: true}, topo.LinkSpec{}},
		{tcpagg.System{K: 2}, topo.LinkSpec{LossEvery: 50}},
		{byteps.System{}, topo.LinkSpec{}},
		{byteps.System{Count: 2, Colocated: true}, topo.LinkSpec{}},
		{byteps.System{}, topo.LinkSpec{LossEvery: 50}},
	} {
		t.Run(fmt.Sprintf("%+v, loss of one in %d", tc.system, tc.link.LossEvery), func(t *testing.T) {
			scene := scene{system: tc.system, topology: "rack", link: tc.link}
			liveCell, liveTensors := runRecorded(t, mustJob(t, scene), options(t))
			virtual, virtualCell, virtualTensors := virtualRecorded(t, scene, images)
			if diff := cmp.Diff(learned(virtualCell), learned(liveCell)); diff != "" {
				t.Errorf("losses and accuracy (-virtual +live):\n%s", diff)
			}
			if tc.link.LossEvery > 0 {
				if liveCell.Resent.Packets == 0 || virtualCell.Resent.Packets == 0 {
					t.Errorf("%d segments sent again live, %d virtual: want some", liveCell.Resent.Packets, virtualCell.Resent.Packets)
				}
				return
			}
			checkParity(t, virtual, virtualTensors, liveTensors, virtualCell, liveCell)
		})
	}
}
