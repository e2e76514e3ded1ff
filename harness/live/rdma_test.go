package live

import (
	"testing"

	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// SwitchML over RoCEv2 runs over kernel UDP with the tensors that it has under the
// virtual clock, and stays right where whole messages are sent again.
func TestMessagesOfRDMA(t *testing.T) {
	needRoot(t)
	images, err := loadImages()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("without loss", func(t *testing.T) {
		s := scene{system: switchml.System{Transport: switchml.RoCE}, topology: "rack"}
		liveCell, liveTensors := runRecorded(t, mustJob(t, s), options(t))
		virtual, virtualCell, virtualTensors := virtualRecorded(t, s, images)
		checkParity(t, virtual, virtualTensors, liveTensors, virtualCell, liveCell)
	})
	t.Run("one in a hundred lost", func(t *testing.T) {
		heavy(t)
		j := mustJob(t, scene{
			system: switchml.System{Transport: switchml.RoCE, Retransmit: true, Packets: 4, Timeout: 20 * units.Millisecond}, topology: "rack", iterations: 4, link: topo.LinkSpec{Loss: 0.01},
		})
		cell := mustRun(t, j, options(t))
		again := 0
		for _, s := range cell.Samples {
			again += s.Retransmits
		}
		if lost := counted(cell, "loss-bernoulli", nil); again == 0 || again%4 != 0 || lost == 0 {
			t.Errorf("%d frames lost, %d packets sent again, want some of both", lost, again)
		}
	})
}
