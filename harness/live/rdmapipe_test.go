package live

import (
	"testing"

	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// The pipeline sums messages of RoCEv2 over kernel UDP, whose ICRC it does not check.
func TestMessagesOfRDMAOnThePipeline(t *testing.T) {
	needRoot(t)
	heavy(t)
	j := mustJob(t, scene{
		system: switchml.System{Transport: switchml.RoCE, Retransmit: true, Packets: 4, Timeout: 20 * units.Millisecond, Pipe: switchml.Pipe{Pipeline: true}}, topology: "rack", iterations: 4, link: topo.LinkSpec{Loss: 0.01},
	})
	cell := mustRun(t, j, options(t))
	again := 0
	for _, s := range cell.Samples {
		again += s.Retransmits
	}
	if lost := counted(cell, "loss-bernoulli", nil); cell.Wrong != 0 || again == 0 || again%4 != 0 || lost == 0 {
		t.Errorf("%d wrong, %d frames lost, %d packets sent again, want none and some of both", cell.Wrong, lost, again)
	}
}
