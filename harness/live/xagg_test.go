package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/xagg"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// XAgg trains with its elements in the kernel and in processes, over both trees and through lossy links, and
// learns what it does under the virtual clock.
func TestXAggLive(t *testing.T) {
	heavy(t)
	needRoot(t)
	images, err := loadImages()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		system xagg.System
		link   topo.LinkSpec
	}{
		{xagg.System{Store: xagg.Kernel}, topo.LinkSpec{}},
		{xagg.System{Store: xagg.Socket, K: 2}, topo.LinkSpec{}},
		{xagg.System{Store: xagg.Kernel}, topo.LinkSpec{LossEvery: 50}},
	} {
		t.Run(fmt.Sprintf("store %d, k %d, loss of one in %d", tc.system.Store, tc.system.K, tc.link.LossEvery), func(t *testing.T) {
			scene := scene{system: tc.system, topology: "rack", link: tc.link, change: func(s *job.Spec) { s.Plan.MTU = xaggMTU }}
			liveCell, _ := runRecorded(t, mustJob(t, scene), options(t))
			_, virtualCell, _ := virtualRecorded(t, scene, images)
			if diff := cmp.Diff(learned(virtualCell), learned(liveCell)); diff != "" {
				t.Errorf("losses and accuracy (-virtual +live):\n%s", diff)
			}
			if tc.link.LossEvery > 0 && (liveCell.Resent.Packets == 0 || virtualCell.Resent.Packets == 0) {
				t.Errorf("%d packets sent again live, %d virtual: want some", liveCell.Resent.Packets, virtualCell.Resent.Packets)
			}
			for _, d := range liveCell.Decisions {
				if strings.Contains(d.Text, "elements are in the process") {
					t.Errorf("%s: %s", d.Node, d.Text)
				}
			}
		})
	}
}

// xaggMTU is one that XDP takes on all kernels.
const xaggMTU = 3500

// A server that is killed in mid-run leaves the tree, and every sum is right: live, too, and the run tells it.
func TestXAggLiveOutlivesAServer(t *testing.T) {
	heavy(t)
	kill := job.Action{At: 100 * units.Millisecond, Verb: job.Kill, Node: "h6"}
	j := mustJob(t, scene{system: xagg.System{Spares: 1}, topology: "rack", iterations: 8, change: func(s *job.Spec) {
		s.Plan.MTU, s.Actions = xaggMTU, []job.Action{kill}
	}})
	cell := mustRun(t, j, options(t))
	if cell.Ended != nil || !slices.ContainsFunc(cell.Decisions, func(d result.Decision) bool { return strings.HasPrefix(d.Text, "h6 left: no report") }) {
		t.Errorf("ended %+v, decided %+v", cell.Ended, cell.Decisions)
	}
}

// A run that is interrupted leaves nothing: no namespace, and nothing in the kernel.
func TestXAggLiveInterrupted(t *testing.T) {
	heavy(t)
	opt := options(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opt.Progress = func([]result.Sample) { cancel() }
	j := mustJob(t, scene{system: xagg.System{}, topology: "rack", iterations: 100, change: func(s *job.Spec) { s.Plan.MTU = xaggMTU }})
	if _, err := RunJob(ctx, j, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of an interrupt", err)
	}
}
